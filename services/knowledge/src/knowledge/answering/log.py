"""What the answer log keeps of an attempt: enough to trace, replay and dispute it. Nothing of it is ever changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol
from uuid import UUID

from contracts.answers import CitationView, Outcome
from contracts.errors import YoujuError
from contracts.reasons import EvidenceStrength, FailureCode, Language, RefusalCause, RefusalReason
from knowledge.answering.draft import Draft, Missed, Usage, together
from knowledge.retrieval.passage import Candidate


@dataclass(frozen=True, slots=True)
class Original:
    """A question as it was typed, encrypted under a key of its own, which an installation key wraps."""

    key_id: str
    """Names the installation key."""
    wrapped_key: bytes
    ciphertext: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with all that decides about its answer besides the knowledge."""

    tenant: str
    attempt_id: UUID
    conversation_id: str
    retry_of: UUID | None
    segments: tuple[str, ...]
    masked_question: str
    """The question with personal data masked: all that is searched, written about and logged."""
    language: Language
    as_of: date
    today: date
    asked_at: datetime
    facts: Mapping[str, str]
    typed_facts: Mapping[str, str]
    earlier_questions: tuple[str, ...]
    channel: str
    trace_id: str
    original: Original | None = None
    """None where the installation has no key for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedFault:
    """One reason a draft was rejected."""

    code: str
    part: int | None
    citation: int | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedDraft:
    """One draft a writer sent, with what it claimed to cite and what was wrong; or the trouble instead of a draft."""

    writer: str
    raw: str
    claimed: tuple[tuple[UUID | None, str], ...]
    """Passage and quote of each citation; None for a handle that names no passage."""
    faults: tuple[LoggedFault, ...]
    trouble: str | None
    usage: Usage | None
    draft: Draft | None = None
    """The draft as it was judged, so that it can be judged again; None for trouble."""
    lifted: tuple[int, ...] = ()
    """Parts, from 1, whose doubts a second opinion lifted."""
    missed: tuple[Missed, ...] = ()
    """Models that were asked for this draft in vain, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCitation:
    """A citation as it was shown, and the place it was taken from."""

    view: CitationView
    passage_id: UUID
    start: int
    end: int
    document: str | None = None
    """The slug of the document it comes from."""
    area: str | None = None


Cause = RefusalCause | RefusalReason
"""What lies behind a refusal; or the reason for which an answer was taken back that could not be refused any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """How an attempt ended: exactly one of `outcome` and `failure` is set."""

    outcome: Outcome | None
    failure: FailureCode | None
    citations: tuple[LoggedCitation, ...]
    cause: Cause | None
    version: int | None
    routing_policy: str | None
    calibration: Mapping[str, float]
    route: RefusalReason | None
    route_rule: str | None
    strength: EvidenceStrength | None
    read_as: tuple[str, ...]
    """How each question part was understood when it was searched."""
    lacking: tuple[str, ...]
    context: tuple[UUID, ...]
    candidates: tuple[Candidate, ...]
    drafts: tuple[LoggedDraft, ...]
    stage_milliseconds: Mapping[str, float]
    closed_at: datetime
    opinions: tuple[Usage, ...] = ()
    """What second opinions on its drafts used."""

    @property
    def released(self) -> LoggedDraft | None:
        """Give the draft that became the answer; None for a refusal or failure."""
        if self.outcome is None or self.outcome.refused or not self.drafts:
            return None
        return self.drafts[-1]

    @property
    def spent(self) -> Usage | None:
        """Add up what every try and every second opinion used; None when nothing was written."""
        used = [*self.opinions, *(draft.usage for draft in self.drafts if draft.usage is not None)]
        return together(used) if used else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What a reader of the log gets: the attempt as its customer was told, and the price.

    Neither `outcome` nor `failure` means that it is still running.
    """

    version: int | None
    as_of: date
    language: Language
    trace_id: str
    outcome: Outcome | None
    failure: FailureCode | None
    citations: tuple[LoggedCitation, ...]
    writer: str | None
    usage: Usage | None

    @property
    def is_open(self) -> bool:
        """Tell whether the attempt is still running."""
        return self.outcome is None and self.failure is None

    @property
    def documents(self) -> tuple[str, ...]:
        """Name the documents that are cited, each once, by first use."""
        return tuple(dict.fromkeys(each.document for each in self.citations if each.document is not None))

    @property
    def areas(self) -> tuple[str, ...]:
        """Name the areas of the documents that are cited, each once, by first use."""
        return tuple(dict.fromkeys(each.area for each in self.citations if each.area is not None))


def read_cause(text: str) -> Cause:
    """Read a cause as it stands in the log."""
    return RefusalReason(text) if text in RefusalReason.__members__ else RefusalCause(text)


def abandoned(at: datetime) -> Closing:
    """Give the end of an attempt that nobody runs any more."""
    return Closing(
        outcome=None,
        failure=FailureCode.ABANDONED,
        citations=(),
        cause=None,
        version=None,
        routing_policy=None,
        calibration={},
        route=None,
        route_rule=None,
        strength=None,
        read_as=(),
        lacking=(),
        context=(),
        candidates=(),
        drafts=(),
        stage_milliseconds={},
        closed_at=at,
    )


def as_logged(asked: Asked, closing: Closing) -> Logged:
    """Give a closed attempt as a reader of the log would find it."""
    released = closing.released
    return Logged(
        version=closing.version,
        as_of=asked.as_of,
        language=asked.language,
        trace_id=asked.trace_id,
        outcome=closing.outcome,
        failure=closing.failure,
        citations=closing.citations,
        writer=released.writer if released else None,
        usage=closing.spent if released else None,
    )


class ClosedBeforeError(YoujuError):
    """The attempt has an end already, and that end is the one to tell."""

    code = "CLOSED_BEFORE"


class AnswerLog(Protocol):
    """Keeps attempts. Every method is one transaction of its own."""

    async def open(self, asked: Asked) -> bool:
        """Insert the opening row. Repeat: False when the attempt is already there, whoever runs it."""
        ...

    async def close(self, asked: Asked, closing: Closing) -> None:
        """Insert the closing row. Errors: ClosedBeforeError for a second closing, which changes nothing."""
        ...

    async def find(self, tenant: str, attempt_id: UUID) -> Logged | None:
        """Give the attempt as far as it came; None when it was never opened."""
        ...

    async def note_cause(self, asked: Asked, cause: RefusalCause, candidates: tuple[Candidate, ...]) -> None:
        """Add what lay behind a refusal. Repeat: a second note changes nothing."""
        ...
