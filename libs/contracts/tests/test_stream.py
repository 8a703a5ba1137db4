import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.stream import grammar_fault

OPEN = ["session", "metadata"]


@pytest.mark.parametrize(
    "names",
    [
        [*OPEN, "delta", "citation", "completed"],
        [*OPEN, "heartbeat", "delta", "heartbeat", "delta", "citation", "citation", "completed"],
        [*OPEN, "completed"],
        [*OPEN, "error"],
        [*OPEN, "delta", "error"],
    ],
)
def test_a_closed_stream_follows_the_grammar(names: list[str]) -> None:
    assert grammar_fault(names, closed=True) is None


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["session"],
        ["metadata", "session", "completed"],
        [*OPEN, "delta"],
        [*OPEN, "completed", "completed"],
        [*OPEN, "completed", "error"],
        [*OPEN, "citation", "delta", "completed"],
        [*OPEN, "citation", "error"],
        [*OPEN, "usage", "completed"],
    ],
)
def test_a_broken_stream_is_named(names: list[str]) -> None:
    assert grammar_fault(names, closed=True) is not None


@given(
    middle=st.lists(st.sampled_from(["delta", "heartbeat"])),
    citations=st.lists(st.just("citation")),
    cut=st.integers(min_value=0, max_value=30),
)
def test_every_prefix_of_a_good_stream_is_a_good_open_stream(middle: list[str], citations: list[str], cut: int) -> None:
    whole = [*OPEN, *middle, *citations, "completed"]

    assert grammar_fault(whole, closed=True) is None
    assert grammar_fault(whole[:cut], closed=False) is None
