"""How sure a measured rate is: 95 % intervals, and whether two versions differ by more than chance.

A rate over questions has Wilson's interval. A rate over citations, claims or parts has a percentile bootstrap over
questions, because what stands in one answer is right or wrong together. Versions are compared on the same questions:
by McNemar's exact test where a question is right or not, by a paired bootstrap where it holds several.
"""

from collections.abc import Sequence
from math import comb, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Z95: Final = 1.959963984540054
_RESAMPLES: Final = 2_000
_SEED: Final = 20_261_130
_ROWS_AT_ONCE: Final = 50
_TAIL: Final = 2.5
# With fewer questions that differ, no test of theirs can reach 5 %: 2 * 0.5 ** 5 is above it.
FEWEST_DIFFERING: Final = 6


class Rate(NamedTuple):
    """A count and what it is out of."""

    number: int
    out_of: int

    @property
    def value(self) -> float | None:
        """Give the share; None out of nothing."""
        return self.number / self.out_of if self.out_of else None


class Interval(NamedTuple):
    """Where a value lies in 95 of 100 cases."""

    low: float
    high: float


def wilson(rate: Rate) -> Interval | None:
    """Give Wilson's score interval of a share; None out of nothing."""
    number, total = rate
    if not total:
        return None
    share, square = number / total, Z95**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = Z95 * sqrt(share * (1 - share) / total + square / (4 * total**2)) / (1 + square / total)
    return Interval(max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share)))


def bootstrap(rates: Sequence[Rate]) -> Interval | None:
    """Give the interval of a share over several units a question, by drawing questions again and again.

    Where every question came to the same share the draws say nothing, and Wilson's interval over questions is given.
    """
    held = [rate for rate in rates if rate.out_of]
    if not held:
        return None
    shares = {rate.number / rate.out_of for rate in held}
    if len(shares) == 1:
        return _even(shares.pop(), len(held))
    drawn = _drawn(np.array(held, dtype=np.float64))
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], [_TAIL, 100 - _TAIL])
    share = sum(rate.number for rate in held) / sum(rate.out_of for rate in held)
    return Interval(min(float(low), share), max(float(high), share))


def mcnemar(won: int, lost: int) -> float:
    """Give the exact two-sided probability of so uneven a split of the questions that differ."""
    differing = won + lost
    if not differing:
        return 1.0
    tail = sum(comb(differing, each) for each in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / 2**differing)


def paired_difference(pairs: Sequence[tuple[Rate, Rate]]) -> Interval | None:
    """Give the interval of the difference of two shares (first less second) measured on the same questions.

    None when fewer questions differ than could tell anything.
    """
    held = [(one, other) for one, other in pairs if one.out_of and other.out_of]
    if sum(one.value != other.value for one, other in held) < FEWEST_DIFFERING:
        return None
    drawn = _drawn(np.array([(*one, *other) for one, other in held], dtype=np.float64))
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3], [_TAIL, 100 - _TAIL])
    return Interval(float(low), float(high))


def _even(share: float, questions: int) -> Interval | None:
    """Widen a share that all questions have as if each were one unit."""
    found = wilson(Rate(round(share * questions), questions))
    return None if found is None else Interval(min(found.low, share), max(found.high, share))


def _drawn(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum up the rows of every draw. Repeat: the seed is fixed, equal input gives equal draws."""
    chance = np.random.default_rng(_SEED)
    sums = [
        counts[chance.integers(0, len(counts), size=(_ROWS_AT_ONCE, len(counts)))].sum(axis=1)
        for _ in range(_RESAMPLES // _ROWS_AT_ONCE)
    ]
    return np.concatenate(sums)
