"""Score one observed attempt against its golden question."""

import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from knowledge.evaluation.golden import ESCALATE, Golden
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart
from knowledge.ingestion.markdown import plain
from knowledge.validation.claims import check_claim
from knowledge.validation.folding import fold

# Two quotes of one passage speak of the same thing when half of the shorter one stands in the longer one.
_OVERLAP: Final = 0.5

Revision = tuple[str, str]
"""A document's title and the label of one of its revisions: what a citation shows of both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What the corpus behind a golden file holds. `not_in_force` are revisions of the past or future."""

    revisions: dict[tuple[str, int], Revision]
    not_in_force: frozenset[Revision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What is right and wrong about one attempt. `evidence_hit` is None when there is nothing to hit."""

    route_right: bool
    evidence_hit: bool | None
    quotes: int
    quotes_verbatim: int
    claims: int
    unsupported_claims: tuple[str, ...]
    wrong_because: tuple[str, ...]
    needless_refusal: bool
    stale_citations: int
    escalation_answered: bool


def score(golden: Golden, observed: Observed, *, library: Library, claim_overlap: float) -> Score:
    """Score an attempt; `claim_overlap` is the floor of the validator."""
    claims = tuple(part for part in observed.parts if part.kind == "statement") if observed.answered else ()
    hit = _evidence_hit(golden, observed, library)
    return Score(
        route_right=bool(observed.routes & set(golden.acceptable_routes)),
        evidence_hit=hit,
        quotes=len(observed.citations),
        quotes_verbatim=sum(_is_verbatim(citation) for citation in observed.citations),
        claims=len(claims),
        unsupported_claims=tuple(
            part.text for part in claims if not _is_supported(part, observed.citations, claim_overlap)
        ),
        wrong_because=_why_wrong(golden, observed, hit) if observed.answered else (),
        needless_refusal=observed.refused and golden.must_be_answered,
        stale_citations=sum(
            (citation.title, citation.revision) in library.not_in_force for citation in observed.citations
        ),
        escalation_answered=observed.answered and set(golden.acceptable_routes) == {ESCALATE},
    )


def overlaps(one: str, other: str) -> bool:
    """Tell whether two quotes share a stretch as long as half of the shorter one, marks of Markdown aside."""
    first, second = fold(plain(one)), fold(plain(other))
    shared = SequenceMatcher(None, first, second, autojunk=False).find_longest_match().size
    shorter = min(len(first), len(second))
    return shorter > 0 and shared >= _OVERLAP * shorter


def _evidence_hit(golden: Golden, observed: Observed, library: Library) -> bool | None:
    if not golden.evidence or not observed.answered:
        return None
    return any(
        (citation.title, citation.revision) == library.revisions.get((evidence.doc_id, evidence.version))
        and overlaps(evidence.quote, citation.quote)
        for evidence in golden.evidence
        for citation in observed.citations
    )


def _is_verbatim(citation: ObservedCitation) -> bool:
    return (
        citation.passage is not None and bool(fold(citation.quote)) and fold(citation.quote) in fold(citation.passage)
    )


def _is_supported(part: ObservedPart, citations: tuple[ObservedCitation, ...], claim_overlap: float) -> bool:
    quotes = tuple(citation.quote for citation in citations if citation.index in part.citations)
    if any(fold(part.text) in fold(quote) for quote in quotes):
        return True
    return bool(quotes) and not check_claim(part.text, quotes, claim_overlap=claim_overlap)


def _why_wrong(golden: Golden, observed: Observed, hit: bool | None) -> tuple[str, ...]:  # noqa: FBT001 - a value, no flag
    said = _comparable(observed.answer)
    missing = [words for words in golden.must_include_any if not any(_comparable(word) in said for word in words)]
    forbidden = [word for word in golden.must_not_include if _comparable(word) in said]
    reasons = (
        None if golden.may_be_answered else "an answer is not acceptable",
        "the golden evidence is not cited" if hit is False else None,
        *(f"says none of {', '.join(words)}" for words in missing),
        *(f"says {word}" for word in forbidden),
    )
    return tuple(reason for reason in reasons if reason is not None)


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
