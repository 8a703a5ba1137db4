"""Slices of terms cover every term once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.jobs import slices_of, term_range


@given(st.integers(0, 1_000_000))
def test_slices_cover_all_numbers_without_overlap(passages: int) -> None:
    slices = slices_of(passages)
    ranges = [term_range(number, slices) for number in range(slices)]

    assert (ranges[0][0], ranges[-1][1]) == (-(1 << 63), (1 << 63) - 1)
    assert all(one[1] + 1 == two[0] for one, two in pairwise(ranges))
