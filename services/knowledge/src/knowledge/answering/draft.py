"""What a writer produced: not yet trusted, whoever wrote it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Literal, Protocol, runtime_checkable

from contracts.errors import TryAgainError
from contracts.reasons import Language, RefusalReason
from knowledge.retrieval.passage import Found, PolicyContext
from knowledge.versions.routing_policy import Bounds


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A handle of the brief and a quote the writer claims to stand in that passage."""

    handle: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPart:
    """A claim with the citations it leans on (1-based positions in the draft's list), or one of our templates.

    A writer may only produce templates whose text is in our catalogue; the validator checks that.
    """

    kind: Literal["statement", "template", "not_covered"]
    text: str
    citations: tuple[int, ...]
    question_part: str | None


def repeats(part: DraftPart, other: DraftPart) -> bool:
    """Tell whether two parts answer the same with the same words, whatever space stands around them."""
    return (part.kind, part.question_part) == (other.kind, other.question_part) and _bare(part) == _bare(other)


def _bare(part: DraftPart) -> str:
    return " ".join(part.text.split())


class DeviationCode(StrEnum):
    """How a writer's reply may depart from the form agreed with it. The validator has a fault of each name."""

    EMPTY_STREAM = "EMPTY_STREAM"
    NO_HEAD = "NO_HEAD"
    HEAD_MALFORMED = "HEAD_MALFORMED"
    HEAD_AND_TEXT_DIFFER = "HEAD_AND_TEXT_DIFFER"
    TRAILING_TEXT = "TRAILING_TEXT"
    TRUNCATED = "TRUNCATED"
    TOOL_CALL = "TOOL_CALL"
    REPLY_TOO_LONG = "REPLY_TOO_LONG"
    TOO_MANY_STATEMENTS = "TOO_MANY_STATEMENTS"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One departure from the agreed form, with a sentence that tells the writer how to mend it."""

    code: DeviationCode
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A writer's whole proposal. A refusal has no parts; an answer has no reason."""

    refusal: RefusalReason | None
    missing_facts: tuple[str, ...]
    citations: tuple[DraftCitation, ...]
    parts: tuple[DraftPart, ...]
    raw: str
    """The text as the writer sent it, for the answer log."""
    deviations: tuple[Deviation, ...] = field(default=())
    """Where the reply departs from the agreed form; any of them rejects the draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEvidence:
    """What the gate lets one question part be answered from; nothing when the part is not covered."""

    question_part: str
    searched: str
    """The part with what is needed to understand it: what was searched and what sentences are chosen by."""
    found: tuple[Found, ...]
    """Passages of the context, best first, with the scores and sentence similarities of this part's own search."""
    conditional: bool
    """The customer typed, and nobody signed, a fact that the rule depends on: the answer says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """All a writer may see: the question, its parts, and passages under opaque handles minted for this attempt."""

    question: str
    question_parts: tuple[str, ...]
    language: Language
    context: PolicyContext
    handles: tuple[str, ...]
    """One handle per passage of the context, in its order; unguessable, so that it cannot be taken for a position."""
    evidence: tuple[PartEvidence, ...] = field(default=())
    """One entry per question part, in their order."""
    earlier: tuple[str, ...] = field(default=())
    """The masked questions of the conversation that a follow-up was read together with, in their order, cut to a bound."""
    bounds: Bounds = field(default=Bounds())
    """What the validator will hold the draft to."""
    faults_to_mend: tuple[str, ...] = field(default=())
    seconds_left: float | None = field(default=None)
    """How long the ladder waits for this draft; a writer that ends before it can still say what it cost."""
    cut_off: "Callable[[Usage], None]" = field(default=lambda _: None, compare=False)
    """Takes what a writer had used when it was ended from outside, before the cancellation goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a draft cost."""

    model: str | None
    input_tokens: int
    output_tokens: int
    finish_reason: str | None
    prompt_version: str | None
    cost: Decimal | None = field(default=None)
    """In the currency of the installation's price table; None when nobody named a price."""


def together(calls: Sequence[Usage]) -> Usage:
    """Add up what calls used; what is not a number is the last one's. Shapes: at least one call."""
    costs = [usage.cost for usage in calls]
    known = [cost for cost in costs if cost is not None]
    return replace(
        calls[-1],
        input_tokens=sum(usage.input_tokens for usage in calls),
        output_tokens=sum(usage.output_tokens for usage in calls),
        cost=sum(known, Decimal(0)) if len(known) == len(costs) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A model that was asked for a draft and gave no whole reply."""

    model: str
    trouble: str
    """A stable word."""
    usage: Usage | None
    """What it used all the same; part of the draft's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A draft with its price, and who was asked for it in vain before."""

    draft: Draft
    usage: Usage
    missed: tuple[Missed, ...] = ()


class WriterTroubleError(TryAgainError):
    """The writer was in trouble before its draft was whole."""

    code = "WRITER_TROUBLE"

    def __init__(
        self, what: str, *, raw: str = "", usage: Usage | None = None, missed: tuple[Missed, ...] = ()
    ) -> None:
        """Name the trouble by a stable word, with what had arrived, what it cost and whose it was."""
        super().__init__()
        self.what = what
        self.raw = raw
        self.usage = usage
        self.missed = missed


class Writer(Protocol):
    """Decides wording and nothing else."""

    @property
    def name(self) -> str:
        """Say which writer this is, as the answer log records it."""
        ...

    async def write(self, brief: Brief) -> Written:
        """Propose a draft.

        Errors: contracts.errors.TryAgainError or GiveUpError when the writer itself is in trouble.
        """
        ...


Hear = Callable[[Draft], Awaitable[None]]
"""Takes what a draft holds so far, each time it has grown by a sentence."""


@runtime_checkable
class LiveWriter(Protocol):
    """A writer that can be heard while it writes."""

    async def write_live(self, brief: Brief, *, hear: Hear) -> Written:
        """Propose a draft, and let what it holds so far be heard. Errors: as `Writer.write`, and those of `hear`."""
        ...
