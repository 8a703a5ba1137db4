"""All that a reviewer sees of an attempt: the question, how it was read, what was found, what came of it, what was said."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from contracts.answers import CitationView, Outcome
from contracts.reasons import EvidenceStrength, FailureCode, Language
from knowledge.answering.draft import Missed
from knowledge.answering.log import LoggedFault
from knowledge.retrieval.passage import Scores
from knowledge.review.item import Item, Verdict
from knowledge.review.receiving import Judgement, Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, by whom, for which day. Texts are masked, and None where the customer was erased."""

    conversation: str
    retry_of: UUID | None
    channel: str
    audience: tuple[str, ...]
    language: Language
    as_of: date
    asked_at: datetime
    text: str | None
    earlier: tuple[str, ...]
    facts: Mapping[str, str]
    typed_facts: Mapping[str, str]
    trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage:
    """A passage with its scores. What is None was removed with its version."""

    passage_id: UUID
    slug: str | None
    label: str | None
    title: str | None
    section: str | None
    text: str | None
    scores: Scores
    is_in_context: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDraft:
    """What a writer sent, and what was wrong with it."""

    writer: str
    text: str
    quotes: tuple[str, ...]
    faults: tuple[LoggedFault, ...]
    trouble: str | None
    missed: tuple[Missed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the attempt ended and by which way. Lists are empty where the customer was erased."""

    outcome: Outcome | None
    failure: FailureCode | None
    cause: str | None
    version: int | None
    route: str | None
    route_rule: str | None
    strength: EvidenceStrength | None
    read_as: tuple[str, ...]
    lacking: tuple[str, ...]
    citations: tuple[CitationView, ...]
    candidates: tuple[ShownPassage, ...]
    beyond_reach: tuple[ShownPassage, ...]
    """What a second search found without audience and time, after a refusal."""
    drafts: tuple[ShownDraft, ...]
    closed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """What a second model says of one claim; `part` is the claim's place among the parts of the answer, from 1."""

    part: int
    is_supported: bool
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """An item with everything that was logged and said of its attempt."""

    item: Item
    question: Question | None
    ending: Ending | None
    checks: tuple[CheckedClaim, ...]
    judgement: Judgement | None
    wishes: tuple[Wish, ...]
    verdicts: tuple[Verdict, ...]
