"""The scale of a version's similarity and of its evidence: what a cosine means for this tenant's texts.

Source: retrieval.md section 4: `z = (cosine - mean) / sd`, with mean and sd of the cosine between the tenant's own
headings and random passages, so that scores of different tenants can be compared.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from knowledge.ingestion.embedding import Vector

_SEED: Final = 20_180_514
_PAIRS: Final = 2_000
# Fewer pairs say nothing about a tenant; these are the values over several public sets of policies.
_FEWEST_PAIRS: Final = 20
USUAL: Final = (0.2, 0.12)
# The second arm's cosines lie close together and high. Measured with multilingual-e5-small.
USUAL_SECOND: Final = (0.82, 0.02)
_SMALLEST_SHARE: Final = 4
# A tenant whose texts lie further apart than this (cosines of unrelated texts are low and alike, as in an encyclopaedia) has
# near misses that score like the answers of others. Measured with bench/tradeoff.py: policies of one company lie below.
_USUAL_CEILING: Final = 9.0
# Questions about such texts use their words: what answers carries this share of them, and a near miss of a fifth. Measured
# with bench/tradeoff.py on the halves that may be chosen on; asked for in full from this excess on.
_COVERED: Final = 0.33
_FULL_EXCESS: Final = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What labelled questions of a tenant say about evidence: how words and meaning weigh, and where the bands begin."""

    words: float
    meaning: float
    refuse_below: float
    answer_from: float
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Mean and standard deviation of the cosine of unrelated pairs, and how many pairs were measured."""

    mean: float
    sd: float
    pairs: int
    second: "Calibration | None" = None
    """The scale of the second arm, for a version that has its vectors."""
    fitted: Fitted | None = None
    """What was learned from labelled questions; without it the bands follow from the tenant's own texts."""

    def z(self, cosine: float) -> float:
        """Say how many standard deviations a cosine lies above what unrelated texts have."""
        return (cosine - self.mean) / self.sd

    @property
    def stretch(self) -> float:
        """Say by how much the bands of evidence lie higher than a policy says, because near misses do for this tenant."""
        return max(1.0, self.z(1.0) / _USUAL_CEILING)

    @property
    def covered(self) -> float:
        """Say which share of a question's words has to be quoted: none where a tenant's texts lie as usual."""
        return _COVERED * min(1.0, (self.stretch - 1.0) / _FULL_EXCESS)


def calibrate(
    headings: Sequence[Vector], passages: Sequence[Vector], *, usual: tuple[float, float] = USUAL
) -> Calibration:
    """Measure the scale over random pairs. Repeat: the seed is fixed, equal input gives an equal scale.

    `usual` holds mean and deviation for a tenant with too few texts.
    """
    if len(headings) * len(passages) < _FEWEST_PAIRS:
        return Calibration(mean=usual[0], sd=usual[1], pairs=0)
    chance = random.Random(_SEED)  # noqa: S311 - a sample, not a secret
    pairs = [(chance.choice(headings), chance.choice(passages)) for _ in range(_PAIRS)]
    cosines = np.array([float(heading @ passage) for heading, passage in pairs])
    return Calibration(
        mean=float(cosines.mean()), sd=max(float(cosines.std()), usual[1] / _SMALLEST_SHARE), pairs=_PAIRS
    )
