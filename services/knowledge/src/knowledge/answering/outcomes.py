"""Builds what a customer is told: a refusal from the catalogue, or the parts of an answer."""

from contracts.answers import Outcome, Part, Suggestion
from contracts.reasons import Coverage, Handoff, Language, RefusalReason
from knowledge.answering.refusals import refusal_text


def refused(
    reason: RefusalReason,
    *,
    language: Language,
    handoff: Handoff,
    missing_facts: tuple[str, ...] = (),
    suggestions: tuple[Suggestion, ...] = (),
) -> Outcome:
    """Refuse with the reviewed text of a reason."""
    text = refusal_text(reason, language, missing_facts=missing_facts)
    return Outcome(
        answer=text.answer,
        parts=(Part(kind="template", text=text.answer, citations=(), question_part=None),),
        coverage="none",
        refused=True,
        refusal_reason=text.reason,
        reason_code=reason,
        missing_facts=missing_facts,
        handoff=handoff,
        suggestions=suggestions,
    )


def answered(
    parts: tuple[Part, ...],
    *,
    coverage: Coverage,
    missing_facts: tuple[str, ...] = (),
    suggestions: tuple[Suggestion, ...] = (),
) -> Outcome:
    """Answer with validated parts; a part that lacks a fact offers the way on."""
    return Outcome(
        answer="".join(part.text for part in parts),
        parts=parts,
        coverage=coverage,
        refused=False,
        refusal_reason=None,
        reason_code=None,
        missing_facts=missing_facts,
        handoff="none" if coverage == "full" else "offered",
        suggestions=suggestions,
    )
