"""A golden case as it is kept: masked, unchangeable, and retired with a reason instead of deleted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from contracts.errors import ConflictError, NotFoundError
from knowledge.evaluation.golden import Evidence, ExpectedPart, Golden
from personal_data.masking import mask

ERASED: Final = "ERASED"
"""Stands where a customer's question stood, and is why its case is retired."""


class CaseTakenError(ConflictError):
    """A golden case of this id says something else; retire it and give the new one an id of its own."""

    code = "GOLDEN_CASE_TAKEN"


class CaseNotFoundError(NotFoundError):
    """There is no such golden case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCase:
    """A golden case and what became of it."""

    golden: Golden
    added_by: str
    added_at: datetime
    retired_by: str | None
    retired_at: datetime | None
    retired_reason: str | None


@dataclass(frozen=True, slots=True)
class Adding:
    """Which cases were new, by id, and how many were there already, word by word."""

    added: tuple[str, ...]
    known: int


def masked_case(golden: Golden) -> Golden:
    """Mask every text of a case; a quote is masked like the source it stands in.

    Repeat: a masked case has nothing more to mask.
    """
    texts = {name: _masked(getattr(golden, name)) for name in ("question", "expected_answer", "note")}
    return golden.model_copy(
        update={
            **texts,
            "must_include_any": tuple(_words(each) for each in golden.must_include_any),
            "must_not_include": _words(golden.must_not_include),
            "evidence": tuple(_evidence(each) for each in golden.evidence),
            "stale_evidence": tuple(_evidence(each) for each in golden.stale_evidence),
            "parts": tuple(_part(each) for each in golden.parts),
            "facts": {key: mask(value) for key, value in golden.facts.items()},
            "typed_facts": {key: mask(value) for key, value in golden.typed_facts.items()},
        }
    )


def erased_case(golden: Golden) -> Golden:
    """Take out of a case everything that a customer may have said; what it cites is the documents' own."""
    emptied = Golden(
        id=golden.id,
        lang=golden.lang,
        category=golden.category,
        question=ERASED,
        acceptable_routes=golden.acceptable_routes,
        set=golden.set,
        as_of=golden.as_of,
    )
    return emptied.model_copy(update={"evidence": golden.evidence, "stale_evidence": golden.stale_evidence})


def _masked(text: str | None) -> str | None:
    return None if text is None else mask(text)


def _words(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(mask(word) for word in words)


def _evidence(evidence: Evidence) -> Evidence:
    return evidence.model_copy(update={"quote": mask(evidence.quote)})


def _part(part: ExpectedPart) -> ExpectedPart:
    words = tuple(_words(each) for each in part.must_include_any)
    return part.model_copy(update={"about": mask(part.about), "must_include_any": words})
