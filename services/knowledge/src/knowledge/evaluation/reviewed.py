"""Make a golden case of an attempt that a reviewer looked at."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from contracts.errors import InvalidRequestError
from knowledge.evaluation.golden import Evidence, Golden, GoldenSet
from knowledge.review.detail import Question


class QuestionErasedError(InvalidRequestError):
    """The question of this attempt was erased; write one for the case."""

    code = "QUESTION_ERASED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a reviewer says of the case. Without a question of its own it asks what the customer asked, masked."""

    case_id: str | None
    case_set: GoldenSet
    category: str
    routes: tuple[str, ...]
    question: str | None
    evidence: tuple[Evidence, ...]
    must_include_any: tuple[tuple[str, ...], ...]
    must_not_include: tuple[str, ...]
    as_of: date | None
    note: str | None


def case_of(attempt_id: UUID, asked: Question, wanted: Wanted) -> Golden:
    """Make the case: asked as the same audience and with the same facts, for today unless a day is wanted.

    Errors: QuestionErasedError.
    """
    question = wanted.question or asked.text
    if question is None:
        raise QuestionErasedError
    return Golden(
        id=wanted.case_id or f"review-{attempt_id.hex}",
        lang=asked.language,
        category=wanted.category,
        question=question,
        acceptable_routes=wanted.routes,
        must_include_any=wanted.must_include_any,
        must_not_include=wanted.must_not_include,
        evidence=wanted.evidence,
        set=wanted.case_set,
        as_of=wanted.as_of,
        segments=asked.audience,
        facts=dict(asked.facts),
        typed_facts=dict(asked.typed_facts),
        note=wanted.note,
    )
