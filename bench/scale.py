"""Time searches over a large tenant through the real store, beside the bare statements and the bare models.

    python -m bench.scale --data ../shared/data --passages 100000
    python -m bench.scale --data ../shared/data --passages 1000000 --home /some/folder

The tenant is built by a real import: real documents first, then copies with 15 % of their words replaced and vectors
moved as far as that moves real ones. One passage in a hundred is for everybody, the rest for members. Above 100,000
passages the imported ones are multiplied in SQL, which is no import any more but gives tables and graphs of that size.
With --home the database is kept there and filled once. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import gc
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
import psycopg

from bench.corpus import MANY, Mimic
from bench.filling import corpus_of, fill, is_filled, warm
from bench.installation import Installation, Knowledge, installation, knowledge
from bench.latency import (
    Asking,
    NoEmbedder,
    recall,
    time_bare_statements,
    time_embedding,
    time_searches,
    time_words,
)
from bench.measures import Bar, Times, at_least, at_most, print_bars
from bench.multiplying import multiply
from bench.projected import ProjectedSecond
from bench.questions import mixed_questions
from bench.vectors import CachingEmbedder
from knowledge.adapters.e5 import E5Embedder
from knowledge.adapters.embedder import EmbeddingPool, UseEmbedder
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.adapters.words import RememberedWords
from knowledge.ingestion.embedding import embedded_form

TENANT: Final = "scale"
_IMPORTED: Final = 100_000
_WARM_UP: Final = 40
_RECALL_QUESTIONS: Final = 100
_VECTORS: Final = ("passage_vector", "passage_vector_384")
_SIZES: Final = """
    SELECT coalesce(parent.relname, child.relname), sum(pg_total_relation_size(child.oid)) / 1e6
    FROM pg_class AS child
    LEFT JOIN pg_inherits ON inhrelid = child.oid LEFT JOIN pg_class AS parent ON parent.oid = inhparent
    JOIN pg_namespace ON pg_namespace.oid = child.relnamespace AND nspname = 'public'
    WHERE child.relkind = 'r' GROUP BY 1 HAVING sum(pg_total_relation_size(child.oid)) > 1e6 ORDER BY 2 DESC
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the median and the slowest of a hundred may take, in milliseconds; None is not asked for."""

    p50: float | None
    p99: float | None


_LIMITS: Final = {
    "BM25": Limits(p50=10, p99=40),
    "BM25 + USE": Limits(p50=20, p99=60),
    "BM25 + USE + E5": Limits(p50=40, p99=120),
}
_MILLION_LIMITS: Final = {"BM25 + USE": Limits(p50=None, p99=250)}


def main() -> int:
    """Fill, measure and print."""
    options = _options()
    with installation(options.home) as opened:
        bars = asyncio.run(_run(opened, options))
        _print_sizes(opened)
    return 0 if print_bars(bars) else 1


async def _run(opened: Installation, options: argparse.Namespace) -> list[Bar]:
    mimic = Mimic(CachingEmbedder(UseEmbedder()))
    second = ProjectedSecond(mimic, E5Embedder())
    async with knowledge(opened.urls, mimic, second) as built_with:
        if not is_filled(opened, TENANT):
            await _fill(opened, built_with, mimic, passages=options.passages, data=options.data)
        warm(built_with, TENANT, _VECTORS)
        questions = mixed_questions(options.data, options.questions + _WARM_UP)
        # The service freezes what it has loaded, too, so that the collector does not look through it during a question.
        gc.collect()
        gc.freeze()
        limits = _LIMITS if options.passages <= _IMPORTED else _MILLION_LIMITS
        return [
            *await _time(built_with, opened, questions, limits),
            *await _recall(built_with, questions[:_RECALL_QUESTIONS]),
        ]


async def _fill(opened: Installation, built_with: Knowledge, mimic: Mimic, *, passages: int, data: Path) -> None:
    started = time.perf_counter()
    files = corpus_of(data, mimic, passages=min(passages, _IMPORTED))
    print(f"{len(files)} documents made in {time.perf_counter() - started:.0f} s; noise {mimic.noise:.2f}", flush=True)
    built = await fill(opened, built_with, TENANT, files)
    for name, seconds in (built.steps | built.graphs).items():
        print(f"  {name:<28}{seconds:>8.1f} s")
    if passages > _IMPORTED:
        print(f"multiplied in {multiply(opened.admin, TENANT, times=-(-passages // _IMPORTED)):.0f} s")


async def _time(built_with: Knowledge, opened: Installation, asked: list[str], limits: dict[str, Limits]) -> list[Bar]:
    """Time every way of searching with the real models, each after a few questions that are not counted."""
    first, second = UseEmbedder(), E5Embedder()
    projected = ProjectedSecond(first, second)
    projected.prepare([embedded_form(question) for question in asked])
    rows: dict[str, Times] = {}
    ways = {
        "BM25": EmbeddingPool(NoEmbedder(first.identity), queue=4),
        "BM25 + USE": EmbeddingPool(first, queue=4),
        "BM25 + USE + E5": EmbeddingPool(first, queue=4, second=projected),
    }
    words = RememberedWords(built_with.database)
    members = Asking(tenant=TENANT, segments=(MANY,), questions=asked[_WARM_UP:])
    everybody = Asking(tenant=TENANT, segments=(), questions=members.questions)
    for name, pool in ways.items():
        searcher = DatabaseSearcher(built_with.database, pool, words=words)
        timed = time_words if name == "BM25" else time_searches
        await timed(searcher, Asking(tenant=TENANT, segments=(MANY,), questions=asked[:_WARM_UP]))
        await words.settle()
        rows[name] = await timed(searcher, members)
        rows[f"{name}, seeing 1 %"] = await timed(searcher, everybody)
        pool.close()
    rows["bare SQL: postings"], rows["bare SQL: graph"] = await time_bare_statements(built_with, opened.admin, members)
    rows["bare USE"] = time_embedding(first.embed, members.questions)
    rows["bare E5"] = time_embedding(second.questions, members.questions)
    print(f"\n{'milliseconds':<28}{'p50':>8}{'p99':>8}{'n':>7}")
    for name, row in rows.items():
        print(f"{name:<28}{row.p50:>8.1f}{row.p99:>8.1f}{row.runs:>7}", flush=True)
    return [bar for name, limit in limits.items() for bar in _bars(name, rows[name], limit)]


async def _recall(built_with: Knowledge, questions: list[str]) -> list[Bar]:
    members = Asking(tenant=TENANT, segments=(MANY,), questions=questions)
    everybody = Asking(tenant=TENANT, segments=(), questions=questions)
    searcher = built_with.searcher
    return [
        at_least("USE: recall@10 against comparing all", await recall(searcher, members), 0.95),
        at_least("USE: the same, seeing 1 %", await recall(searcher, everybody), 0.95),
        at_least("E5: recall@10 against comparing all", await recall(searcher, members, second=True), 0.95),
        at_least("E5: the same, seeing 1 %", await recall(searcher, everybody, second=True), 0.95),
    ]


def _bars(name: str, row: Times, limits: Limits) -> list[Bar]:
    pairs = (("p50", row.p50, limits.p50), ("p99", row.p99, limits.p99))
    return [at_most(f"{name}: {which} ms", measured, limit) for which, measured, limit in pairs if limit is not None]


def _print_sizes(opened: Installation) -> None:
    with psycopg.connect(opened.admin) as admin:
        print("\nmegabytes on disk, indexes included")
        for name, megabytes in admin.execute(_SIZES):
            print(f"  {name:<28}{megabytes:>8.0f}")
    resident = psutil.Process().memory_info().rss / 1e6
    print(f"resident memory of this process: {resident:.0f} MB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with passages/ and qa/")
    parser.add_argument("--passages", type=int, default=_IMPORTED, help="how large the tenant is made")
    parser.add_argument("--questions", type=int, default=500, help="how many questions are timed")
    parser.add_argument("--home", type=Path, help="keep the filled database here and use it again")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
