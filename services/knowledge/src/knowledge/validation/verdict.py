"""The validator's decision over a whole draft: all or nothing."""

from dataclasses import dataclass
from enum import StrEnum

from contracts.reasons import Coverage, PartKind
from knowledge.retrieval.passage import Passage


class FaultCode(StrEnum):
    """What is wrong with a draft: stable, logged, never shown to a customer."""

    EMPTY_DRAFT = "EMPTY_DRAFT"
    UNKNOWN_CITATION = "UNKNOWN_CITATION"
    EMPTY_QUOTE = "EMPTY_QUOTE"
    QUOTE_TOO_SHORT = "QUOTE_TOO_SHORT"
    QUOTE_TOO_LONG = "QUOTE_TOO_LONG"
    QUOTE_NOT_VERBATIM = "QUOTE_NOT_VERBATIM"
    MISATTRIBUTED = "MISATTRIBUTED"
    DUPLICATE_CITATION = "DUPLICATE_CITATION"
    UNUSED_CITATION = "UNUSED_CITATION"
    OUT_OF_ORDER = "OUT_OF_ORDER"
    TOO_MANY_CITATIONS = "TOO_MANY_CITATIONS"
    UNCITED_CLAIM = "UNCITED_CLAIM"
    CLAIM_TOO_LONG = "CLAIM_TOO_LONG"
    TOO_MANY_STATEMENTS = "TOO_MANY_STATEMENTS"
    REPEATED_STATEMENT = "REPEATED_STATEMENT"
    UNKNOWN_TEMPLATE = "UNKNOWN_TEMPLATE"
    NOT_A_STATEMENT = "NOT_A_STATEMENT"
    UNSUPPORTED_WORDS = "UNSUPPORTED_WORDS"
    NUMBER_NOT_IN_QUOTE = "NUMBER_NOT_IN_QUOTE"
    DATE_NOT_IN_QUOTE = "DATE_NOT_IN_QUOTE"
    POLARITY_DIFFERS = "POLARITY_DIFFERS"
    MODALITY_DIFFERS = "MODALITY_DIFFERS"
    PARTY_DIFFERS = "PARTY_DIFFERS"
    OVER_PROMISE = "OVER_PROMISE"
    CONDITION_DROPPED = "CONDITION_DROPPED"
    PART_UNANSWERED = "PART_UNANSWERED"
    MARKUP_IN_TEXT = "MARKUP_IN_TEXT"
    EMPTY_STREAM = "EMPTY_STREAM"
    NO_HEAD = "NO_HEAD"
    HEAD_MALFORMED = "HEAD_MALFORMED"
    HEAD_AND_TEXT_DIFFER = "HEAD_AND_TEXT_DIFFER"
    TRAILING_TEXT = "TRAILING_TEXT"
    TRUNCATED = "TRUNCATED"
    TOOL_CALL = "TOOL_CALL"
    REPLY_TOO_LONG = "REPLY_TOO_LONG"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One reason to reject a draft. Positions are 1-based; None where the whole draft is meant."""

    code: FaultCode
    part: int | None
    citation: int | None
    detail: str
    is_undecidable: bool = False
    """Whether code only cannot tell that the quotes support the claim: a second opinion may lift it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A validated (passage, quote) pair. `quote == passage.text[start:end]`."""

    index: int
    passage: Passage
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatedPart:
    """A part that may be shown."""

    kind: PartKind
    text: str
    citations: tuple[int, ...]
    question_part: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatedAnswer:
    """An answer every sentence of which was checked."""

    parts: tuple[ValidatedPart, ...]
    citations: tuple[Citation, ...]
    coverage: Coverage

    @property
    def text(self) -> str:
        """Join the parts' texts: this is the `answer` of the API."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Either an answer without faults or the faults; never both."""

    answer: ValidatedAnswer | None
    faults: tuple[Fault, ...]
    lifted: frozenset[int] = frozenset()
    """Parts, from 1, whose doubts a second opinion lifted."""
