"""Puts the revisions of an import beside each other: labels, days in force, and what belongs to a faulty document."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from knowledge.ingestion.intervals import Declared, close_intervals
from knowledge.ingestion.problems import Problem, ProblemCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A revision as its neighbours see it. `kept` is one that an additive import takes over from the current version."""

    draft_id: UUID
    path: str
    slug: str
    label: str
    effective_from: date | None
    declared_to: date | None
    superseded_by: str | None
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Which revisions make the version and on which day each ends, and what is wrong between them.

    `ends` holds every revision that stays; `left_out` those that do not, be it that a fault lies in them, that their
    document has one elsewhere (then `with_others` says so), or that a new revision takes their place.
    """

    ends: dict[UUID, date | None]
    left_out: frozenset[UUID]
    problems: tuple[Problem, ...]
    with_others: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Document:
    ends: dict[UUID, date | None]
    problems: tuple[Problem, ...] = ()
    with_others: tuple[Problem, ...] = ()


def link(entries: Iterable[Entry], *, faulty: frozenset[str]) -> Linked:
    """Link the revisions of an import. `faulty` are the documents of which a file could not be read.

    A document with any fault brings nothing new: without one of its revisions another might be in force for too long.
    Its kept revisions stay as they were. A kept revision with the label of a new one gives way to it.
    """
    listed = list(entries)
    documents = [_link_document(group, is_faulty=slug in faulty) for slug, group in _by_document(listed).items()]
    ends = {draft_id: end for document in documents for draft_id, end in document.ends.items()}
    return Linked(
        ends=ends,
        left_out=frozenset(each.draft_id for each in listed if each.draft_id not in ends),
        problems=tuple(problem for document in documents for problem in document.problems),
        with_others=tuple(problem for document in documents for problem in document.with_others),
    )


def _link_document(group: Sequence[Entry], *, is_faulty: bool) -> _Document:
    fresh = [each for each in group if not each.kept]
    replaced = {each.label for each in fresh}
    together = [*(each for each in group if each.kept and each.label not in replaced), *fresh]
    duplicates = _duplicates(fresh)
    closed = () if duplicates else close_intervals(_declared(each) for each in together)
    overlaps = closed if isinstance(closed, tuple) else ()
    problems = (*duplicates, *overlaps, *_unknown_labels(together))
    if isinstance(closed, dict) and not problems and not (is_faulty and fresh):
        return _Document(ends={each.draft_id: closed[each.label] for each in together})
    told = {problem.path for problem in problems}
    others = tuple(_left_out(each) for each in fresh if each.path not in told)
    return _Document(ends=_kept_ends(group), problems=problems, with_others=others)


def _kept_ends(group: Sequence[Entry]) -> dict[UUID, date | None]:
    kept = [each for each in group if each.kept]
    closed = close_intervals(_declared(each) for each in kept)
    # Revisions that were published together do not overlap.
    return {each.draft_id: closed[each.label] for each in kept} if isinstance(closed, dict) else {}


def _duplicates(fresh: Sequence[Entry]) -> tuple[Problem, ...]:
    first: dict[str, str] = {}
    problems: list[Problem] = []
    for each in fresh:
        known = first.setdefault(each.label, each.path)
        if known != each.path:
            sentence = f"slug {each.slug} with label {each.label} is already that of {known}."
            problems.append(Problem(each.path, "slug", ProblemCode.DUPLICATE, sentence))
    return tuple(problems)


def _unknown_labels(together: Sequence[Entry]) -> tuple[Problem, ...]:
    labels = {each.label for each in together}
    return tuple(
        Problem(
            each.path,
            "superseded_by",
            ProblemCode.UNKNOWN_LABEL,
            f"superseded_by names {each.superseded_by}, which is no other revision of {each.slug}.",
        )
        for each in together
        if each.superseded_by is not None and each.superseded_by not in labels - {each.label}
    )


def _left_out(entry: Entry) -> Problem:
    sentence = f"Another file of the document {entry.slug} is faulty, so this one is left out with it."
    return Problem(entry.path, "slug", ProblemCode.LEFT_OUT, sentence)


def _by_document(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    grouped: dict[str, list[Entry]] = defaultdict(list)
    for each in entries:
        grouped[each.slug].append(each)
    return grouped


def _declared(entry: Entry) -> Declared:
    return Declared(
        path=entry.path, label=entry.label, effective_from=entry.effective_from, effective_to=entry.declared_to
    )
