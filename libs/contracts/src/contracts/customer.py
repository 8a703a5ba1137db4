"""The bodies of the customer API: an allow-list, so that no model field can leak."""

from datetime import date, datetime
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from contracts.answers import CitationView, Part, Suggestion
from contracts.model import Outgoing
from contracts.reasons import (
    AttemptStatus,
    Coverage,
    EscalationStatus,
    FailureCode,
    FeedbackReason,
    Handoff,
    Language,
    Rating,
    RefusalReason,
)

QUESTION_MAX_CHARACTERS = 10_000
COMMENT_MAX_CHARACTERS = 500
NOTE_MAX_CHARACTERS = 2_000

# What a person can type: no control characters but tab and line ends.
_NO_CONTROLS = r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_TYPED = rf"^{_NO_CONTROLS}*$"
# At least one character that is not blank.
_SAID = rf"^{_NO_CONTROLS}*[^\s\x00-\x1f\x7f-\x9f]{_NO_CONTROLS}*$"
_FACT_MAX_CHARACTERS = 200
FactText = Annotated[str, StringConstraints(max_length=_FACT_MAX_CHARACTERS, pattern=_TYPED)]


class SessionRequest(Outgoing):
    """Ask for a guest token of a tenant's public channel."""

    tenant: str = Field(min_length=1, max_length=64)
    channel: str = Field(default="web", min_length=1, max_length=32)


class SessionToken(Outgoing):
    """A guest token bff issued."""

    token: str
    token_type: str
    expires_at: datetime


class Ask(Outgoing):
    """A question. `as_of` is never later than today; typed facts are never trusted as signed ones."""

    question: str = Field(max_length=QUESTION_MAX_CHARACTERS, pattern=_SAID)
    language: Language | None = None
    as_of: date | None = None
    facts: dict[FactText, FactText] = Field(
        default_factory=dict,
        max_length=20,
        # Pydantic describes keys by patternProperties, which alone would let any other key through.
        json_schema_extra={"additionalProperties": False, "propertyNames": {"maxLength": _FACT_MAX_CHARACTERS}},
    )


class Feedback(Outgoing):
    """A judgement of one attempt. NOT_HELPFUL carries a reason; the schema itself says so."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"rating": {"const": "NOT_HELPFUL"}}, "required": ["rating"]},
            "then": {
                "required": ["reasonCode"],
                "properties": {"reasonCode": {"$ref": "#/components/schemas/FeedbackReason"}},
            },
            "else": {"properties": {"reasonCode": {"type": "null"}}},
        },
    )

    rating: Rating
    reason_code: FeedbackReason | None = None
    comment: str | None = Field(default=None, max_length=COMMENT_MAX_CHARACTERS, pattern=_TYPED)

    @model_validator(mode="after")
    def _reason_follows_rating(self) -> Self:
        if self.rating == "NOT_HELPFUL" and self.reason_code is None:
            raise ValueError("NOT_HELPFUL needs a reasonCode")
        if self.rating == "HELPFUL" and self.reason_code is not None:
            raise ValueError("HELPFUL takes no reasonCode")
        return self


class Attempt(Outgoing):
    """One try at answering one question, as a customer may see it."""

    attempt_id: str
    conversation_id: str
    retry_of_attempt_id: str | None
    status: AttemptStatus
    question: str
    answer: str | None
    parts: tuple[Part, ...]
    coverage: Coverage | None
    citations: tuple[CitationView, ...]
    refused: bool
    reason_code: RefusalReason | None
    refusal_reason: str | None
    missing_facts: tuple[str, ...]
    handoff: Handoff
    suggestions: tuple[Suggestion, ...]
    failure_code: FailureCode | None
    retryable: bool
    knowledge_version: int | None
    as_of: date
    language: Language
    trace_id: str
    feedback: Feedback | None
    created_at: datetime
    completed_at: datetime | None


class EscalationRequest(Outgoing):
    """Ask for a person."""

    note: str | None = Field(default=None, max_length=NOTE_MAX_CHARACTERS, pattern=_TYPED)


class Escalation(Outgoing):
    """Where the wish for a person stands. `solution` is what a person wrote for the customer."""

    escalation_id: str
    attempt_id: str
    status: EscalationStatus
    ticket_number: str | None
    solution: str | None
    created_at: datetime


class Conversation(Outgoing):
    """A conversation with all its attempts exactly as they were streamed."""

    conversation_id: str
    attempts: tuple[Attempt, ...]
    escalation: Escalation | None


class Problem(Outgoing):
    """An RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None
    code: str
    attempt_id: str | None
    trace_id: str | None
    ticket_number: str | None = None
    errors: tuple[dict[str, Any], ...] = ()  # field errors of a 400: location and message, shapes vary by rule
