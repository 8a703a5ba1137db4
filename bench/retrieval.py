"""Measure search through the real index: public question sets and the golden set, each figure beside its bar.

    python -m bench.retrieval --data ../shared/data
    python -m bench.retrieval --data ../shared/data --questions 300 xquad_en_zh
    python -m bench.retrieval --data ../shared/data --no-sets

Every set is a tenant of its own, every passage of it a document. A question counts by the rank of the first document
that answers it, among all that the search weighed. Of the golden set counts whether the evidence is among the first
three passages, and whether a revision that is not in force is among them. Vectors are kept outside the checkout
(YOUJU_BENCH_CACHE), so that only the first run is slow. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from sqlalchemy import text

from bench.golden import Found, measure_golden
from bench.installation import TODAY, Knowledge, installation, knowledge
from bench.measures import Bar, at_least, at_most, print_bars, times
from bench.sets import Corpus, Question, read_corpora
from bench.vectors import CachingEmbedder, CachingSecond
from knowledge.adapters.e5 import E5Embedder
from knowledge.adapters.embedder import UseEmbedder
from youju.database_urls import ServiceDatabase

DEPTH: Final = 10
SETS: Final = ("cmrc2018_dev", "drcd_dev", "xquad_en_zh")

# What each set has to reach with BM25 and the universal sentence encoder: R@3, MRR@10.
_BARS: Final[dict[str, tuple[float, float | None]]] = {
    "cmrc2018_dev": (0.985, 0.97),
    "drcd_dev": (0.96, None),
    "xquad_zh_to_zh": (0.98, 0.945),
    "xquad_en_to_en": (0.98, 0.945),
    "xquad_zh_to_en": (0.85, None),
}
_GOLDEN_BARS: Final = {"en": 0.85, "zh": 0.85, "cross_language": 0.60}

_SLUGS: Final = text("""
    SELECT passage.id, document.slug FROM passage
    JOIN revision ON revision.id = passage.revision JOIN document ON document.id = revision.document
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The best documents for a question, best first, and how long the search took."""

    documents: tuple[str, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How high the right documents stand, over all questions of a set."""

    recall_1: float
    recall_3: float
    reciprocal: float


def main() -> int:
    """Measure what is named and print figures and bars."""
    options = _options()
    with installation() as opened:
        bars = asyncio.run(_measure(opened.urls, options))
    return 0 if print_bars(bars) else 1


def quality(questions: Sequence[Question], rankings: Sequence[Sequence[str]]) -> Quality:
    """Compare rankings with what answers each question."""
    ranks = [_rank(question, ranking) for question, ranking in zip(questions, rankings, strict=True)]
    return Quality(
        recall_1=fmean(rank == 1 for rank in ranks),
        recall_3=fmean(0 < rank <= 3 for rank in ranks),  # noqa: PLR2004 - what R@3 means
        reciprocal=fmean(1 / rank if rank else 0.0 for rank in ranks),
    )


async def ask_all(opened: Knowledge, corpus: Corpus) -> list[Ranked]:
    """Import a set for a tenant of its own and ask its questions, one after the other."""
    await opened.importer.publish(corpus.name, corpus.files)
    async with opened.database.transaction(corpus.name) as connection:
        slugs = {row.id: row.slug for row in await connection.execute(_SLUGS)}
    ranked: list[Ranked] = []
    for question in corpus.questions:
        started = time.perf_counter()
        found = await opened.searcher.search(tenant=corpus.name, segments=(), question=question.text, as_of=TODAY)
        milliseconds = (time.perf_counter() - started) * 1000
        documents = dict.fromkeys(slugs[each.passage_id] for each in found.context.candidates)
        ranked.append(Ranked(documents=tuple(documents)[:DEPTH], milliseconds=milliseconds))
    return ranked


async def _measure(urls: ServiceDatabase, options: argparse.Namespace) -> list[Bar]:
    bars: list[Bar] = []
    second = CachingSecond(E5Embedder()) if options.arms == "e5" else None
    async with knowledge(urls, CachingEmbedder(UseEmbedder()), second) as opened:
        if options.with_sets:
            print(
                f"{'set':<20}{'passages':>9}{'questions':>10}{'R@1':>7}{'R@3':>7}{'MRR@10':>8}{'p50 ms':>8}{'p99 ms':>8}"
            )
            for corpus in read_corpora(options.data, options.sets, most_questions=options.questions):
                bars += await _measure_set(opened, corpus)
        if options.with_golden:
            print(f"\n{'golden questions':<20}{'questions':>10}{'in 3':>7}{'superseded in 3':>17}")
            bars += _judge_golden(await measure_golden(opened, options.data))
    return bars


async def _measure_set(opened: Knowledge, corpus: Corpus) -> list[Bar]:
    ranked = await ask_all(opened, corpus)
    reached = quality(corpus.questions, [each.documents for each in ranked])
    took = times([each.milliseconds for each in ranked])
    print(
        f"{corpus.name:<20}{len(corpus.files):>9}{len(ranked):>10}{reached.recall_1:>7.3f}{reached.recall_3:>7.3f}"
        f"{reached.reciprocal:>8.3f}{took.p50:>8.1f}{took.p99:>8.1f}",
        flush=True,
    )
    recall, reciprocal = _BARS.get(corpus.name, (None, None))
    bars = [at_least(f"{corpus.name}: R@3", reached.recall_3, recall)] if recall else []
    return [*bars, at_least(f"{corpus.name}: MRR@10", reached.reciprocal, reciprocal)] if reciprocal else bars


def _judge_golden(found: Sequence[Found]) -> list[Bar]:
    bars: list[Bar] = []
    for group, floor in _GOLDEN_BARS.items():
        members = [each for each in found if each.group == group]
        share = fmean(each.has_evidence for each in members)
        stale = sum(each.superseded for each in members)
        print(f"{group:<20}{len(members):>10}{share:>7.3f}{stale:>17}")
        bars.append(at_least(f"golden {group}: evidence within the first 3", share, floor))
    for each in found:
        if not each.has_evidence:
            print(f"  without its evidence: {each.question_id}")
    stale = sum(each.superseded for each in found)
    return [*bars, at_most("golden: superseded revisions within the first 3", stale, 0)]


def _rank(question: Question, ranking: Sequence[str]) -> int:
    return next((place for place, slug in enumerate(ranking[:DEPTH], 1) if slug in question.gold), 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help=f"names of files in qa/; without any: {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, required=True, help="the folder with passages/, qa/, corpora/ and golden/")
    parser.add_argument("--arms", choices=("use", "e5"), default="use", help="beside BM25: USE alone, or E5 as well")
    parser.add_argument("--questions", type=int, default=0, help="at most so many questions a set; 0 takes all")
    parser.add_argument("--no-golden", dest="with_golden", action="store_false", help="leave the golden set out")
    parser.add_argument("--no-sets", dest="with_sets", action="store_false", help="measure the golden set alone")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
