"""Compares the sentences of a version before it is staged and leaves hints for its publisher."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from knowledge.evaluation.contradictions import (
    COMPARER,
    MOST_HEADINGS,
    MOST_NEW,
    Contradiction,
    Headed,
    Spoken,
    by_headings,
    contradictions,
    together,
)
from knowledge.evaluation.finding import Saying, may_disagree, rarest, sayings
from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import term_id
from knowledge.ingestion.jobs import NOTHING, Job, Step
from knowledge.tasks.bench import Bench
from knowledge.versions.store import conflicts, counts
from knowledge.versions.version import MOST_CONFLICTS

_SECONDS_A_STEP: Final = 15.0
# So many passages are read between two looks at the lease, and asked for what is alike at once.
_PASSAGES_A_LOOK: Final = 200
_MOST_ALIKE: Final = 2_000
# As many as are compared with each other when all is new; a sentence with more passages of its words is one of those that
# everybody repeats.
_MOST_OF_A_SENTENCE: Final = MOST_NEW


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """One version that is compared: with what it was built on, and what was found before."""

    bench: Bench
    tenant: str
    job: Job
    version: int
    base: int | None
    is_partial: bool
    most: int
    kept: list[dict[str, Any]]  # rows of ids and numbers

    @property
    def room(self) -> int:
        """Say how many more pairs fit into the list."""
        return max(self.most - len(self.kept), 0)

    @property
    def listed(self) -> set[frozenset[UUID]]:
        """Give the pairs of passages that were found before."""
        return {frozenset((each["passage"], each["other_passage"])) for each in self.kept}


def list_conflicts(bench: Bench, tenant: str, job: Job, *, version: int) -> bool:
    """Note which sentences disagree; another step always follows.

    Only what the version before did not compare is compared, unless its list was full and has room now. It meets all
    there is; of a version with too much that is new only headings with the same words meet, and the version says so.
    Pairs that owners let stand take no place of the list.
    """
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        if not job.slices_done:
            conflicts.omit_withdrawn(connection, tenant=tenant, version=version)
        comparison = _begin(connection, bench, tenant, job, version=version)
        rows = conflicts.new_headings(connection, version=version, base=comparison.base, limit=MOST_NEW + 1)
    if len(rows) > MOST_NEW:
        return _compare_headings(replace(comparison, is_partial=True))
    return _compare_all(comparison, [Headed(**row) for row in rows])


def _begin(connection: Connection, bench: Bench, tenant: str, job: Job, *, version: int) -> _Comparison:
    """Take over what was found for the version before, if the same comparer found it."""
    before = counts.find_base(connection, version)
    base = None if before is None else before.number
    comparer, is_partial = (None, False) if base is None else conflicts.comparison_of(connection, version=base)
    if comparer != COMPARER:
        base, is_partial = None, False
    kept = conflicts.hints_of(connection, base=base, version=version)
    if base is not None and conflicts.has_room(connection, base=base, version=version, kept=len(kept)):
        base, is_partial = None, False
    return _Comparison(
        bench=bench,
        tenant=tenant,
        job=job,
        version=version,
        base=base,
        is_partial=is_partial,
        most=MOST_CONFLICTS + conflicts.count_dismissed(connection),
        kept=kept,
    )


def _compare_all(comparison: _Comparison, new: list[Headed]) -> bool:
    """Compare what is new with everything that a version holds."""
    known, is_cut = _alike(comparison, new)
    groups = together([*new, *known])
    spoken = _spoken(comparison, [each for group in groups for each in group])
    heard = [_renewing(comparison, _said_in(group, spoken)) for group in groups]
    found = contradictions(heard, most=comparison.room, listed=comparison.listed)
    return _store(replace(comparison, is_partial=comparison.is_partial or is_cut), found, step=Step.STAGE)


def _compare_headings(comparison: _Comparison) -> bool:
    """Compare passages under headings with the same words for some time; `slices_done` counts the groups that are done."""
    job = comparison.job
    with comparison.bench.database.transaction(comparison.tenant) as connection:
        rows = conflicts.headings(connection, version=comparison.version, base=comparison.base, limit=MOST_HEADINGS)
        if job.slices_done:
            # What earlier steps found stands among the hints of the version itself.
            kept = conflicts.hints_of(connection, base=comparison.version, version=comparison.version)
            comparison = replace(comparison, kept=kept)
    groups = by_headings(Headed(**row) for row in rows)
    found, done = _compare_some(comparison, groups[job.slices_done :])
    done += job.slices_done
    is_over = done >= len(groups) or len(found) >= comparison.room
    return _store(comparison, found, step=Step.STAGE if is_over else Step.HINT, slices_done=0 if is_over else done)


def _compare_some(comparison: _Comparison, groups: Sequence[Sequence[Headed]]) -> tuple[list[Contradiction], int]:
    """Compare one group after the other until the step's time is over; give what disagrees, and how many were done."""
    ends = time.monotonic() + _SECONDS_A_STEP
    spoken = _spoken(comparison, [each for group in groups for each in group])
    most, listed = comparison.room, comparison.listed
    found: list[Contradiction] = []
    for done, group in enumerate(groups):
        if len(found) >= most or (done and time.monotonic() > ends):
            return found, done
        found.extend(contradictions([_said_in(group, spoken)], most=most - len(found), listed=listed))
    return found, len(groups)


def _alike(comparison: _Comparison, new: Sequence[Headed]) -> tuple[list[Headed], bool]:
    """Give the passages of the version before that may disagree with what is new, and whether these are not all."""
    if comparison.base is None:
        return [], False
    seen = {each.passage_id for each in new}
    known: list[Headed] = []
    is_cut = False
    for at in range(0, len(new), _PASSAGES_A_LOOK):
        spoken = _spoken(comparison, new[at : at + _PASSAGES_A_LOOK])
        said = list(dict.fromkeys(saying for each in spoken.values() for saying in sayings(each)))
        with comparison.bench.database.transaction(comparison.tenant) as connection:
            index_store.go_on(connection, comparison.job, progress=NOTHING)
            holding, is_short = _holding(connection, comparison, base=comparison.base, said=said)
            ids = sorted(holding.keys() - seen)
            rows = conflicts.headings_of(connection, version=comparison.version, ids=ids)
        found = _spoken(comparison, [Headed(**row) for row in rows])
        worth = [each.headed for each in found.values() if may_disagree(each, holding[each.headed.passage_id])]
        seen.update(each.passage_id for each in worth)
        known.extend(worth)
        is_cut = is_cut or is_short
    return known[:_MOST_ALIKE], is_cut or len(known) > _MOST_ALIKE


def _holding(
    connection: Connection, comparison: _Comparison, *, base: int, said: Sequence[Saying]
) -> tuple[dict[UUID, list[Saying]], bool]:
    """Give the sentences that a passage may disagree with by the words it holds, and whether some have too many of these."""
    numbers = {term_id(term) for each in said for term in each.said.subject}
    frequency = conflicts.term_frequencies(connection, version=comparison.version, terms=list(numbers))
    wanted = [rarest(each.said.subject, frequency) for each in said]
    pairs = conflicts.alike(
        connection,
        tenant=comparison.tenant,
        version=comparison.version,
        base=base,
        wanted=[(each.terms, each.fewest) for each in wanted],
        limit=_MOST_OF_A_SENTENCE,
    )
    holding: dict[UUID, list[Saying]] = defaultdict(list)
    found = [0] * len(said)
    for place, passage_id in pairs:
        holding[passage_id].append(said[place])
        found[place] += 1
    return holding, max(found, default=0) >= _MOST_OF_A_SENTENCE


def _spoken(comparison: _Comparison, headings: Sequence[Headed]) -> dict[UUID, Spoken]:
    with comparison.bench.database.transaction(comparison.tenant) as connection:
        texts = conflicts.spoken(connection, [each.passage_id for each in headings])
    return {
        each.passage_id: Spoken(headed=each, **texts[each.passage_id]) for each in headings if each.passage_id in texts
    }


def _said_in(group: Sequence[Headed], spoken: Mapping[UUID, Spoken]) -> list[Spoken]:
    """Give the texts of a group; what was discarded meanwhile has none."""
    return [spoken[each.passage_id] for each in group if each.passage_id in spoken]


def _renewing(comparison: _Comparison, spoken: Sequence[Spoken]) -> Iterator[Spoken]:
    """Give passages one by one, and keep the lease while they are read. Errors: LostLeaseError."""
    for place, each in enumerate(spoken):
        if place % _PASSAGES_A_LOOK == 0:
            with comparison.bench.database.transaction(comparison.tenant) as connection:
                index_store.go_on(connection, comparison.job, progress=NOTHING)
        yield each


def _store(comparison: _Comparison, found: Sequence[Contradiction], *, step: Step, slices_done: int = 0) -> bool:
    places = [*comparison.kept, *(_place(each) for each in found)][: comparison.most]
    version = comparison.version
    with comparison.bench.database.transaction(comparison.tenant) as connection:
        index_store.hold(connection, comparison.job)
        conflicts.store_hints(connection, tenant=comparison.tenant, version=version, places=places)
        conflicts.note_comparison(connection, version=version, comparer=COMPARER, partial=comparison.is_partial)
        index_store.hand_on(connection, comparison.job, step=step, slices_done=slices_done)
    return True


def _place(found: Contradiction) -> dict[str, Any]:  # a row of ids and numbers
    spans = {
        "text_start": found.span.start,
        "text_end": found.span.end,
        "other_start": found.other_span.start,
        "other_end": found.other_span.end,
    }
    return {"passage": found.passage_id, "other_passage": found.other_passage_id, **spans}
