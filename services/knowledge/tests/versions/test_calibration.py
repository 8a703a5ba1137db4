"""The scale of a version is what unrelated texts of its tenant have in common."""

import numpy as np
import pytest

from knowledge.ingestion.embedding import Vector
from knowledge.versions.calibration import calibrate


def test_equal_input_gives_an_equal_scale() -> None:
    chance = np.random.default_rng(1)
    vectors: list[Vector] = [
        each / np.linalg.norm(each) for each in chance.standard_normal((30, 16)).astype(np.float32)
    ]

    scale = calibrate(vectors[:10], vectors)

    assert scale == calibrate(vectors[:10], vectors)
    assert scale.z(scale.mean + scale.sd) == pytest.approx(1)


def test_few_pairs_give_the_usual_scale() -> None:
    one: Vector = np.full(4, 0.5, dtype=np.float32)

    assert calibrate([], []) == calibrate([one], [one, one])


def test_texts_that_are_all_alike_do_not_divide_by_zero() -> None:
    same: list[Vector] = [np.full(4, 0.5, dtype=np.float32)] * 10

    assert calibrate(same, same).z(1.0) == pytest.approx(0, abs=1e-6)
