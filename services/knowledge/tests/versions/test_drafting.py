"""The time an import still takes goes by the pace of its step."""

import pytest

from knowledge.versions.drafting import seconds_left


@pytest.mark.parametrize(
    ("elapsed", "done", "left", "expected"),
    [(10.0, 0, 100, None), (10.0, 50, 100, 20), (10.0, 100, 0, 0), (10.0, 100, -3, 0), (0.0, 5, 10, 0)],
)
def test_what_is_left_is_estimated_by_what_is_done(elapsed: float, done: int, left: int, expected: int | None) -> None:
    assert seconds_left(elapsed_seconds=elapsed, done=done, left=left) == expected
