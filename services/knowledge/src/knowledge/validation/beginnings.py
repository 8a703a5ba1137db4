"""Decide what of a draft that is still growing may be shown: mode `verified_sentences`.

A claim may be shown as soon as it and the sentences that limit it have passed, in the order of the draft. The last one
is held back, because what follows it decides about the space behind it.
"""

from dataclasses import replace
from itertools import takewhile

from knowledge.answering.draft import Brief, Draft, DraftPart
from knowledge.validation.validator import Agree, answer_of, find_faults
from knowledge.validation.verdict import Citation, Fault, FaultCode, ValidatedAnswer
from knowledge.versions.routing_policy import Bounds


def passed_beginning(  # noqa: PLR0913 - as `validate`
    draft: Draft,
    *,
    brief: Brief,
    bounds: Bounds,
    claim_overlap: float,
    templates: frozenset[str],
    agree: Agree | None = None,
) -> ValidatedAnswer | None:
    """Give the beginning of a draft that may be shown already; None for nothing.

    Any fault that the rest of the draft cannot mend holds everything back: the draft will fail whole.
    """
    citations, faults = find_faults(
        draft, brief=brief, bounds=bounds, claim_overlap=claim_overlap, templates=templates, agree=agree
    )
    waiting = [fault for fault in faults if not _is_unasked(fault)]
    if any(fault.code is not FaultCode.CONDITION_DROPPED for fault in waiting):
        return None
    limited = {fault.part for fault in waiting}
    numbered = enumerate(draft.parts[:-1], start=1)
    passed = [part for _, part in takewhile(lambda each: each[0] not in limited, numbered)]
    while passed and passed[-1].kind == "template":
        passed.pop()
    return _shown(draft, tuple(passed), citations) if passed else None


def _is_unasked(fault: Fault) -> bool:
    """Tell whether a fault only says that the draft is not whole yet."""
    return fault.code is FaultCode.PART_UNANSWERED and fault.part is None


def _shown(draft: Draft, parts: tuple[DraftPart, ...], citations: tuple[Citation, ...]) -> ValidatedAnswer:
    used = {position for part in parts for position in part.citations}
    return answer_of(replace(draft, parts=parts), tuple(each for each in citations if each.index in used))
