"""Hold what an attempt is while it runs and after it is closed."""

from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from bff.stream.numbered import NumberedEvent
from contracts.answers import CitationView, Outcome
from contracts.messages import TicketContact
from contracts.reasons import AttemptStatus, FailureCode, Handoff, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKey:
    """The POST that made a row: the same key with the same content is the same request."""

    route: str
    key: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAttempt:
    """An attempt about to be opened. Business now, language and date are fixed here, once."""

    attempt_id: UUID
    tenant: str
    customer: str
    channel: str
    conversation_id: UUID
    retry_of_attempt_id: UUID | None
    lineage_id: UUID
    question: str
    language: Language
    as_of: date
    asked_at: datetime
    segments: tuple[str, ...]
    facts: dict[str, str]
    typed_facts: dict[str, str]
    trace_id: str
    lease_holder: UUID
    request: RequestKey | None
    contact: TicketContact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at answering one question. `outcome` is there exactly when COMPLETED, `events` when closed."""

    attempt_id: UUID
    tenant: str
    customer: str
    channel: str
    conversation_id: UUID
    retry_of_attempt_id: UUID | None
    lineage_id: UUID
    status: AttemptStatus
    question: str
    language: Language
    as_of: date
    asked_at: datetime
    segments: tuple[str, ...]
    facts: dict[str, str]
    typed_facts: dict[str, str]
    trace_id: str
    knowledge_version: int | None
    outcome: Outcome | None
    citations: tuple[CitationView, ...]
    areas: tuple[str, ...] = ()
    events: tuple[NumberedEvent, ...] | None
    failure_code: FailureCode | None
    handoff: Handoff
    request_hash: str | None
    created_at: datetime
    completed_at: datetime | None
    contact: TicketContact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An earlier attempt of the same conversation, as far as it matters to a later one."""

    question: str
    refused: bool
    failure_code: FailureCode | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """What knowledge answered, in the form our customers see."""

    outcome: Outcome
    citations: tuple[CitationView, ...]
    knowledge_version: int | None
    documents: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    """Documents and areas the citations come from: for lists and counts of staff, never for customers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A technical fault: never an answer, never a refusal."""

    code: FailureCode
    retryable: bool
    handoff: Handoff = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Everything a runner needs for one attempt. `history` is newest first."""

    attempt: Attempt
    lease_holder: UUID
    history: tuple[Turn, ...] = field(default=())
