"""What the services tell each other through the broker: CloudEvents 1.0 with versioned payloads.

Repeat: every message has a unique id; a receiver that has seen it answers with its first result.
Source: CloudEvents 1.0 (`id` and `source` name one event; equal pairs are duplicates).
"""

from datetime import date, datetime
from typing import Final, Literal

from pydantic import Field

from contracts.model import Message
from contracts.reasons import EscalationStatus, Handoff, Language, Rating, RefusalReason

CREATE_TICKET: Final = "youju.create_ticket.v1"
TICKET_CHANGED: Final = "youju.ticket_changed.v1"
ATTEMPT_JUDGED: Final = "youju.attempt_judged.v1"
ESCALATION_REQUESTED: Final = "youju.escalation_requested.v1"
CUSTOMER_ERASED: Final = "youju.customer_erased.v1"
ACKNOWLEDGED: Final = "youju.acknowledged.v1"

TICKETING_QUEUE: Final = "ticketing"
# Orders whose handoff is required, such as a complaint or a threat of legal action, wait behind no others.
URGENT_TICKETING_QUEUE: Final = "ticketing-urgent"
# What others tell knowledge waits behind none of its imports.
KNOWLEDGE_QUEUE: Final = "knowledge-inbox"

BATCH: Final = ".batch"
# Several messages of one of these types may travel together, as CloudEvents' JSON batch format has it: a task of its own name
# whose argument is an array of envelopes. Each envelope is acknowledged by its own id all the same.
BATCHES: Final = {name: f"{name}{BATCH}" for name in (CREATE_TICKET, TICKET_CHANGED, ACKNOWLEDGED)}

OrderProblem = Literal["MALFORMED", "CONFLICT", "UNKNOWN_VERSION", "POISON"]


class TicketCitation(Message):
    """A citation as the person who takes over reads it."""

    index: int
    title: str
    section: str
    revision: str
    effective_from: date | None
    quote: str


class TicketFeedback(Message):
    """What the customer thought of the answer."""

    rating: Rating
    reason_code: str | None
    comment: str | None


class TranscriptTurn(Message):
    """One earlier question and what it came to."""

    question: str
    answer: str | None
    asked_at: datetime


class TicketContact(Message):
    """How the customer can be reached, as far as the tenant lets support know."""

    name: str | None = None
    email: str | None = None
    phone: str | None = None


class CreateTicket(Message):
    """Open one ticket for one escalation. `ticket_key` is ours, never expires, and makes repeats harmless."""

    tenant: str
    ticket_key: str
    escalation_id: str
    attempt_id: str
    conversation_id: str
    question: str
    answer: str | None
    refused: bool
    reason_code: RefusalReason | None
    refusal_reason: str | None
    handoff: Handoff
    citations: tuple[TicketCitation, ...]
    feedback: TicketFeedback | None
    lineage: tuple[str, ...]
    transcript: tuple[TranscriptTurn, ...]
    note: str | None
    language: Language
    priority: Literal["normal", "high"]
    trace_id: str
    requested_at: datetime
    contact: TicketContact | None = None


class TicketChanged(Message):
    """Where the ticket stands. `sequence` counts up per ticket: an older one is ignored.

    `solution` is what a person wrote for the customer. `problem` says why an order was not followed: it could not be read,
    or other content came under a key that has its ticket already.
    """

    tenant: str
    ticket_key: str
    escalation_id: str
    attempt_id: str
    ticket_number: str | None
    status: EscalationStatus
    sequence: int = Field(ge=1)
    changed_at: datetime
    solution: str | None = None
    problem: OrderProblem | None = None


class AttemptJudged(Message):
    """A customer judged an attempt, or corrected the judgement. Of two, the one with the later `judged_at` holds."""

    tenant: str
    attempt_id: str
    conversation_id: str
    rating: Rating
    reason_code: str | None
    comment: str | None
    is_correction: bool
    judged_at: datetime


class EscalationRequested(Message):
    """A person was asked for about an attempt: by the customer, or by a tenant's rule."""

    tenant: str
    escalation_id: str
    attempt_id: str
    conversation_id: str
    origin: Literal["customer", "rule"]
    note: str | None
    requested_at: datetime


class CustomerErased(Message):
    """Everything said in these attempts is to be forgotten: text goes, keys and states stay.

    `customer` is null where only a conversation was erased, or one grew too old.
    """

    tenant: str
    customer: str | None
    attempt_ids: tuple[str, ...]
    erased_at: datetime


class Acknowledged(Message):
    """The receiver has handled the message; only this ends its repetition."""

    message_id: str


class Envelope(Message):
    """A CloudEvents 1.0 envelope. `traceparent` is the distributed-tracing extension."""

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    type: str
    subject: str
    time: datetime
    tenant: str
    attemptid: str
    traceparent: str | None = None
    data: dict[str, object]
