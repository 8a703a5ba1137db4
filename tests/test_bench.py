"""What a bench reads is spread over a set, and of every kind that it compares."""

from typing import Any

import pytest

from bench.rejection import spread_pairs

pytestmark = pytest.mark.unit

_ROWS: list[dict[str, Any]] = [  # rows of a data file
    {"base": f"q{number}", "answerable": answerable} for number in range(179) for answerable in (True, False)
]


@pytest.mark.parametrize("most", [1, 2, 60, 89, 120, 178, 358, 1_000])
def test_some_rows_of_a_rejection_set_are_of_both_kinds(most: int) -> None:
    some = spread_pairs(_ROWS, most)

    assert 0 < len(some) <= max(most, 2)
    assert sum(row["answerable"] for row in some) * 2 == len(some)


def test_all_rows_are_taken_where_no_number_is_named() -> None:
    assert spread_pairs(_ROWS, 0) == _ROWS
