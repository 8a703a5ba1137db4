"""Check how a draft is put together: templates, use and order of citations, bounds, question parts, markup."""

import re
from collections.abc import Iterator
from itertools import pairwise

from knowledge.answering.draft import Brief, Draft, DraftPart, repeats
from knowledge.validation.folding import fold
from knowledge.validation.verdict import Fault, FaultCode
from knowledge.versions.routing_policy import Bounds

_MARKUP = re.compile(
    r"\[\^?\d+(?:\s*[,，-]\s*\d+)*\]|【\s*\d+[^】]{0,20}】|\(\s*\^\d+\s*\)|</?[A-Za-z!][^<>]*>|&(?:#\w+|[a-z]+);"
    r"|!?\[[^\]]*\]\([^)]*\)|https?://[^\s，。；）]+|\bwww\.[^\s，。；）]+|[\w.+-]+@[\w-]+\.[\w.-]*\w|```|\{\{.*?\}\}",
)


def check_structure(draft: Draft, *, brief: Brief, bounds: Bounds, templates: frozenset[str]) -> tuple[Fault, ...]:
    """List what is wrong with a draft before any sentence of it is read against its quotes."""
    if draft.refusal is not None or not any(part.kind == "statement" and part.text.strip() for part in draft.parts):
        return (Fault(code=FaultCode.EMPTY_DRAFT, part=None, citation=None, detail="The draft states nothing."),)
    return (
        *_find_handles(draft, brief),
        *(
            fault
            for number, part in enumerate(draft.parts, start=1)
            for fault in _check_part(part, number, draft, bounds)
        ),
        *_check_statements(draft, bounds),
        *_check_templates(draft, templates),
        *_check_use(draft, bounds),
        *_check_question_parts(draft, brief),
    )


def _check_part(part: DraftPart, number: int, draft: Draft, bounds: Bounds) -> Iterator[Fault]:
    for cited in part.citations:
        if not 1 <= cited <= len(draft.citations):
            yield _fault(
                FaultCode.UNKNOWN_CITATION, number, cited, "The part names a citation the draft does not list."
            )
    if len(set(part.citations)) < len(part.citations):
        yield _fault(FaultCode.DUPLICATE_CITATION, number, None, "The part names one citation twice.")
    if len(part.citations) > bounds.citations_per_claim:
        yield _fault(FaultCode.TOO_MANY_CITATIONS, number, None, f"A claim has {bounds.citations_per_claim} at most.")
    if len(part.text) > longest_claim(bounds):
        yield _fault(FaultCode.CLAIM_TOO_LONG, number, None, "The claim is longer than all it may quote.")
    if part.kind == "statement":
        yield from _check_statement(part, number, draft)


def longest_claim(bounds: Bounds) -> int:
    """Say how many characters a claim may have: no more than its quotes together, so that reading it stays cheap."""
    return bounds.citations_per_claim * bounds.quote_characters


def _check_statement(part: DraftPart, number: int, draft: Draft) -> Iterator[Fault]:
    if not part.text.strip():
        yield _fault(FaultCode.EMPTY_DRAFT, number, None, "The statement is empty.")
    if not part.citations:
        yield _fault(FaultCode.UNCITED_CLAIM, number, None, "The claim carries no citation.")
    quotes = fold(" ".join(draft.citations[c - 1].quote for c in part.citations if 1 <= c <= len(draft.citations)))
    for token in _MARKUP.finditer(fold(part.text)):
        if token.group() not in quotes:
            yield _fault(FaultCode.MARKUP_IN_TEXT, number, None, f"{token.group()!r} stands in no quote of the claim.")


def _find_handles(draft: Draft, brief: Brief) -> Iterator[Fault]:
    """Find handles in the text: they are between us and the writer, no customer reads them."""
    for number, part in enumerate(draft.parts, start=1):
        quotes = " ".join(draft.citations[c - 1].quote for c in part.citations if 1 <= c <= len(draft.citations))
        if any(handle in part.text and handle not in quotes for handle in brief.handles):
            yield _fault(FaultCode.MARKUP_IN_TEXT, number, None, "The text names a handle.")


def _check_statements(draft: Draft, bounds: Bounds) -> Iterator[Fault]:
    """Find more statements than an answer may have, and those that say again what was said just before.

    Further apart the same words may have another meaning: the same list item under two lead-ins.
    """
    if sum(part.kind == "statement" for part in draft.parts) > bounds.statements_per_answer:
        most = f"An answer has {bounds.statements_per_answer} statements at most."
        yield _fault(FaultCode.TOO_MANY_STATEMENTS, None, None, most)
    for number, (before, part) in enumerate(pairwise(draft.parts), start=2):
        if part.kind == before.kind == "statement" and repeats(part, before):
            yield _fault(FaultCode.REPEATED_STATEMENT, number, None, "The statement before it says the same.")


def _check_templates(draft: Draft, templates: frozenset[str]) -> Iterator[Fault]:
    for number, part in enumerate(draft.parts, start=1):
        if part.kind == "statement":
            continue
        if part.citations:
            yield _fault(FaultCode.UNKNOWN_TEMPLATE, number, None, "A template leans on no citation.")
        if not _is_template(part, templates):
            yield _fault(FaultCode.UNKNOWN_TEMPLATE, number, None, "The text is none of our templates.")


def _is_template(part: DraftPart, templates: frozenset[str]) -> bool:
    """Compare with the catalogue; a template may name the question part in its place `{question_part}`."""
    if part.text in templates or part.text.strip() in templates:
        return True
    named = part.question_part
    return named is not None and part.text.strip() in {t.replace("{question_part}", named).strip() for t in templates}


def _check_use(draft: Draft, bounds: Bounds) -> Iterator[Fault]:
    if len(draft.citations) > bounds.citations_per_answer:
        yield _fault(FaultCode.TOO_MANY_CITATIONS, None, None, f"An answer has {bounds.citations_per_answer} at most.")
    by_first_use = list(dict.fromkeys(cited for part in draft.parts for cited in part.citations))
    for position in range(1, len(draft.citations) + 1):
        if position not in by_first_use:
            yield _fault(FaultCode.UNUSED_CITATION, None, position, "No claim leans on the citation.")
    if by_first_use != sorted(by_first_use):
        yield _fault(FaultCode.OUT_OF_ORDER, None, None, "Citations are not numbered by first use.")


def _check_question_parts(draft: Draft, brief: Brief) -> Iterator[Fault]:
    asked = brief.question_parts
    for number, part in enumerate(draft.parts, start=1):
        if part.question_part is not None and part.question_part not in (*asked, brief.question):
            yield _fault(FaultCode.PART_UNANSWERED, number, None, "The part answers what was not asked.")
    if len(asked) <= 1:
        return
    treated = {part.question_part for part in draft.parts if part.kind != "template"}
    for missing in asked:
        if missing not in treated:
            yield _fault(FaultCode.PART_UNANSWERED, None, None, f"Neither answered nor marked: {missing!r}.")


def _fault(code: FaultCode, part: int | None, citation: int | None, detail: str) -> Fault:
    return Fault(code=code, part=part, citation=citation, detail=detail)
