"""What a reviewer makes of an attempt: a golden case for the evaluation, or a proposal for the knowledge."""

import asyncio
from datetime import date, datetime
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator, Field, model_validator
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import InvalidRequestError
from contracts.ids import MalformedIdError, parsed, printed
from contracts.model import Outgoing
from contracts.reasons import Language
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import AttemptPath, ProposalPath
from knowledge.api.places import NOT_BLANK, refuse_control
from knowledge.api.problems import PROBLEMS
from knowledge.api.review import known_attempt
from knowledge.api.roles import Owner, OwnerOrReviewer, Reviewer
from knowledge.evaluation.golden import CaseId, Evidence, ExpectedRoute, GoldenSet, Words
from knowledge.evaluation.reviewed import Wanted, case_of
from knowledge.evaluation.store.cases import add_case
from knowledge.ingestion.header import Line, Slug
from knowledge.review.detail import Question
from knowledge.review.evidence import NamedEvidence
from knowledge.review.item import ItemNotFoundError
from knowledge.review.proposal import (
    Decision,
    Proposal,
    ProposalDraft,
    ProposalNotFoundError,
    ProposalState,
    as_markdown,
)
from knowledge.review.store import proposals
from knowledge.review.store.details import read_question
from knowledge.review.store.queue import find_item
from knowledge.review.store.sources import quote_of
from knowledge.versions.acts import case_subject
from knowledge.versions.store.audit import record_act
from personal_data.masking import mask
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["review"], responses=PROBLEMS)

_LONGEST_BODY: Final = 100_000
_MARKDOWN: Final = "text/markdown"

Sentence = Annotated[str, NOT_BLANK, Field(max_length=2_000), AfterValidator(refuse_control)]
Text = Annotated[
    str,
    NOT_BLANK,
    Field(max_length=_LONGEST_BODY),
    AfterValidator(refuse_control),
]


class CaseEvidence(Outgoing):
    """What a good answer cites: a document with a quote from it, or with the heading of the passage that holds it."""

    document: Slug
    revision: Annotated[str | None, Field(max_length=64, description="The label of the revision; else any")] = None
    quote: Annotated[str, Field(min_length=1, max_length=5_000)] | None = None
    heading: Annotated[str, Field(min_length=1, max_length=500)] | None = None

    @model_validator(mode="after")
    def _quote_or_heading(self) -> Self:
        if (self.quote is None) == (self.heading is None):
            raise ValueError("a quote or a heading is needed, and not both")
        return self


class CaseRequest(Outgoing):
    """What a good system does with the question. Without a question of its own the case asks the customer's, masked."""

    case_id: CaseId | None = None
    set: GoldenSet = "golden"
    category: Annotated[str, NOT_BLANK, Field(max_length=100), AfterValidator(refuse_control)]
    routes: Annotated[tuple[ExpectedRoute, ...], Field(min_length=1, max_length=20)]
    question: (
        Annotated[
            str,
            NOT_BLANK,
            Field(max_length=10_000),
            AfterValidator(refuse_control),
        ]
        | None
    ) = None
    evidence: Annotated[tuple[CaseEvidence, ...], Field(max_length=20)] = ()
    must_include_any: Annotated[tuple[Words, ...], Field(max_length=20)] = ()
    must_not_include: Words = ()
    as_of: date | None = None
    note: Sentence | None = None


class CaseMade(Outgoing):
    """A golden case; `isNew` is false when it was there word by word."""

    case_id: str
    is_new: bool


class ProposalRequest(Outgoing):
    """A text that would have answered the question: Markdown, for the owners of the knowledge.

    Title and body are masked before they are kept, as an import would mask them.
    """

    slug: Slug
    title: Line
    body: Text


class ProposalView(Outgoing):
    """A proposal, and what its owners made of it. The question is masked, and null where it was erased."""

    proposal_id: str
    attempt_id: str
    slug: str
    title: str
    language: Language
    question: str | None
    body: str
    state: ProposalState
    proposed_by: str
    proposed_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    decision: str | None


class ProposalPage(Outgoing):
    """A page of proposals, newest first."""

    items: tuple[ProposalView, ...]
    next_cursor: str | None


class ProposalDecision(Outgoing):
    """What an owner makes of a proposal: ACCEPTED says that an import brings it, DECLINED that none will."""

    state: Literal["ACCEPTED", "DECLINED"]
    reason: Sentence | None = None


@router.post("/review/items/{attempt_id}/cases", summary="Make a golden case")
async def post_case(attempt_id: AttemptPath, body: CaseRequest, staff: Reviewer, held: WithResources) -> CaseMade:
    """Keep the question as a golden case, masked, asked as the same audience with the same facts.

    A repeat changes nothing. The evidence must stand in a text of the document it names.
    """
    attempt = known_attempt(attempt_id)
    async with held.database.transaction(staff.claims.tenant) as connection:
        asked = await _asked(connection, attempt)
        golden = case_of(attempt, asked, await _wanted(connection, body))
        is_new = await add_case(connection, acting(staff), golden, attempt_id=attempt)
        if is_new:
            await record_act(connection, acting(staff), "GOLDEN_CASE_ADDED", subject=case_subject(golden.id))
    return CaseMade(case_id=golden.id, is_new=is_new)


@router.post("/review/items/{attempt_id}/proposals", summary="Propose a text for the knowledge")
async def post_proposal(
    attempt_id: AttemptPath, body: ProposalRequest, staff: Reviewer, held: WithResources
) -> ProposalView:
    """Keep a draft document for the owners; nothing publishes it by itself. A repeat gives the same proposal."""
    attempt = known_attempt(attempt_id)
    # A long text takes a second. Whoever writes it has the customer's words before them.
    title, text = await asyncio.to_thread(lambda: (mask(body.title), mask(body.body)))
    async with held.database.transaction(staff.claims.tenant) as connection:
        asked = await _asked(connection, attempt)
        draft = ProposalDraft(
            proposal_id=held.new_id(),
            attempt_id=attempt,
            slug=body.slug,
            title=title,
            language=asked.language,
            question=asked.text,
            body=text,
        )
        return _view(await proposals.add_proposal(connection, acting(staff), draft))


@router.get("/proposals", summary="List proposals for the knowledge")
async def get_proposals(
    staff: OwnerOrReviewer,
    held: WithResources,
    state: Annotated[ProposalState | None, Query(description="Only proposals in this state")] = None,
    cursor: Annotated[
        str | None,
        Query(
            max_length=64,
            description="The `nextCursor` of the page before: the proposal it ended with",
            examples=["prp_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
        ),
    ] = None,
    limit: PageSize = 50,
) -> ProposalPage:
    """List proposals, newest first."""
    before = None if cursor is None else _place(cursor)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await proposals.list_proposals(connection, before=before, limit=limit + 1, state=state)
    items = tuple(_view(each) for each in found[:limit])
    return ProposalPage(items=items, next_cursor=items[-1].proposal_id if len(found) > limit else None)


@router.get("/proposals/{proposal_id}", summary="Read a proposal")
async def get_proposal(proposal_id: ProposalPath, staff: OwnerOrReviewer, held: WithResources) -> ProposalView:
    """Give a proposal."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        return _view(await proposals.find_proposal(connection, _known(proposal_id)))


@router.get(
    "/proposals/{proposal_id}/file",
    summary="Fetch a proposal as a file to import",
    response_class=Response,
    responses={200: {"content": {_MARKDOWN: {}}, "description": "Markdown with front matter"}},
)
async def get_file(proposal_id: ProposalPath, staff: OwnerOrReviewer, held: WithResources) -> Response:
    """Give a proposal as Markdown with front matter. Its audience is `public` until an owner writes another."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        proposal = await proposals.find_proposal(connection, _known(proposal_id))
    return Response(as_markdown(proposal), media_type=_MARKDOWN)


@router.post("/proposals/{proposal_id}/decision", summary="Accept or decline a proposal")
async def post_decision(
    proposal_id: ProposalPath, body: ProposalDecision, staff: Owner, held: WithResources
) -> ProposalView:
    """Say what became of a proposal. A repeat changes nothing; another decision is refused."""
    decision: Decision = body.state
    reason = None if body.reason is None else await asyncio.to_thread(mask, body.reason)
    async with held.database.transaction(staff.claims.tenant) as connection:
        decided = await proposals.decide(
            connection, acting(staff), _known(proposal_id), decision=decision, reason=reason
        )
    return _view(decided)


async def _asked(connection: AsyncConnection, attempt_id: UUID) -> Question:
    """Give what was asked in an attempt of the queue. Errors: ItemNotFoundError."""
    await find_item(connection, attempt_id)
    asked = await read_question(connection, attempt_id)
    if asked is None:
        raise ItemNotFoundError
    return asked


async def _wanted(connection: AsyncConnection, body: CaseRequest) -> Wanted:
    return Wanted(
        case_id=body.case_id,
        case_set=body.set,
        category=body.category,
        routes=body.routes,
        question=None if body.question is None else await asyncio.to_thread(mask, body.question),
        evidence=tuple([await _evidence(connection, each) for each in body.evidence]),
        must_include_any=body.must_include_any,
        must_not_include=body.must_not_include,
        as_of=body.as_of,
        note=body.note,
    )


async def _evidence(connection: AsyncConnection, named: CaseEvidence) -> Evidence:
    wanted = NamedEvidence(slug=named.document, label=named.revision, quote=named.quote, heading=named.heading)
    return Evidence(doc_id=named.document, version=named.revision, quote=await quote_of(connection, wanted))


def _place(cursor: str) -> UUID:
    try:
        return parsed("prp", cursor)
    except MalformedIdError as malformed:
        raise InvalidRequestError("cursor: not one of ours.") from malformed


def _known(proposal_id: str) -> UUID:
    try:
        return parsed("prp", proposal_id)
    except MalformedIdError as malformed:
        raise ProposalNotFoundError from malformed


def _view(proposal: Proposal) -> ProposalView:
    fields: dict[str, object] = {
        name: getattr(proposal, name) for name in (*ProposalDraft.__slots__, *proposal.__slots__)
    }
    ids = {"proposal_id": printed("prp", proposal.proposal_id), "attempt_id": printed("att", proposal.attempt_id)}
    return ProposalView.model_validate(fields | ids)
