"""Work through doubtful answers over the staff API: list, read, take, judge, keep as a golden case, propose."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from urllib.parse import quote

import httpx

from youju.http import Body, checked, parsed
from youju.paging import Page, pages


class ReviewItem(Body):
    """An attempt that waits for a reviewer, or has a verdict."""

    attempt_id: str
    reasons: tuple[str, ...]
    state: str
    question: str | None
    waiting_since: datetime
    held_by: str | None
    held_until: datetime | None
    verdicts: int


class Outcome(Body):
    """What the customer was told."""

    answer: str
    refused: bool
    reason_code: str | None


class Citation(Body):
    """What was cited."""

    title: str
    section: str
    revision: str
    quote: str


class Scores(Body):
    """How strongly a passage was found."""

    bm25: float
    cosine: float
    fused: float


class Candidate(Body):
    """A passage that the search looked at."""

    slug: str | None
    label: str | None
    section: str | None
    in_context: bool
    scores: Scores


class Fault(Body):
    """Why a draft was rejected."""

    code: str
    detail: str


class MissedModel(Body):
    """A model that was asked for a draft in vain."""

    model: str
    trouble: str


class Draft(Body):
    """What a writer sent, and which models were asked for it in vain."""

    writer: str
    text: str
    faults: tuple[Fault, ...]
    trouble: str | None
    missed: tuple[MissedModel, ...]


class Ending(Body):
    """How an attempt ended, and by which way."""

    outcome: Outcome | None
    failure_code: str | None
    cause: str | None
    version: int | None
    route: str | None
    route_rule: str | None
    strength: str | None
    read_as: tuple[str, ...]
    citations: tuple[Citation, ...]
    candidates: tuple[Candidate, ...]
    beyond_reach: tuple[Candidate, ...]
    drafts: tuple[Draft, ...]


class Check(Body):
    """What a second model says of a claim."""

    part: int
    is_supported: bool
    reason: str | None


class Feedback(Body):
    """What the customer thinks now."""

    rating: str
    reason_code: str | None
    comment: str | None


class Escalation(Body):
    """A wish for a person."""

    escalation_id: str
    origin: str
    note: str | None


class Verdict(Body):
    """What a reviewer found."""

    number: int
    layer: str
    note: str | None
    reviewer: str


class ReviewDetail(Body):
    """An item with everything that is known of its attempt."""

    item: ReviewItem
    ending: Ending | None
    checks: tuple[Check, ...]
    feedback: Feedback | None
    escalations: tuple[Escalation, ...]
    verdicts: tuple[Verdict, ...]


class Case(Body):
    """A golden case that was made."""

    case_id: str
    is_new: bool


class Proposal(Body):
    """A text that was proposed to the owners."""

    proposal_id: str
    slug: str
    title: str
    state: str
    proposed_by: str
    proposed_at: datetime


class _Items(Page):
    items: tuple[ReviewItem, ...]


class _Proposals(Page):
    items: tuple[Proposal, ...]


class _Taken(Body):
    item: ReviewItem | None


def list_items(client: httpx.Client, reason: str | None) -> Iterator[ReviewItem]:
    """Give what waits, the most pressing first. Errors: Trouble."""
    wanted = {} if reason is None else {"reason": reason}
    for page in pages(client, "/v1/staff/review/items", _Items, **wanted):
        yield from page.items


def read_item(client: httpx.Client, attempt_id: str) -> ReviewDetail:
    """Read an item with its attempt. Errors: Trouble."""
    return parsed(client.get(_item(attempt_id)), ReviewDetail)


def take_next(client: httpx.Client) -> ReviewItem | None:
    """Take the most pressing item that nobody has. Errors: Trouble."""
    return parsed(client.post("/v1/staff/review/take"), _Taken).item


def take_item(client: httpx.Client, attempt_id: str) -> ReviewItem:
    """Take one item. Errors: Trouble when another reviewer has it."""
    return parsed(client.post(f"{_item(attempt_id)}/take"), ReviewItem)


def release_item(client: httpx.Client, attempt_id: str) -> ReviewItem:
    """Give an item back. Errors: Trouble."""
    return parsed(client.post(f"{_item(attempt_id)}/release"), ReviewItem)


def judge_item(client: httpx.Client, attempt_id: str, *, layer: str, note: str | None, seen: int) -> Verdict:
    """Add a verdict. Errors: Trouble when the item is open and not held, or has a verdict that was not seen."""
    body = {"layer": layer, "note": note, "seen": seen}
    return parsed(client.post(f"{_item(attempt_id)}/verdicts", json=body), Verdict)


def make_case(client: httpx.Client, attempt_id: str, body: Mapping[str, object]) -> Case:
    """Keep the question as a golden case. Errors: Trouble when its evidence is nowhere."""
    return parsed(client.post(f"{_item(attempt_id)}/cases", json=dict(body)), Case)


def propose(client: httpx.Client, attempt_id: str, *, slug: str, title: str, text: str) -> Proposal:
    """Propose a text to the owners. Errors: Trouble."""
    body = {"slug": slug, "title": title, "body": text}
    return parsed(client.post(f"{_item(attempt_id)}/proposals", json=body), Proposal)


def list_proposals(client: httpx.Client) -> Iterator[Proposal]:
    """Give proposals, the newest first. Errors: Trouble."""
    for page in pages(client, "/v1/staff/proposals", _Proposals):
        yield from page.items


def export_proposal(client: httpx.Client, proposal_id: str) -> bytes:
    """Give a proposal as a file to import. Errors: Trouble."""
    return checked(client.get(f"/v1/staff/proposals/{quote(proposal_id, safe='')}/file")).content


def decide_proposal(client: httpx.Client, proposal_id: str, *, state: str, reason: str | None) -> Proposal:
    """Accept or decline a proposal. Errors: Trouble when it was decided differently."""
    body = {"state": state, "reason": reason}
    return parsed(client.post(f"/v1/staff/proposals/{quote(proposal_id, safe='')}/decision", json=body), Proposal)


def _item(attempt_id: str) -> str:
    return f"/v1/staff/review/items/{quote(attempt_id, safe='')}"
