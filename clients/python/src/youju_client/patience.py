"""Say how long to wait before the next try."""

from typing import Final

MOST_TRIES: Final = 6
_FIRST_SECONDS: Final = 0.5
_LONGEST_SECONDS: Final = 15.0


def pause_seconds(failures: int, wish: float | None = None) -> float:
    """Double the wait with every failure in a row, up to fifteen seconds; a wish of the server comes first."""
    if wish is not None:
        return min(max(wish, 0.0), _LONGEST_SECONDS)
    return min(_FIRST_SECONDS * 2 ** max(failures - 1, 0), _LONGEST_SECONDS)
