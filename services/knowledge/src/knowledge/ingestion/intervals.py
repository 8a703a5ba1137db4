"""When each revision of a document is in force: ranges of one document never overlap."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from knowledge.ingestion.problems import Problem, ProblemCode

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What one revision says of its days; None is an open side. `effective_to` is inclusive."""

    path: str
    label: str
    effective_from: date | None
    effective_to: date | None


def close_intervals(declared: Iterable[Declared]) -> dict[str, date | None] | tuple[Problem, ...]:
    """Give the last day of every revision of one document by label, or what makes two of them overlap.

    A revision without an end ends the day before the next one begins; an end that was written stays as it is.
    """
    ordered = sorted(declared, key=lambda each: (each.effective_from or date.min, each.label))
    problems = tuple(problem for one, next_one in pairwise(ordered) if (problem := _overlap(one, next_one)))
    if problems:
        return problems
    ends = {one.label: one.effective_to for one in ordered}
    for one, next_one in pairwise(ordered):
        if one.effective_to is None and next_one.effective_from is not None:
            ends[one.label] = next_one.effective_from - _DAY
    return ends


def _overlap(one: Declared, next_one: Declared) -> Problem | None:
    begins = next_one.effective_from or date.min
    # Before the first day there is no day on which the one without an end could end.
    after = begins > (one.effective_from or date.min)
    if after and (one.effective_to is None or one.effective_to < begins):
        return None
    sentence = (
        f"Revision {next_one.label} ({_days(next_one)}) overlaps revision {one.label} ({_days(one)}) of {one.path}."
    )
    return Problem(next_one.path, "effective_from", ProblemCode.OVERLAPPING_DATES, sentence)


def _days(one: Declared) -> str:
    return f"{one.effective_from or 'open'} to {one.effective_to or 'open'}"
