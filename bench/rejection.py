"""Questions with five passages each: the one that answers among near misses, or near misses alone, which must be refused."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from bench.installation import TODAY, Knowledge
from bench.sets import read_files, spread_rows
from knowledge.adapters.candidates import Gathered, gather, order_by_sentences, score
from knowledge.retrieval.passage import Found, PolicyContext
from knowledge.retrieval.searching import SearchResult
from knowledge.retrieval.store import reading

SETS: Final = ("cmrc2018_dev", "drcd_dev", "squad2_dev")

_SLUGS: Final = text("""
    SELECT passage.id, document.slug FROM passage
    JOIN revision ON revision.id = passage.revision JOIN document ON document.id = revision.document
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question with what the search may find for it. `base` is the question in whatever company of passages."""

    base: str
    question: str
    is_answerable: bool
    result: SearchResult


async def read_rows(opened: Knowledge, data: Path, name: str, *, most: int) -> list[Row]:
    """Import a set for a tenant of its own, and search each question among its candidates only."""
    await opened.importer.publish(name, read_files(data, name))
    async with opened.database.transaction(name) as connection:
        slugs = {row.id: row.slug for row in await connection.execute(_SLUGS)}
    lines = (data / "qa" / f"{name}_rejection.jsonl").read_text(encoding="utf-8").splitlines()
    rows = spread_pairs([json.loads(line) for line in lines], most)
    return [await _row(opened, name, row, slugs) for row in rows]


def spread_pairs(rows: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:  # rows of a data file
    """Take at most so many rows, evenly spread, each question both with the passage that answers it and without; 0 takes all.

    Rows of the two kinds take turns, so that every second one, or every fourth, would all be of one kind.
    """
    bases = list(dict.fromkeys(row["base"] for row in rows))
    kept = frozenset(spread_rows(bases, max(1, most // 2) if most else 0))
    return [row for row in rows if row["base"] in kept]


async def _row(opened: Knowledge, tenant: str, row: dict[str, Any], slugs: dict[UUID, str]) -> Row:  # a data file's row
    allowed = {each for each, slug in slugs.items() if slug in row["candidates"]}
    asking = opened.searcher.open(tenant=tenant, segments=(), question=row["question"], as_of=TODAY, version=None)
    async with asking as asked:
        gathered = _among(await gather(asked.connection, asked.asked), allowed)
        scored = await score(asked.connection, asked.asked, gathered)
        candidates, sentences = await order_by_sentences(asked.connection, asked.asked, scored)
        ids = [each.passage_id for each in candidates]
        passages = await reading.read_passages(asked.connection, tenant=tenant, ids=ids, sentences=sentences)
    context = PolicyContext(
        version=asked.serving.version,
        found=tuple(Found(passage=passages[each.passage_id], scores=each.scores) for each in candidates),
        candidates=candidates,
        term_idf=asked.asked.idf,
    )
    result = SearchResult(serving=asked.serving, context=context)
    return Row(base=row["base"], question=row["question"], is_answerable=row["answerable"], result=result)


def _among(gathered: Gathered, allowed: set[UUID]) -> Gathered:
    arms = {name: getattr(gathered, name) for name in ("lexical", "similar", "second")}
    kept = {name: {each: value for each, value in arm.items() if each in allowed} for name, arm in arms.items()}
    return replace(gathered, **kept)
