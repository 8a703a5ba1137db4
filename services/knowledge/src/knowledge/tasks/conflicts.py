"""Compares the sentences of a version before it is staged and leaves hints for its publisher."""

from typing import Any

from knowledge.evaluation.contradictions import (
    MOST_HEADINGS,
    MOST_HINTS,
    Contradiction,
    Headed,
    Spoken,
    comparable,
    contradictions,
)
from knowledge.tasks.bench import Bench
from knowledge.versions.store import conflicts, counts


def list_conflicts(bench: Bench, tenant: str, version: int) -> None:
    """Store which sentences of a version seem to disagree, comparing only what is new since the version before.

    Repeat: the list is made anew.
    """
    with bench.database.transaction(tenant) as connection:
        base = counts.find_base(connection, version)
        number = None if base is None else base.number
        rows = conflicts.headings(connection, version=version, base=number, limit=MOST_HEADINGS)
        kept = conflicts.hints_of(connection, base=number, version=version)
    groups = comparable(Headed(**row) for row in rows)
    with bench.database.transaction(tenant) as connection:
        texts = conflicts.spoken(connection, [each.passage_id for group in groups for each in group])
    found = contradictions(
        [Spoken(headed=each, **texts[each.passage_id]) for each in group if each.passage_id in texts]
        for group in groups
    )
    places = [*kept, *(_place(each) for each in found)][:MOST_HINTS]
    with bench.database.transaction(tenant) as connection:
        conflicts.store_hints(connection, tenant=tenant, version=version, places=places)


def _place(found: Contradiction) -> dict[str, Any]:  # a row of ids and numbers
    spans = {
        "text_start": found.span.start,
        "text_end": found.span.end,
        "other_start": found.other_span.start,
        "other_end": found.other_span.end,
    }
    return {"passage": found.passage_id, "other_passage": found.other_passage_id, **spans}
