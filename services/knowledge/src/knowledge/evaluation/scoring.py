"""Score one observed attempt against its golden question.

Citation recall and precision follow Gao et al. 2023, "Enabling Large Language Models to Generate Text with Citations"
(ALCE): a statement is recalled when its citations together support it; a citation is precise when its statement is
recalled and it either supports the statement alone or is needed for it. Where ALCE asks a model for entailment, a
statement is supported here when it stands verbatim in a quote or the validator finds nothing against it, and a quote
that is not verbatim in its passage supports nothing.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Protocol

from knowledge.evaluation.golden import ESCALATE, Evidence, Golden
from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart, ObservedPassage
from knowledge.ingestion.markdown import plain
from knowledge.validation.claims import check_claim
from knowledge.validation.folding import fold
from personal_data.masking import mask

# Two quotes of one passage speak of the same thing when half of the shorter one stands in the longer one.
_OVERLAP: Final = 0.5
_NONE: Final = Rate(0, 0)

Revision = tuple[str, str]
"""A document's title and the label of one of its revisions: what a citation shows of both."""


class Shelf(Protocol):
    """Knows which revisions golden evidence is from, and which are not in force."""

    def is_of(self, citation: ObservedCitation, evidence: Evidence) -> bool:
        """Tell whether a citation is from the revision of some evidence."""
        ...

    def is_stale(self, citation: ObservedCitation) -> bool:
        """Tell whether a citation is from a revision of the past or future."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What the corpus behind a golden file holds, by what customers see. `not_in_force` is of the past or future."""

    revisions: dict[tuple[str, int] | tuple[str, str], Revision]
    not_in_force: frozenset[Revision]

    def is_of(self, citation: ObservedCitation, evidence: Evidence) -> bool:
        """See `Shelf.is_of`."""
        known = (citation.title, citation.revision)
        return any(
            known == revision and doc_id == evidence.doc_id and evidence.is_version(str(version))
            for (doc_id, version), revision in self.revisions.items()
        )

    def is_stale(self, citation: ObservedCitation) -> bool:
        """See `Shelf.is_stale`."""
        return (citation.title, citation.revision) in self.not_in_force


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What is right and wrong about one attempt. `evidence_hit` is None when there is nothing to hit.

    `evidence_ranks` says for each golden evidence at which place of the search it stood, from 1; None where no search
    was seen, and None in it for evidence that was not found.
    """

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
    citation_recall: Rate = _NONE
    citation_precision: Rate = _NONE
    parts_said: Rate = _NONE
    evidence_ranks: tuple[int | None, ...] | None = None


def score(golden: Golden, observed: Observed, *, library: Shelf, claim_overlap: float) -> Score:
    """Score an attempt; `claim_overlap` is the floor of the validator."""
    claims = tuple(part for part in observed.parts if part.kind == "statement") if observed.answered else ()
    hit = _evidence_hit(golden, observed, library)
    recall, precision = _citation_rates(claims, observed.citations, claim_overlap)
    return Score(
        route_right=bool(observed.routes & set(golden.acceptable_routes)),
        evidence_hit=hit,
        quotes=len(observed.citations),
        quotes_verbatim=sum(_is_verbatim(citation) for citation in observed.citations),
        claims=len(claims),
        unsupported_claims=tuple(
            part.text for part in claims if not _supports(_quotes(part, observed.citations), part.text, claim_overlap)
        ),
        wrong_because=_why_wrong(golden, observed, hit) if observed.answered else (),
        needless_refusal=observed.refused and golden.must_be_answered,
        stale_citations=sum(library.is_stale(citation) for citation in observed.citations),
        escalation_answered=observed.answered and set(golden.acceptable_routes) == {ESCALATE},
        citation_recall=recall,
        citation_precision=precision,
        parts_said=_parts_said(golden, observed),
        evidence_ranks=_ranks(golden, observed),
    )


def overlaps(one: str, other: str) -> bool:
    """Tell whether two quotes share a stretch as long as half of the shorter one, marks of Markdown aside."""
    first, second = fold(plain(one)), fold(plain(other))
    shorter = min(len(first), len(second))
    if shorter and (first in second or second in first):
        return True
    shared = SequenceMatcher(None, first, second, autojunk=False).find_longest_match().size
    return shorter > 0 and shared >= _OVERLAP * shorter


def _evidence_hit(golden: Golden, observed: Observed, library: Shelf) -> bool | None:
    if not golden.evidence or not observed.answered:
        return None
    return any(
        library.is_of(citation, evidence) and overlaps(evidence.quote, citation.quote)
        for evidence in golden.evidence
        for citation in observed.citations
    )


def _ranks(golden: Golden, observed: Observed) -> tuple[int | None, ...] | None:
    if not observed.searches:
        return None
    return tuple(_rank(evidence, observed.searches) for evidence in golden.evidence)


def _rank(evidence: Evidence, searches: Sequence[Sequence[ObservedPassage]]) -> int | None:
    """Give the best place over the searches of all question parts."""
    places = (
        place
        for found in searches
        for place, passage in enumerate(found, 1)
        if passage.document == evidence.doc_id
        and evidence.is_version(passage.revision)
        and overlaps(evidence.quote, passage.text)
    )
    return min(places, default=None)


def _is_verbatim(citation: ObservedCitation) -> bool:
    return (
        citation.passage is not None and bool(fold(citation.quote)) and fold(citation.quote) in fold(citation.passage)
    )


def _quotes(part: ObservedPart, citations: Sequence[ObservedCitation]) -> tuple[str, ...]:
    return tuple(citation.quote for citation in citations if citation.index in part.citations)


def _citation_rates(
    claims: Sequence[ObservedPart], citations: Sequence[ObservedCitation], claim_overlap: float
) -> tuple[Rate, Rate]:
    verbatim = tuple(citation for citation in citations if _is_verbatim(citation))
    recalled = precise = cited = 0
    for claim in claims:
        quotes = _quotes(claim, verbatim)
        cited += len(_quotes(claim, citations))
        if _supports(quotes, claim.text, claim_overlap):
            recalled += 1
            precise += sum(_is_needed(place, quotes, claim.text, claim_overlap) for place in range(len(quotes)))
    return Rate(recalled, len(claims)), Rate(precise, cited)


def _is_needed(place: int, quotes: tuple[str, ...], claim: str, claim_overlap: float) -> bool:
    """Tell whether a quote of a supported claim supports it alone, or the others do not without it."""
    others = (*quotes[:place], *quotes[place + 1 :])
    return _supports((quotes[place],), claim, claim_overlap) or not _supports(others, claim, claim_overlap)


def _supports(quotes: tuple[str, ...], claim: str, claim_overlap: float) -> bool:
    if any(fold(claim) in fold(quote) for quote in quotes):
        return True
    return bool(quotes) and not check_claim(claim, quotes, claim_overlap=claim_overlap)


def _parts_said(golden: Golden, observed: Observed) -> Rate:
    said = _comparable(observed.answer) if observed.answered else ""
    covered = sum(all(_says(said, words) for words in part.must_include_any) for part in golden.parts)
    return Rate(covered, len(golden.parts))


def _why_wrong(golden: Golden, observed: Observed, hit: bool | None) -> tuple[str, ...]:  # noqa: FBT001 - a value, no flag
    said = _comparable(observed.answer)
    missing = [words for words in golden.must_include_any if not _says(said, words)]
    forbidden = [word for word in golden.must_not_include if _says(said, (word,))]
    reasons = (
        None if golden.may_be_answered else "an answer is not acceptable",
        "the golden evidence is not cited" if hit is False else None,
        *(f"says none of {', '.join(words)}" for words in missing),
        *(f"says {word}" for word in forbidden),
    )
    return tuple(reason for reason in reasons if reason is not None)


def _says(said: str, words: Sequence[str]) -> bool:
    """Tell whether one of the words is said; a word that was masked, when something of its kind is."""
    return any(_comparable(word) in said or ("[" in word and _comparable(word) in mask(said)) for word in words)


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
