"""The trade-off behind one number: how many wrong answers each needless refusal buys off, over all strengths."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.measuring import CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What would happen if evidence had to be at least so strong. `strength` is None for refusing everything."""

    strength: float | None
    wrong: Rate
    needless: Rate


def curve(results: Sequence[CaseResult]) -> tuple[Point, ...]:
    """Give the points from refusing everything to answering everything there is evidence for.

    Wrong answers are out of all questions and needless refusals out of those to answer, so that both are out of the
    same everywhere on the curve. Questions that no strength would answer are refused throughout.
    """
    to_answer = sum(result.must_be_answered for result in results)
    answerable = [result for result in results if result.strength is not None and result.would_be_wrong is not None]
    ordered = sorted(answerable, key=lambda result: -(result.strength or 0.0))
    wrong = reached = 0
    points = [Point(strength=None, wrong=Rate(0, len(results)), needless=Rate(to_answer, to_answer))]
    for place, result in enumerate(ordered):
        wrong += bool(result.would_be_wrong)
        reached += result.must_be_answered
        if place + 1 == len(ordered) or ordered[place + 1].strength != result.strength:
            needless = Rate(to_answer - reached, to_answer)
            points.append(Point(strength=result.strength, wrong=Rate(wrong, len(results)), needless=needless))
    return tuple(points)


def chosen_point(results: Sequence[CaseResult]) -> Point:
    """Give the point at which the version stands now."""
    to_answer = [result for result in results if result.must_be_answered]
    wrong = sum(bool(result.would_be_wrong) for result in results if result.answered)
    needless = Rate(sum(not result.answered for result in to_answer), len(to_answer))
    return Point(strength=None, wrong=Rate(wrong, len(results)), needless=needless)
