"""The bodies of the customer API as a client reads them: fields and values of a newer server are borne.

What they mean stands in `customer-bff-v1.yaml`; closed lists are plain text here, because they may grow.
"""

from datetime import date, datetime

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Body(BaseModel):
    """A body with camelCase names that leaves out what it does not know."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        hide_input_in_errors=True,
    )


class SessionToken(Body):
    """A guest's token."""

    token: str
    token_type: str
    expires_at: datetime


class CitationView(Body):
    """A citation: where a quote stands, and the quote itself."""

    index: int
    title: str
    section: str
    revision: str
    effective_from: date | None
    effective_to: date | None
    updated_at: datetime
    quote: str
    detail_url: str
    source_url: str | None


class CitedPassage(Body):
    """The whole cited passage; the quote's place in it counts code points, as Python's own slices do."""

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


class Part(Body):
    """A piece of an answer."""

    kind: str
    text: str
    citations: tuple[int, ...]
    question_part: str | None


class Suggestion(Body):
    """A next question to offer."""

    label: str
    question: str
    facts: dict[str, str]


class Outcome(Body):
    """How an attempt completed: an answer, or a refusal when `refused`."""

    answer: str
    parts: tuple[Part, ...]
    coverage: str
    refused: bool
    refusal_reason: str | None
    reason_code: str | None
    missing_facts: tuple[str, ...]
    handoff: str
    suggestions: tuple[Suggestion, ...]


class Feedback(Body):
    """A judgement of one attempt; NOT_HELPFUL needs a reason."""

    rating: str
    reason_code: str | None = None
    comment: str | None = None


class Attempt(Body):
    """One try at answering one question."""

    attempt_id: str
    conversation_id: str
    retry_of_attempt_id: str | None
    status: str
    question: str
    answer: str | None
    parts: tuple[Part, ...]
    coverage: str | None
    citations: tuple[CitationView, ...]
    refused: bool
    reason_code: str | None
    refusal_reason: str | None
    missing_facts: tuple[str, ...]
    handoff: str
    suggestions: tuple[Suggestion, ...]
    failure_code: str | None
    retryable: bool
    knowledge_version: int | None
    as_of: date
    language: str
    trace_id: str
    feedback: Feedback | None
    created_at: datetime
    completed_at: datetime | None


class Escalation(Body):
    """Where the wish for a person stands."""

    escalation_id: str
    attempt_id: str
    status: str
    ticket_number: str | None
    solution: str | None
    created_at: datetime


class Conversation(Body):
    """A conversation with all its attempts."""

    conversation_id: str
    attempts: tuple[Attempt, ...]
    escalation: Escalation | None


class FieldError(Body):
    """What is wrong with one field of a request."""

    field: str
    message: str


class Problem(Body):
    """A problem document; treat an unknown `code` by its status."""

    type: str = "about:blank"
    title: str = ""
    status: int
    detail: str = ""
    instance: str | None = None
    code: str
    attempt_id: str | None = None
    trace_id: str | None = None
    ticket_number: str | None = None
    errors: tuple[FieldError, ...] = ()
