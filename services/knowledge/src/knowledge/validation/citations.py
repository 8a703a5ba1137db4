"""Check every citation of a draft against the policy context: rule 2, as far as one citation can show it."""

import re
from dataclasses import dataclass

from knowledge.answering.draft import Brief, Draft, DraftCitation
from knowledge.ingestion.sentences import split_sentences
from knowledge.retrieval.passage import Passage
from knowledge.validation.folding import Folded, find_places, fold, fold_with_places
from knowledge.validation.verdict import Citation, Fault, FaultCode
from knowledge.versions.routing_policy import Bounds

# A quote below this length must be a whole unit, or a stray word could pose as evidence.
_SHORTEST_FRAGMENT = 12

_INSIDE_WORD = re.compile(r"[A-Za-z0-9]{2}|[一二三四五六七八九十百千万亿两零〇廿\d]{2}")
_INSIDE_NUMBER = re.compile(r"\d[.,]\d")


@dataclass(frozen=True, slots=True)
class CheckedCitations:
    """The citations of a draft by their 1-based position; faulty ones are missing and have faults."""

    found: dict[int, Citation]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    passage: Passage
    folded: Folded


def check_citations(draft: Draft, *, brief: Brief, bounds: Bounds) -> CheckedCitations:
    """Locate each quote in the passage its handle names, and report those that are not there."""
    sources = {
        handle: _Source(found.passage, fold_with_places(found.passage.text))
        for handle, found in zip(brief.handles, brief.context.found, strict=True)
    }
    results = {
        position: _check(cited, position=position, sources=sources, bounds=bounds)
        for position, cited in enumerate(draft.citations, start=1)
    }
    citations = {position: result for position, result in results.items() if isinstance(result, Citation)}
    faults = tuple(result for result in results.values() if isinstance(result, Fault))
    return CheckedCitations(citations, (*faults, *_repeats(citations)))


def _check(
    cited: DraftCitation,
    *,
    position: int,
    sources: dict[str, _Source],
    bounds: Bounds,
) -> Citation | Fault:
    source = sources.get(cited.handle)
    if source is None:
        return _fault(FaultCode.UNKNOWN_CITATION, position, "The handle names no passage of this policy context.")
    if not fold(cited.quote):
        return _fault(FaultCode.EMPTY_QUOTE, position, "The quote is empty.")
    place = _place(source, cited.quote)
    if place is None:
        return _not_found(cited, position=position, sources=sources)
    start, end = place
    if end - start > bounds.quote_characters:
        return _fault(
            FaultCode.QUOTE_TOO_LONG, position, f"The quote is longer than {bounds.quote_characters} characters."
        )
    if not _is_long_enough(source.passage.text, start, end):
        return _fault(FaultCode.QUOTE_TOO_SHORT, position, "The quote is no whole sentence and below 12 characters.")
    quote = source.passage.text[start:end]
    return Citation(index=position, passage=source.passage, quote=quote, start=start, end=end)


def _place(source: _Source, quote: str) -> tuple[int, int] | None:
    """Choose the place that cuts no word or number; a whole unit before a fragment."""
    text = source.passage.text
    places = [place for place in find_places(source.folded, quote) if not _cuts_word(text, *place)]
    units = {(span.start, span.end) for span in split_sentences(text)} if len(places) > 1 else set[tuple[int, int]]()
    return min(places, key=lambda place: (place not in units, place), default=None)


def _cuts_word(text: str, start: int, end: int) -> bool:
    return any(_is_inside(text, at) for at in (start, end) if 0 < at < len(text))


def _is_inside(text: str, at: int) -> bool:
    """Tell whether a place lies within a word or number: "3|0 days", "3|.5", "3.|5"."""
    around = (text[max(0, at - 2) : at + 1], text[at - 1 : at + 2])
    return _INSIDE_WORD.fullmatch(text[at - 1 : at + 1]) is not None or any(map(_INSIDE_NUMBER.fullmatch, around))


def _not_found(cited: DraftCitation, *, position: int, sources: dict[str, _Source]) -> Fault:
    others = (source for handle, source in sources.items() if handle != cited.handle)
    if any(find_places(other.folded, cited.quote) for other in others):
        return _fault(FaultCode.MISATTRIBUTED, position, "The quote stands in another passage than the one cited.")
    return _fault(FaultCode.QUOTE_NOT_VERBATIM, position, "The quote does not stand in the passage as one stretch.")


def _is_long_enough(text: str, start: int, end: int) -> bool:
    if len(fold(text[start:end])) >= _SHORTEST_FRAGMENT:
        return True
    return any(start <= span.start and span.end <= end for span in split_sentences(text))


def _repeats(citations: dict[int, Citation]) -> tuple[Fault, ...]:
    seen: dict[tuple[object, str], int] = {}
    faults: list[Fault] = []
    for position, citation in citations.items():
        first = seen.setdefault((citation.passage.passage_id, fold(citation.quote)), position)
        if first != position:
            faults.append(
                _fault(FaultCode.DUPLICATE_CITATION, position, f"The same quote is already citation {first}.")
            )
    return tuple(faults)


def _fault(code: FaultCode, citation: int, detail: str) -> Fault:
    return Fault(code=code, part=None, citation=citation, detail=detail)
