"""Judge a whole draft: every citation, every claim, all or nothing."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from contracts.reasons import Coverage
from knowledge.answering.draft import Brief, Draft, DraftPart
from knowledge.validation.citations import check_citations
from knowledge.validation.claims import ClaimFault, check_claim, leaves_words_open
from knowledge.validation.conditions import find_dropped
from knowledge.validation.folding import fold
from knowledge.validation.statements import echoes, split_claims
from knowledge.validation.structure import check_structure
from knowledge.validation.verdict import Citation, Fault, FaultCode, ValidatedAnswer, ValidatedPart, Verdict
from knowledge.versions.routing_policy import Bounds

Agree = Callable[[str, tuple[str, ...]], float]
"""Gives the embedders' cosine of a claim and its quotes, for claims whose words leave open whether they are carried."""

# What is refused for its size is read no further.
_TOO_MUCH: Final = (FaultCode.CLAIM_TOO_LONG, FaultCode.TOO_MANY_STATEMENTS)


def validate(  # noqa: PLR0913 - what a verdict depends on, each named by its caller
    draft: Draft,
    *,
    brief: Brief,
    bounds: Bounds,
    claim_overlap: float,
    templates: frozenset[str],
    agree: Agree | None = None,
    vouched: frozenset[int] = frozenset(),
) -> Verdict:
    """Turn a draft into an answer that may be shown, or into the list of everything that is wrong with it.

    `templates` are the texts of our catalogue, in which `{question_part}` may stand for the part a template names.
    Without `agree` a claim in another language than its quotes, or in quite other words, is refused. `vouched` are the parts, counted from 1,
    about which a second opinion has lifted the doubts.
    """
    citations, faults = find_faults(
        draft, brief=brief, bounds=bounds, claim_overlap=claim_overlap, templates=templates, agree=agree
    )
    left = tuple(fault for fault in faults if not (fault.is_undecidable and fault.part in vouched))
    if left:
        return Verdict(answer=None, faults=left)
    return Verdict(answer=answer_of(draft, citations), faults=())


def find_faults(  # noqa: PLR0913 - as `validate`
    draft: Draft,
    *,
    brief: Brief,
    bounds: Bounds,
    claim_overlap: float,
    templates: frozenset[str],
    agree: Agree | None = None,
) -> tuple[tuple[Citation, ...], tuple[Fault, ...]]:
    """Give the citations that were found, and everything that is wrong with a draft."""
    checked = check_citations(draft, brief=brief, bounds=bounds)
    misbuilt = check_structure(draft, brief=brief, bounds=bounds, templates=templates)
    oversized = any(fault.code in _TOO_MUCH for fault in misbuilt)
    asked = (brief.question, *brief.question_parts)
    unsupported = () if oversized else _check_claims(draft, checked.found, asked, claim_overlap, agree)
    faults = (*_deviations(draft), *misbuilt, *checked.faults, *unsupported)
    return tuple(checked.found.values()), _telling(faults)


def _telling(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """Leave out that a draft states nothing where another fault says why: it was read no further than that one."""
    others = tuple(fault for fault in faults if fault.code is not FaultCode.EMPTY_DRAFT or fault.part is not None)
    return others or faults


def _deviations(draft: Draft) -> Iterator[Fault]:
    for found in draft.deviations:
        yield Fault(code=FaultCode(found.code), part=None, citation=None, detail=found.detail)


def _check_claims(
    draft: Draft,
    citations: dict[int, Citation],
    asked: tuple[str, ...],
    claim_overlap: float,
    agree: Agree | None,
) -> Iterator[Fault]:
    """Check the statements all of whose citations were found; the others already have their fault."""
    everything = tuple(citations.values())
    for number, part in enumerate(draft.parts, start=1):
        if part.kind == "statement" and part.citations and set(part.citations) <= citations.keys():
            cited = tuple(citations[position] for position in part.citations)
            for fault in _check_statement(part.text, cited, asked, claim_overlap, agree):
                yield Fault(
                    code=fault.code,
                    part=number,
                    citation=None,
                    detail=fault.detail,
                    is_undecidable=fault.is_undecidable,
                )
            yield from _check_conditions(part, number, cited, everything)


def _check_statement(
    text: str,
    cited: tuple[Citation, ...],
    asked: tuple[str, ...],
    claim_overlap: float,
    agree: Agree | None,
) -> Iterator[ClaimFault]:
    """Check each sentence of a statement: one claim is one sentence, a statement may hold several."""
    quotes = tuple(citation.quote for citation in cited)
    claims = tuple(split_claims(text))
    if not claims:
        yield ClaimFault(FaultCode.EMPTY_DRAFT, "The statement holds no word.")
    for claim in claims:
        # A policy of questions and answers may put the question in the customer's very words.
        if echoes(claim, asked) and not any(fold(claim) in fold(quote) for quote in quotes):
            yield ClaimFault(FaultCode.NOT_A_STATEMENT, "The claim repeats the question.")
        is_open = agree is not None and _leaves_words_open(claim, quotes, claim_overlap)
        agreement = agree(claim, quotes) if agree is not None and is_open else None
        yield from _check_claim(claim, quotes, claim_overlap, agreement)


# A draft that is still growing is judged at each of its sentences, and once more when it is whole: what was found of a
# claim is kept, so that each costs once. The number holds some dozens of drafts.
@lru_cache(maxsize=512)
def _check_claim(
    claim: str, quotes: tuple[str, ...], claim_overlap: float, agreement: float | None
) -> tuple[ClaimFault, ...]:
    return check_claim(claim, quotes, claim_overlap=claim_overlap, agreement=agreement)


@lru_cache(maxsize=512)
def _leaves_words_open(claim: str, quotes: tuple[str, ...], claim_overlap: float) -> bool:
    return leaves_words_open(claim, quotes, claim_overlap=claim_overlap)


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


def answer_of(draft: Draft, citations: tuple[Citation, ...]) -> ValidatedAnswer:
    """Give a draft without faults as the answer that may be shown."""
    parts = tuple(
        ValidatedPart(kind=part.kind, text=part.text, citations=part.citations, question_part=part.question_part)
        for part in draft.parts
    )
    covered: Coverage = "partial" if any(part.kind == "not_covered" for part in parts) else "full"
    return ValidatedAnswer(parts=parts, citations=citations, coverage=covered)
