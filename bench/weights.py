"""Measure how the arms should weigh in the order of passages, over a grid, on questions that are not golden.

    python -m bench.weights --data ../shared/data
    python -m bench.weights --data ../shared/data --home FOLDER --questions 300 xquad_en_zh cmrc2018_dev

Every question is searched for once by the product's own search. What each arm says of each candidate is then put in
order with every point of the grid as the product does it: a first order, the best sentence of its first twenty, a second
order. Printed are R@3 and MRR@10 of every group of questions, and their means over the groups. The questions are those
of `bench/derived.py` and of the public sets that are named; 0.0 as the last weight leaves the second arm out.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final
from uuid import UUID

from bench.derived import PARTED, SCOPES, Probe, anchors, claims, parted
from bench.filling import is_filled
from bench.golden import files_of_scope
from bench.installation import TODAY, Installation, Knowledge, installation, knowledge
from bench.sets import Corpus, read_corpora, spread_rows
from bench.vectors import CachingEmbedder, CachingSecond
from knowledge.adapters.candidates import best_of, gather, score
from knowledge.adapters.e5 import E5Embedder
from knowledge.adapters.embedder import UseEmbedder
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.splitting import context_header
from knowledge.retrieval import fusion
from knowledge.retrieval.passage import Passage, Scores
from knowledge.retrieval.store import reading
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import ThreeWeights, TwoWeights, Weights

SETS: Final = ("xquad_en_zh",)
DEPTH: Final = 10
SHOWN: Final = 3
# What words, the first arm and the second weigh; with two arms the scale of words is another.
_GRID: Final = (
    *((5.0, use, 0.0) for use in (0.3, 0.5)),
    *((4.0, use, second) for use in (0.2, 0.3, 0.4, 0.5) for second in (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the arms say of a candidate, before any weight. `sentence` is None where it has no sentences."""

    passage_id: UUID
    share: float
    cosine: float
    sentence: float | None
    second: float | None
    is_gold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A question with its candidates and the scales of the tenant it was asked of.

    `said` holds the headings and the text of the candidates whose sentences a search compares.
    """

    question: str
    group: str
    calibration: Calibration
    seen: tuple[Seen, ...]
    said: Mapping[UUID, tuple[str, str]]


async def search(
    opened: Knowledge, *, tenant: str, group: str, question: str, holds: Callable[[Passage], bool]
) -> Searched:
    """Search for a question and tell of every candidate what the arms say and whether it answers."""
    asking = opened.searcher.open(tenant=tenant, segments=(), question=question, as_of=TODAY, version=None)
    async with asking as asked:
        scored = await score(asked.connection, asked.asked, await gather(asked.connection, asked.asked))
        ids = list(scored)
        sentences = await reading.sentences_of(asked.connection, tenant=tenant, asked=asked.asked.first, ids=ids)
        passages = await reading.read_passages(asked.connection, tenant=tenant, ids=ids, sentences=sentences)
    seen = tuple(
        Seen(
            passage_id=each,
            share=scores.bm25 / (asked.asked.fusion.bm25_maximum or 1.0),
            cosine=scores.cosine,
            sentence=max((found.similarity for found in sentences.get(each, ())), default=None),
            second=scores.second,
            is_gold=holds(passages[each]),
        )
        for each, scores in scored.items()
    )
    said = {each: _said(passages[each]) for each in best_of(scored)}
    return Searched(question=question, group=group, calibration=asked.serving.calibration, seen=seen, said=said)


async def search_probes(opened: Knowledge, probes: Sequence[Probe]) -> list[Searched]:
    """Search for questions that were derived from policies."""
    return [
        await search(
            opened,
            tenant=each.tenant,
            group=each.group,
            question=each.question,
            holds=lambda passage, gold=each.gold: any(place.holds(passage) for place in gold),
        )
        for each in probes
    ]


async def search_corpus(opened: Knowledge, corpus: Corpus) -> list[Searched]:
    """Search for the questions of a public set."""
    return [
        await search(
            opened,
            tenant=corpus.name,
            group=corpus.name,
            question=each.text,
            holds=lambda passage, gold=each.gold: passage.document in gold,
        )
        for each in corpus.questions
    ]


def rank(searched: Searched, weights: Weights, *, with_second: bool) -> int:
    """Give the place of the first candidate that answers, from 1; 0 when none of the first ten does."""
    scale = fusion.Fusion(weights=weights, calibration=searched.calibration, bm25_maximum=1.0)
    seen = {each.passage_id: each for each in searched.seen}

    def weighed(each: Seen, sentence: float | None) -> Scores:
        second = each.second if with_second else None
        return scale.scores(bm25=each.share, cosine=each.cosine, best_sentence=sentence, second=second)

    first = fusion.order({each: weighed(candidate, None) for each, candidate in seen.items()})
    best = [each.passage_id for each in first[: fusion.SENTENCE_LIMIT]]
    again = fusion.order({each: weighed(seen[each], seen[each].sentence) for each in best})
    places = (place for place, each in enumerate(again[:DEPTH], 1) if seen[each.passage_id].is_gold)
    return next(places, 0)


def main() -> int:
    """Search for everything once and print the grid."""
    _print_grid(searched_groups(options_of(__doc__)))
    return 0


def searched_groups(options: argparse.Namespace) -> dict[str, list[Searched]]:
    """Search for everything once, and give what was seen by the groups that questions are counted in."""
    with installation(options.home) as opened:
        searched = asyncio.run(_search_all(opened, options))
    groups: defaultdict[str, list[Searched]] = defaultdict(list)
    for each in searched:
        groups[each.group].append(each)
    return dict(sorted(groups.items()))


async def _search_all(opened: Installation, options: argparse.Namespace) -> list[Searched]:
    async with knowledge(opened.urls, CachingEmbedder(UseEmbedder()), CachingSecond(E5Embedder())) as built:
        searched: list[Searched] = []
        for name in PARTED:
            files, probes = parted(options.data, name)
            await _publish(opened, built, name, files)
            searched += await search_probes(built, spread_rows(probes, options.questions))
        for scope in dict.fromkeys(SCOPES.values()):
            await _publish(opened, built, scope, files_of_scope(options.data, scope))
        for probes in (claims(options.data), anchors(options.data)):
            searched += await search_probes(built, spread_rows(probes, options.questions))
        for corpus in read_corpora(options.data, options.sets, most_questions=options.questions):
            await _publish(opened, built, corpus.name, corpus.files)
            searched += await search_corpus(built, corpus)
    return searched


async def _publish(opened: Installation, built: Knowledge, tenant: str, files: Sequence[SourceFile]) -> None:
    if not is_filled(opened, tenant):
        await built.importer.publish(tenant, files)


def _print_grid(groups: Mapping[str, Sequence[Searched]]) -> None:
    columns = sorted(groups)
    for number, group in enumerate(columns, 1):
        print(f"{number:>3} {group} ({len(groups[group])} questions)")
    print(
        "\nwords  use    second" + "".join(f"{number:>13}" for number in range(1, len(columns) + 1)) + f"{'mean':>13}"
    )
    for words, use, second in _GRID:
        weights = Weights(two=TwoWeights(bm25=words, use=use), three=ThreeWeights(bm25=words, use=use, second=second))
        figures = [
            figures_of([rank(each, weights, with_second=second > 0) for each in groups[group]]) for group in columns
        ]
        figures.append((fmean(recall for recall, _ in figures), fmean(reciprocal for _, reciprocal in figures)))
        printed = "".join(f"{recall:>7.3f}{reciprocal:>6.3f}" for recall, reciprocal in figures)
        print(f"{words:<7}{use:<7}{second:<6}{printed}", flush=True)


def figures_of(ranks: Sequence[int]) -> tuple[float, float]:
    """Give R@3 and MRR@10."""
    return fmean(0 < each <= SHOWN for each in ranks), fmean(1 / each if each else 0.0 for each in ranks)


def _said(passage: Passage) -> tuple[str, str]:
    return context_header(passage.title, passage.heading_path), passage.text


def options_of(description: str | None) -> argparse.Namespace:
    """Read which questions are asked and where what is filled stays."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help=f"names of files in qa/; without any: {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, required=True, help="the folder with passages/, qa/, corpora/ and claims/")
    parser.add_argument("--home", type=Path, help="keep the filled database here for the next run")
    parser.add_argument("--questions", type=int, default=0, help="at most so many questions of a kind; 0 takes all")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
