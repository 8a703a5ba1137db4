"""Fits evidence to labelled questions of a tenant: fifty to a hundred, each answerable from its policies or not.

Two weights and a threshold are learned, drawn towards the default so that few labels do little harm. What is reported
of them (reliability, the share that is answered) comes from questions that were left out of the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidRequestError
from knowledge.versions.calibration import Fitted

FEWEST_OF_EACH: Final = 10
MOST_WRONG: Final = 0.15
_FOLDS: Final = 5
_SLOPE: Final = 2.0
_DRAWN: Final = 1.0
_ROUNDS: Final = 50
_SMALLEST: Final = 0.05
_BINS: Final = 5
# The middle band begins where the odds of an answer are a third of what is answered from.
_MIDDLE: Final = log(3)

Numbers = NDArray[np.float64]


class TooFewLabelsError(InvalidRequestError):
    """A calibration needs at least ten questions that the policies answer and ten that they do not."""

    code = "TOO_FEW_LABELS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The strongest evidence for a labelled question, and whether it is answered today."""

    words: float
    meaning: float
    is_answerable: bool
    is_answered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Questions whose chance of an answer was said to be about the same, and what it was."""

    lowest: float
    highest: float
    questions: int
    said: float
    was: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a calibration would change, measured on questions that were left out of the fit."""

    reliability: tuple[Bin, ...]
    answered_before: float
    answered_after: float
    wrong_before: float
    wrong_after: float
    needless_before: float
    needless_after: float


def fit(readings: Sequence[Reading], *, most_wrong: float = MOST_WRONG) -> tuple[Fitted, Report]:
    """Fit weights and bands, and report them. Errors: TooFewLabelsError."""
    wanted = np.array([each.is_answerable for each in readings], dtype=float)
    if min(wanted.sum(), len(wanted) - wanted.sum()) < FEWEST_OF_EACH:
        raise TooFewLabelsError
    features = np.array([[each.words, each.meaning] for each in readings])
    chances = _left_out(features, wanted)
    answers_from = _lowest_chance(chances, wanted, most_wrong)
    learned = _learned(features, wanted)
    slope = float(learned[:2].mean())
    odds = log(answers_from / (1 - answers_from))
    fitted = Fitted(
        words=float(learned[0]) / slope,
        meaning=float(learned[1]) / slope,
        refuse_below=(odds - _MIDDLE - float(learned[2])) / slope,
        answer_from=(odds - float(learned[2])) / slope,
        questions=len(readings),
    )
    return fitted, _report(readings, chances, wanted, answers_from)


def _learned(features: Numbers, wanted: Numbers) -> Numbers:
    """Learn two weights and a constant by Newton's method, the weights drawn towards the default."""
    design = np.column_stack([features, np.ones(len(features))])
    # Begun in the middle of the evidence, where every question still has a say.
    start = np.array([_SLOPE, _SLOPE, -_SLOPE * float(features.sum(axis=1).mean())])
    drawn = np.diag([_DRAWN, _DRAWN, 0.01])
    learned: Numbers = start.copy()
    for _ in range(_ROUNDS):
        chances = _chances(design @ learned)
        slope = design.T @ (chances - wanted) + drawn @ (learned - start)
        curve = (design.T * (chances * (1 - chances))) @ design + drawn
        step = np.clip(np.linalg.solve(curve, slope), -1.0, 1.0).astype(np.float64)
        learned = np.subtract(learned, step)
        learned[:2] = np.maximum(learned[:2], _SMALLEST)
    return learned


def _left_out(features: Numbers, wanted: Numbers) -> Numbers:
    """Give each question the chance that a fit without it says. Repeat: equal input gives equal folds."""
    chances = np.zeros(len(wanted))
    place = np.empty(len(wanted), dtype=int)
    for label in (0.0, 1.0):
        members = np.flatnonzero(wanted == label)
        place[members] = np.arange(len(members)) % _FOLDS
    for fold in range(_FOLDS):
        inside, outside = place != fold, place == fold
        learned = _learned(features[inside], wanted[inside])
        chances[outside] = _chances(features[outside] @ learned[:2] + learned[2])
    return chances


def _chances(odds: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def _lowest_chance(chances: Numbers, wanted: Numbers, most_wrong: float) -> float:
    """Give the lowest chance from which no more than this share of the unanswerable questions would be answered."""
    unanswerable = np.sort(chances[wanted == 0.0])[::-1]
    allowed = int(most_wrong * len(unanswerable))
    lowest = float(unanswerable[allowed]) + 1e-6
    return min(max(lowest, 1 / (1 + exp(3))), 1 / (1 + exp(-3)))


def _report(readings: Sequence[Reading], chances: Numbers, wanted: Numbers, answers_from: float) -> Report:
    before = np.array([each.is_answered for each in readings], dtype=float)
    after = (chances >= answers_from).astype(float)
    return Report(
        reliability=tuple(_bins(chances, wanted)),
        answered_before=float(before.mean()),
        answered_after=float(after.mean()),
        wrong_before=float(before[wanted == 0.0].mean()),
        wrong_after=float(after[wanted == 0.0].mean()),
        needless_before=float(1 - before[wanted == 1.0].mean()),
        needless_after=float(1 - after[wanted == 1.0].mean()),
    )


def _bins(chances: Numbers, wanted: Numbers) -> list[Bin]:
    """Group questions by what was said of them; a group without questions is left out."""
    found: list[Bin] = []
    for number in range(_BINS):
        lowest, highest = number / _BINS, (number + 1) / _BINS
        inside = (chances >= lowest) & ((chances < highest) | (number == _BINS - 1))
        if inside.any():
            said, was = float(chances[inside].mean()), float(wanted[inside].mean())
            found.append(Bin(lowest=lowest, highest=highest, questions=int(inside.sum()), said=said, was=was))
    return found
