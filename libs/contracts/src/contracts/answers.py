"""What a validated answer looks like from outside knowledge: parts, citations, refusal, next step."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from contracts import fields
from contracts.model import Message, Outgoing
from contracts.reasons import AttemptStatus, FailureCode, Language


class CitationView(Outgoing):
    """One (passage, quote) pair, numbered by first use. Everything but the quote comes from our records."""

    index: fields.CitationIndex
    title: fields.Title
    section: fields.Section
    revision: fields.Revision
    effective_from: fields.EffectiveFrom
    effective_to: fields.EffectiveTo
    updated_at: fields.UpdatedAt
    quote: fields.Quote
    detail_url: str = Field(
        description="Where the whole passage is read: a path of this API, with the same token",
        max_length=2_000,
        examples=["/v1/conversations/cnv_…/attempts/att_…/citations/1"],
    )
    source_url: fields.SourceUrl


class Part(Outgoing):
    """A piece of a validated answer: a claim, our own lead-in, or a question part without evidence."""

    kind: fields.Kind
    text: fields.PartText
    citations: fields.CitationIndexes
    question_part: str | None = Field(
        description="The part of the question that it answers; null for our own lead-in",
        max_length=10_000,
        examples=["运费谁承担？"],
    )


class Suggestion(Outgoing):
    """A next question the customer may ask with one tap."""

    label: str = Field(description="What to write on the button", max_length=10_000, examples=["已发货"])
    question: str = Field(
        description="The question to ask when it is tapped", max_length=10_000, examples=["已发货的订单能改地址吗？"]
    )
    facts: dict[fields.FactName, Annotated[str, Field(max_length=10_000)]] = Field(
        description="The `facts` to ask it with", max_length=100, examples=[{"orderStatus": "shipped"}]
    )


class Outcome(Outgoing):
    """How an attempt completed. `coverage` is none exactly when `refused`."""

    answer: fields.AnswerText
    parts: tuple[Part, ...] = Field(description="The answer piece by piece, in order", max_length=1_000)
    coverage: fields.CoverageShare
    refused: fields.IsRefused
    refusal_reason: fields.RefusalSentence
    reason_code: fields.ReasonCode
    missing_facts: fields.MissingFacts
    handoff: fields.NextStep
    suggestions: tuple[Suggestion, ...] = Field(description="Next questions to offer", max_length=100)


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

    index: fields.CitationIndex
    title: fields.Title
    section: fields.Section
    heading_path: tuple[Annotated[str, Field(max_length=10_000)], ...] = Field(
        description="The headings above the passage, outermost first", max_length=100, examples=[["退货", "运费"]]
    )
    revision: fields.Revision
    effective_from: fields.EffectiveFrom
    effective_to: fields.EffectiveTo
    updated_at: fields.UpdatedAt
    passage: str = Field(
        description="The whole passage as the document says it",
        max_length=100_000,
        examples=["说明：无理由退货的运费由买家承担。"],
    )
    quote: fields.Quote
    quote_start: int = Field(
        description="Where the quote begins in `passage`, in Unicode code points from 0", ge=0, le=100_000, examples=[3]
    )
    quote_end: int = Field(
        description="Where it ends, in code points: the first one after it", ge=0, le=100_000, examples=[16]
    )
    source_url: fields.SourceUrl
    replaced_by: str | None = Field(
        description="The label of the revision that is in force instead; null while this one is",
        max_length=10_000,
        examples=["2026-12"],
    )
    withdrawn_at: datetime | None = Field(
        description="When the revision was withdrawn, UTC; null when it was not", examples=["2026-11-30T08:00:00Z"]
    )


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
