"""A circuit breaker: what fails again and again is left alone for a while, which costs no time at all."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from contracts.errors import TryAgainError

# Three in a row: one or two happen to every endpoint.
_TROUBLES_TO_OPEN: Final = 3
_FIRST_REST_SECONDS: Final = 10.0
_LONGEST_REST_SECONDS: Final = 300.0


class BreakerOpenError(TryAgainError):
    """This endpoint was in trouble just now and is left alone for a while."""

    code = "BREAKER_OPEN"


class Breaker:
    """Closed lets calls through; open refuses them; when its rest is over one call at a time may try.

    The rest doubles with each try that fails. State belongs to one process and one event loop.
    """

    def __init__(self, *, seconds: Callable[[], float], show_open: Callable[[bool], None] = lambda _: None) -> None:
        """Start closed. `seconds` is a clock that only goes forward; `show_open` hears each change."""
        self._seconds = seconds
        self._show_open = show_open
        self._troubles = 0
        self._rest_seconds = _FIRST_REST_SECONDS
        self._opens_at: float | None = None
        self._is_trying = False

    @property
    def is_open(self) -> bool:
        """Tell whether a call would be refused."""
        resting = self._opens_at is not None and self._seconds() < self._opens_at
        return resting or self._is_trying

    @contextmanager
    def guarded(self) -> Generator[None]:
        """Run one call. TryAgainError counts as trouble, a cancelled call counts as nothing.

        Errors: BreakerOpenError without running it.
        """
        if self.is_open:
            raise BreakerOpenError
        # Calls that began before it opened may end during the one that tries, and must not end that for it.
        tries = self._is_trying = self._opens_at is not None
        try:
            yield
        except TryAgainError as trouble:
            self._troubles += 1
            # Whoever may be asked again at once is in trouble like any other.
            wanted = getattr(trouble, "retry_after_seconds", None)
            if wanted or tries or self._troubles >= _TROUBLES_TO_OPEN:
                self._open(wanted or self._rest_seconds)
            raise
        else:
            self._close()
        finally:
            self._is_trying = self._is_trying and not tries

    def _open(self, rest_seconds: float) -> None:
        self._opens_at = self._seconds() + min(rest_seconds, _LONGEST_REST_SECONDS)
        self._rest_seconds = min(self._rest_seconds * 2, _LONGEST_REST_SECONDS)
        self._show_open(True)

    def _close(self) -> None:
        self._troubles = 0
        self._rest_seconds = _FIRST_REST_SECONDS
        if self._opens_at is not None:
            self._opens_at = None
            self._show_open(False)
