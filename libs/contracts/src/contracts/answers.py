"""What a validated answer looks like from outside knowledge: parts, citations, refusal, next step."""

from datetime import date, datetime

from pydantic import Field

from contracts.model import Message, Outgoing
from contracts.reasons import AttemptStatus, Coverage, FailureCode, Handoff, Language, PartKind, RefusalReason


class CitationView(Outgoing):
    """One (passage, quote) pair, numbered by first use. Everything but the quote comes from our records."""

    index: int = Field(ge=1)
    title: str
    section: str
    revision: str
    effective_from: date | None
    effective_to: date | None
    updated_at: datetime
    quote: str = Field(min_length=1, max_length=600)
    detail_url: str
    source_url: str | None


class Part(Outgoing):
    """A piece of a validated answer: a claim, our own lead-in, or a question part without evidence."""

    kind: PartKind
    text: str
    citations: tuple[int, ...]
    question_part: str | None


class Suggestion(Outgoing):
    """A next question the customer may ask with one tap."""

    label: str
    question: str
    facts: dict[str, str]


class Outcome(Outgoing):
    """How an attempt completed. `coverage` is none exactly when `refused`."""

    answer: str
    parts: tuple[Part, ...]
    coverage: Coverage
    refused: bool
    refusal_reason: str | None
    reason_code: RefusalReason | None
    missing_facts: tuple[str, ...]
    handoff: Handoff
    suggestions: tuple[Suggestion, ...]


class EarlierTurn(Message):
    """A question of the same conversation that came before, for reading follow-ups."""

    question: str
    answered: bool


class AnswerRequest(Message):
    """What bff asks knowledge. Tenant, segments and actor travel in the service token, not here."""

    attempt_id: str
    conversation_id: str
    retry_of_attempt_id: str | None = None
    question: str
    language: Language
    as_of: date
    asked_at: datetime
    facts: dict[str, str] = Field(default_factory=dict, description="Facts from a signed token: they count")
    typed_facts: dict[str, str] = Field(default_factory=dict, description="Facts the customer typed: never trusted")
    earlier_turns: tuple[EarlierTurn, ...] = ()
    channel: str = "web"


class CitedPassage(Outgoing):
    """The whole cited passage, with the place of the quote in it and of the passage in its revision."""

    index: int
    title: str
    section: str
    heading_path: tuple[str, ...]
    revision: str
    effective_from: date | None
    effective_to: date | None
    updated_at: datetime
    passage: str
    quote: str
    quote_start: int
    quote_end: int
    source_url: str | None
    replaced_by: str | None
    withdrawn_at: datetime | None


class LoggedAnswer(Message):
    """What the answer log of knowledge says of an attempt: bff reads it when its own process died under the question."""

    attempt_id: str
    status: AttemptStatus
    outcome: Outcome | None
    citations: tuple[CitationView, ...]
    failure_code: FailureCode | None
    knowledge_version: int | None
    documents: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
