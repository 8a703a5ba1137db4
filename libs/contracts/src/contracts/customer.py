"""The bodies of the customer API: an allow-list, so that no model field can leak."""

from datetime import date, datetime
from typing import Annotated, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from contracts import fields
from contracts.answers import CitationView, Part, Suggestion
from contracts.model import Outgoing
from contracts.reasons import (
    EscalationStatus,
    FeedbackReason,
    Language,
    Rating,
)
from contracts.typed import SAID, TYPED

QUESTION_MAX_CHARACTERS = 10_000
COMMENT_MAX_CHARACTERS = 500
NOTE_MAX_CHARACTERS = 2_000

_FACT_MAX_CHARACTERS = 200
FactText = Annotated[str, StringConstraints(max_length=_FACT_MAX_CHARACTERS, pattern=TYPED)]


class SessionRequest(Outgoing):
    """Ask for a guest token of a tenant's public channel."""

    tenant: str = Field(description="Whose policies answer", min_length=1, max_length=64, examples=["demo"])
    channel: str = Field(
        default="web", description="Where it is asked, for counting", min_length=1, max_length=32, examples=["web"]
    )


class SessionToken(Outgoing):
    """A guest token bff issued."""

    token: str = Field(
        description="What to send as `Authorization: Bearer`; opaque",
        max_length=10_000,
        examples=["eyJhbGciOiJFZERTQSJ9…"],
    )
    token_type: str = Field(description="How to send it", max_length=32, examples=["Bearer"])
    expires_at: datetime = Field(
        description="When it ends, UTC; open another session before then", examples=["2026-11-30T20:00:00Z"]
    )


class StreamToken(Outgoing):
    """A word for readers that cannot send a header: it opens the events of one attempt and nothing else."""

    token: str = Field(
        max_length=2048,
        description="What `streamToken` in the address of the events wants",
        examples=["eyJhbGciOiJFZERTQSJ9…"],
    )
    expires_at: datetime = Field(
        description="Until when a stream can be opened with it, UTC; an open one goes on",
        examples=["2026-11-30T08:01:00Z"],
    )


class Ask(Outgoing):
    """A question. `as_of` is never later than today; typed facts are never trusted as signed ones."""

    question: str = Field(
        description="What the customer asks, in code points",
        max_length=QUESTION_MAX_CHARACTERS,
        pattern=SAID,
        examples=["能退吗，运费谁承担？"],
    )
    language: Language | None = Field(
        default=None, description="The language to answer in; null: the question's own", examples=["zh"]
    )
    as_of: date | None = Field(
        default=None, description="The day whose rules are asked about; null: today", examples=["2026-11-30"]
    )
    facts: dict[FactText, FactText] = Field(
        default_factory=dict,
        description="What the customer said about the case, by name",
        examples=[{"orderStatus": "shipped"}],
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

    rating: Rating = Field(description="Whether the answer helped")
    reason_code: FeedbackReason | None = Field(
        default=None, description="Why it did not: with NOT_HELPFUL required, with HELPFUL null"
    )
    comment: str | None = Field(
        default=None,
        description="What the customer adds, in code points",
        max_length=COMMENT_MAX_CHARACTERS,
        pattern=TYPED,
        examples=["没说信用卡"],
    )

    @model_validator(mode="after")
    def _reason_follows_rating(self) -> Self:
        if self.rating == "NOT_HELPFUL" and self.reason_code is None:
            raise ValueError("NOT_HELPFUL needs a reasonCode")
        if self.rating == "HELPFUL" and self.reason_code is not None:
            raise ValueError("HELPFUL takes no reasonCode")
        return self


class Attempt(Outgoing):
    """One try at answering one question, as a customer may see it."""

    attempt_id: fields.AttemptId
    conversation_id: fields.ConversationId
    retry_of_attempt_id: fields.RetryOf
    status: fields.Status
    question: str = Field(
        description="What was asked", max_length=QUESTION_MAX_CHARACTERS, examples=["能退吗，运费谁承担？"]
    )
    answer: fields.AnswerText | None = Field(description="The whole text to show; null unless COMPLETED")
    parts: tuple[Part, ...] = Field(description="The answer piece by piece; empty unless COMPLETED", max_length=1_000)
    coverage: fields.CoverageShare | None = Field(
        description="How much is answered, `none` exactly when refused; null unless COMPLETED"
    )
    citations: tuple[CitationView, ...] = Field(
        description="What the parts cite, by `index`; empty unless COMPLETED", max_length=1_000
    )
    refused: fields.IsRefused
    reason_code: fields.ReasonCode
    refusal_reason: fields.RefusalSentence
    missing_facts: fields.MissingFacts
    handoff: fields.NextStep
    suggestions: tuple[Suggestion, ...] = Field(description="Next questions to offer", max_length=100)
    failure_code: fields.Code | None = Field(description="Why it failed, stable for ever; null unless FAILED")
    retryable: fields.Retryable
    knowledge_version: fields.KnowledgeVersion
    as_of: fields.AsOf
    language: fields.AnswerLanguage
    trace_id: fields.TraceId
    feedback: Feedback | None = Field(description="What the customer thinks of it; null until judged")
    created_at: fields.CreatedAt
    completed_at: datetime | None = Field(
        description="When it ended, UTC; null while PENDING", examples=["2026-11-30T08:00:01Z"]
    )


class EscalationRequest(Outgoing):
    """Ask for a person."""

    note: str | None = Field(
        default=None,
        description="What the person should know, in code points",
        max_length=NOTE_MAX_CHARACTERS,
        pattern=TYPED,
        examples=["请在下午打电话"],
    )


class Escalation(Outgoing):
    """Where the wish for a person stands. `solution` is what a person wrote for the customer."""

    escalation_id: str = Field(
        description="The escalation: `esc_` and 32 hexadecimal digits",
        max_length=64,
        examples=["esc_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    )
    attempt_id: fields.AttemptId
    status: EscalationStatus = Field(description="REQUESTED, then how far support is; DELAYED: it takes longer")
    ticket_number: fields.TicketNumber
    solution: str | None = Field(
        description="What a person wrote for the customer; null until SOLVED, and may stay so",
        max_length=100_000,
        examples=["我们已为您补发。"],
    )
    created_at: fields.CreatedAt


class Conversation(Outgoing):
    """A conversation with all its attempts exactly as they were streamed."""

    conversation_id: fields.ConversationId
    attempts: tuple[Attempt, ...] = Field(description="All attempts, the oldest first", max_length=10_000)
    escalation: Escalation | None = Field(description="The newest wish for a person; null when there was none")


class FieldError(Outgoing):
    """What is wrong with one field of a request."""

    field: str = Field(description="Where it is", max_length=10_000, examples=["body.question"])
    message: str = Field(description="What is wrong with it", max_length=10_000, examples=["Field required"])


class Problem(Outgoing):
    """An RFC 9457 problem document."""

    type: str = Field(description="The code as a URN", max_length=200, examples=["urn:youju:problem:attempt-pending"])
    title: str = Field(description="The phrase of the status", max_length=200, examples=["Conflict"])
    status: int = Field(description="The HTTP status again", ge=100, le=599, examples=[409])
    detail: str = Field(
        description="A sentence for a person", max_length=10_000, examples=["This attempt has not ended yet."]
    )
    instance: str | None = Field(
        description="The path that was called; null before it is known",
        max_length=10_000,
        examples=["/v1/conversations/cnv_…"],
    )
    code: str = Field(
        description="What went wrong, stable for ever; the list grows", max_length=64, examples=["ATTEMPT_PENDING"]
    )
    attempt_id: str | None = Field(
        description="The attempt it is about; null when there is none", max_length=10_000, examples=["att_…"]
    )
    trace_id: str | None = Field(
        description="Names this request in our logs; tell it to support",
        max_length=64,
        examples=["0af7651916cd43dd8448eb211c80319c"],
    )
    ticket_number: str | None = Field(
        default=None,
        description="The ticket of the person who has the conversation; null otherwise",
        max_length=200,
        examples=["T-1042"],
    )
    errors: tuple[FieldError, ...] = Field(
        default=(), description="With INVALID_REQUEST, each field that is wrong", max_length=10_000
    )
