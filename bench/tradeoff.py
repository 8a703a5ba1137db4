"""Print the whole trade-off of the gate: wrong answers against needless refusals, by where the strong band begins.

    python -m bench.tradeoff --data ../shared/data
    python -m bench.tradeoff --data ../shared/data --rows 120

Golden questions go through the whole of answering; of the rejection sets (five passages a question, with the one that
answers or without it) the gate alone is asked. Each row is one place of the band, as a share of where it is. Questions
are split in halves by a hash of their id: what is chosen is chosen on the first half, the second only reports. Below
stands what a calibration with a hundred labelled questions of the first half makes of the second.
"""

import argparse
import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bench.golden import import_scopes
from bench.installation import TODAY, Knowledge, installation, knowledge
from bench.recording import RecordingSearcher, answer_of, observed_of
from bench.rejection import SETS, Row, read_rows
from bench.sets import spread_rows
from bench.vectors import CachingEmbedder
from knowledge.adapters.embedder import UseEmbedder
from knowledge.answering.evidence import strongest_parts
from knowledge.answering.gate import judge
from knowledge.answering.judgement import Facts, Searched
from knowledge.answering.question_parts import QuestionPart
from knowledge.evaluation.golden import Golden
from knowledge.evaluation.scoring import Library, Score, score
from knowledge.versions.calibration import Fitted
from knowledge.versions.fitting import Reading, fit
from knowledge.versions.routing_policy import (
    RoutingPolicy,
    Thresholds,
    calibrated,
    default_routing_policy,
    parse_routing_policy,
)
from youju.corpora import read_library
from youju.database_urls import ServiceDatabase
from youju.evaluating import scopes_of

_SHARES: Final = (0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
_LABELS: Final = 100
_NOBODY: Final = Facts(signed={}, typed={})


@dataclass(frozen=True, slots=True)
class Asked:
    """A golden question with what became of it."""

    golden: Golden
    was_answered: bool
    score: Score


def main() -> None:
    """Print every curve."""
    options = _options()
    with installation() as opened:
        asyncio.run(_measure(opened.urls, options))


def is_dev(name: str) -> bool:
    """Tell the half that may be chosen on from the half that only reports."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 0


def at(policy: RoutingPolicy, share: float) -> RoutingPolicy:
    """Move both bands of a policy."""
    bands = policy.thresholds.model_dump() | {
        "refuse_below": policy.thresholds.refuse_below * share,
        "answer_from": policy.thresholds.answer_from * share,
    }
    return policy.model_copy(update={"thresholds": Thresholds.model_validate(bands)})


async def _measure(urls: ServiceDatabase, options: argparse.Namespace) -> None:
    async with knowledge(urls, CachingEmbedder(UseEmbedder())) as opened:
        await _print_golden(opened, options.data)
        for name in SETS:
            _print_rejection(name, await read_rows(opened, options.data, name, most=options.rows))


async def _print_golden(opened: Knowledge, data: Path) -> None:
    questions = await import_scopes(opened, data)
    library = read_library(data / "corpora" / "manifest.jsonl", today=TODAY)
    searcher = RecordingSearcher(opened.searcher)
    print(
        "golden           route right   needless refusals   wrong on unanswerable   wrong of answered   (dev | other half)"
    )
    for share in _SHARES:
        searcher.adjust = lambda policy, share=share: at(policy, share)
        asked = [await _ask(each, searcher, scopes_of(questions)[0], library) for each in questions]
        halves = [[each for each in asked if is_dev(each.golden.id) == half] for half in (True, False)]
        print(f"band x {share:<5}" + " | ".join(_golden_row(half) for half in halves), flush=True)


async def _ask(golden: Golden, searcher: RecordingSearcher, anywhere: str, library: Library) -> Asked:
    closing = await answer_of(golden.question, tenant=golden.scope or anywhere, searcher=searcher)
    found = (each for result in searcher.found.values() for each in result.context.found)
    observed = observed_of(closing, {each.passage.passage_id: each.passage for each in found})
    measured = score(golden, observed, library=library, claim_overlap=Thresholds().claim_overlap)
    return Asked(golden, observed.answered, measured)


def _golden_row(asked: Sequence[Asked]) -> str:
    must = [each for each in asked if each.golden.must_be_answered]
    unanswerable = [each for each in asked if each.golden.category == "unanswerable"]
    answered = [each for each in asked if each.was_answered]
    return "".join(
        f"{sum(flags):>8}/{len(flags):<4}"
        for flags in (
            [each.score.route_right for each in asked],
            [each.score.needless_refusal for each in must],
            [each.was_answered for each in unanswerable],
            [bool(each.score.wrong_because) for each in answered],
        )
    )


def _print_rejection(name: str, rows: Sequence[Row]) -> None:
    dev, other = ([row for row in rows if is_dev(row.base) == half] for half in (True, False))
    if not dev or not other:
        print(f"\n{name:<17}{len(rows)} rows are too few: one half of the questions has none", flush=True)
        return
    print(f"\n{name:<17}wrong   needless  (dev | other half, {len(dev)} | {len(other)} questions)")
    for share in _SHARES:
        print(f"band x {share:<5}" + " | ".join(_rejection_row(half, share) for half in (dev, other)), flush=True)
    fitted, _ = fit([_reading(row) for row in spread_rows(dev, _LABELS)])
    calibration = replace(rows[0].result.serving.calibration, fitted=fitted)
    policy = calibrated(parse_routing_policy(default_routing_policy()), calibration)
    wrong, needless = _rates([_weighed_again(row, fitted) for row in other], policy)
    print(
        f"calibrated with {min(len(dev), _LABELS)} questions of the first half, on the other: {wrong:.2f} wrong, {needless:.2f} needless"
    )


def _rejection_row(rows: Sequence[Row], share: float) -> str:
    wrong, needless = _rates(rows, at(rows[0].result.serving.routing_policy, share))
    return f"{wrong:>10.2f}{needless:>10.2f}"


def _rates(rows: Sequence[Row], policy: RoutingPolicy) -> tuple[float, float]:
    answered = [(row.is_answerable, _is_answered(row, policy)) for row in rows]
    wrong = [was for is_answerable, was in answered if not is_answerable]
    right = [was for is_answerable, was in answered if is_answerable]
    return sum(wrong) / len(wrong), 1 - sum(right) / len(right)


def _is_answered(row: Row, policy: RoutingPolicy) -> bool:
    searched = Searched(part=QuestionPart(row.question, row.question), context=row.result.context)
    return judge([searched], policy=policy, facts=_NOBODY).refusal is None


def _reading(row: Row) -> Reading:
    policy = row.result.serving.routing_policy
    parts = strongest_parts(row.result.context.found, question=row.question, weights=policy.weights)
    is_answered = parts.strength >= policy.thresholds.answer_from
    return Reading(words=parts.words, meaning=parts.meaning, is_answerable=row.is_answerable, is_answered=is_answered)


def _weighed_again(row: Row, fitted: Fitted) -> Row:
    """Give a row as a search of the calibrated version would have found it."""
    context = row.result.context
    found = tuple(
        replace(each, scores=replace(each.scores, meaning=(each.scores.meaning or 0.0) * fitted.meaning))
        for each in context.found
    )
    return replace(row, result=replace(row.result, context=replace(context, found=found)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with golden/, corpora/, passages/ and qa/")
    parser.add_argument("--rows", type=int, default=0, help="at most so many rows of a rejection set; 0 takes all")
    return parser.parse_args()


if __name__ == "__main__":
    main()
