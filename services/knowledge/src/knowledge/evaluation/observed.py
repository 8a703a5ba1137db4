"""Describe what the system did with a question, as a customer could see it."""

from dataclasses import dataclass

from contracts.reasons import Handoff, PartKind, RefusalReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPassage:
    """A passage that a search found."""

    document: str
    revision: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedCitation:
    """A citation with the passage behind it. `passage` is None when its detail could not be read.

    `document` is the slug, which only staff see.
    """

    index: int
    title: str
    revision: str
    quote: str
    passage: str | None
    document: str = ""


@dataclass(frozen=True, slots=True)
class ObservedPart:
    """A part of an answer, with the numbers of the citations it leans on."""

    kind: PartKind
    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One attempt from outside. `failure` is the code of a technical fault; then nothing else is meant.

    `searches` holds what was found for every part of the question, best first: seen only from inside.
    """

    failure: str | None
    refused: bool
    reason: RefusalReason | None
    handoff: Handoff
    answer: str
    parts: tuple[ObservedPart, ...]
    citations: tuple[ObservedCitation, ...]
    seconds: float
    searches: tuple[tuple[ObservedPassage, ...], ...] = ()

    @property
    def answered(self) -> bool:
        """Tell whether the customer got an answer."""
        return self.failure is None and not self.refused

    @property
    def routes(self) -> frozenset[str]:
        """Name what happened in the words of golden routes; a refusal that demands a person is also an escalation."""
        if self.failure is not None:
            return frozenset({f"failed:{self.failure}"})
        if not self.refused:
            return frozenset({"answer"})
        refusal = f"refuse:{self.reason}"
        return frozenset({refusal, "escalate"} if self.handoff == "required" else {refusal})
