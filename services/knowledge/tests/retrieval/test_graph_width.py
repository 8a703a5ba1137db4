"""The larger a graph, the wider it is walked, within what the database allows."""

import pytest

from knowledge.retrieval.searching import graph_width

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("passages", "width"),
    [(0, 400), (20_001, 400), (50_000, 400), (100_000, 800), (125_000, 1_000), (1_000_000, 1_000)],
)
def test_the_width_follows_the_size(passages: int, width: int) -> None:
    assert graph_width(passages) == width


@pytest.mark.parametrize(("passages", "width"), [(20_001, 400), (100_000, 500), (200_000, 1_000), (1_000_000, 1_000)])
def test_the_graph_of_the_second_arm_is_walked_less_widely(passages: int, width: int) -> None:
    assert graph_width(passages, is_second=True) == width
