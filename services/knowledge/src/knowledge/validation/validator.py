"""Judge a whole draft: every citation, every claim, all or nothing."""

from collections.abc import Iterator

from contracts.reasons import Coverage
from knowledge.answering.draft import Brief, Draft, DraftPart
from knowledge.ingestion.sentences import split_sentences
from knowledge.validation.citations import check_citations
from knowledge.validation.claims import check_claim
from knowledge.validation.conditions import find_dropped
from knowledge.validation.structure import check_structure
from knowledge.validation.verdict import Citation, Fault, FaultCode, ValidatedAnswer, ValidatedPart, Verdict
from knowledge.versions.routing_policy import Bounds


def validate(draft: Draft, *, brief: Brief, bounds: Bounds, claim_overlap: float, templates: frozenset[str]) -> Verdict:
    """Turn a draft into an answer that may be shown, or into the list of everything that is wrong with it.

    `templates` are the texts of our catalogue, in which `{question_part}` may stand for the part a template names.
    """
    checked = check_citations(draft, brief=brief, bounds=bounds)
    faults = (
        *check_structure(draft, brief=brief, bounds=bounds, templates=templates),
        *checked.faults,
        *_check_claims(draft, checked.found, claim_overlap),
    )
    if faults:
        return Verdict(answer=None, faults=faults)
    return Verdict(answer=_answer(draft, tuple(checked.found.values())), faults=())


def _check_claims(draft: Draft, citations: dict[int, Citation], claim_overlap: float) -> Iterator[Fault]:
    """Check the statements all of whose citations were found; the others already have their fault."""
    everything = tuple(citations.values())
    for number, part in enumerate(draft.parts, start=1):
        if part.kind == "statement" and part.citations and set(part.citations) <= citations.keys():
            cited = tuple(citations[position] for position in part.citations)
            yield from _check_statement(part, number, cited, claim_overlap)
            yield from _check_conditions(part, number, cited, everything)


def _check_statement(
    part: DraftPart, number: int, cited: tuple[Citation, ...], claim_overlap: float
) -> Iterator[Fault]:
    """Check each sentence of a statement: one claim is one sentence, a statement may hold several."""
    quotes = tuple(citation.quote for citation in cited)
    spans = split_sentences(part.text)
    if not spans:
        yield Fault(code=FaultCode.EMPTY_DRAFT, part=number, citation=None, detail="The statement holds no word.")
    for span in spans:
        for fault in check_claim(part.text[span.start : span.end], quotes, claim_overlap=claim_overlap):
            yield Fault(code=fault.code, part=number, citation=None, detail=fault.detail)


def _check_conditions(
    part: DraftPart,
    number: int,
    cited: tuple[Citation, ...],
    everything: tuple[Citation, ...],
) -> Iterator[Fault]:
    for citation in cited:
        for limit in find_dropped(citation, claim=part.text, cited=everything):
            detail = f"The passage limits the quote: {limit.strip()!r}."
            yield Fault(code=FaultCode.CONDITION_DROPPED, part=number, citation=citation.index, detail=detail)


def _answer(draft: Draft, citations: tuple[Citation, ...]) -> ValidatedAnswer:
    parts = tuple(
        ValidatedPart(kind=part.kind, text=part.text, citations=part.citations, question_part=part.question_part)
        for part in draft.parts
    )
    covered: Coverage = "partial" if any(part.kind == "not_covered" for part in parts) else "full"
    return ValidatedAnswer(parts=parts, citations=citations, coverage=covered)
