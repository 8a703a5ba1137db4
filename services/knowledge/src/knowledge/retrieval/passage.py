"""What was found, why, and how strongly: the types that answering and validation build on."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from contracts.reasons import Language
from knowledge.versions.conflicts import KnownConflict

Decision = Literal["rule", "human"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence, list item or table row of a passage, by its place in the passage's text."""

    start: int
    end: int
    similarity: float
    """Cosine of sentence and question, -1 to 1; 0 when no sentence vector is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One stretch of one revision under one heading path. Titles, labels and dates come from our records."""

    passage_id: UUID
    document: str
    title: str
    heading_path: tuple[str, ...]
    revision: str
    effective_from: date | None
    effective_to: date | None
    updated_at: datetime
    language: Language
    priority: int
    text: str
    applies_to: str | None
    """What limits the passage, a statement a line: first what the record says, then what the text says itself."""
    requires_facts: tuple[str, ...]
    decision: Decision
    source_url: str | None
    sentences: tuple[Sentence, ...]
    page: int | None = None
    """The page of a PDF on which the passage begins, from 1."""
    line: int = 1
    """The line of the revision's normal form on which the passage begins, from 1."""
    area: str | None = None
    """The field of business its document belongs to, as our records say."""
    audience: tuple[str, ...] = ()
    """The segments whose customers may read it; nothing where nobody asks."""

    def sentence_text(self, sentence: Sentence) -> str:
        """Slice a sentence out of the passage, verbatim."""
        return self.text[sentence.start : sentence.end]

    @property
    def section(self) -> str:
        """Print the heading path the way a customer reads it."""
        return " > ".join(self.heading_path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """How a passage was found. `bm25_share` is BM25 over its maximum for this question (0 to 1), guessed words left out."""

    bm25: float
    bm25_share: float
    cosine: float
    best_sentence: float
    fused: float
    second: float | None = None
    """Cosine of the second arm; None without one."""
    meaning: float | None = None
    """What similarity adds to the evidence on the scale of the thresholds; None means all of `fused` but the words."""
    reranked: float | None = None
    """What a reranker says; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage the search looked at, with its scores: what the answer log keeps."""

    passage_id: UUID
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage of the policy context with the scores that brought it there."""

    passage: Passage
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """The ordered passages this attempt retrieved: the only material it may cite.

    Shapes: best first, bounded by the routing policy; `found` is empty when nothing was retrieved.
    """

    version: int
    found: tuple[Found, ...]
    candidates: tuple[Candidate, ...]
    term_idf: dict[str, float]
    """Inverse document frequency of the question's terms in this version, for choosing sentences."""
    conflicts: tuple[KnownConflict, ...] = ()
    """What is known to disagree with the passages found, for the same customer and day."""
