"""A golden case as it is kept: masked, unchangeable, and retired with a reason instead of deleted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from contracts.errors import ConflictError, NotFoundError
from knowledge.evaluation.golden import Evidence, Golden
from personal_data.masking import mask


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
    """How many cases were new, and how many were there already, word by word."""

    added: int
    known: int


def masked_case(golden: Golden) -> Golden:
    """Mask everything a customer may have said. Only ids stay: quotes too are masked, as the source they are from was.

    Repeat: a masked case has nothing more to mask.
    """
    content: dict[str, Any] = golden.model_dump()  # fields of several types
    kept = {name: content[name] for name in ("id", "lang", "category", "scope", "acceptable_routes", "set", "as_of")}
    masked = {name: _masked(value) for name, value in content.items() if name not in kept and name != "segments"}
    evidence = {
        name: tuple(_unmoved(each) for each in getattr(golden, name)) for name in ("evidence", "stale_evidence")
    }
    return Golden.model_validate({**content, **masked, **evidence})


def _masked(value: Any) -> Any:  # texts at any depth of a case
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_masked(member) for member in value)
    return value


def _unmoved(evidence: Evidence) -> Evidence:
    """Mask a quote and leave the name of its document."""
    return evidence.model_copy(update={"quote": mask(evidence.quote)})
