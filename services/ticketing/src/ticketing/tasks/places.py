"""Keep threads free: whoever is about to call a helpdesk elsewhere takes a place, and never waits for one."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class Places:
    """Places of one process for calls to helpdesks elsewhere: so many in all, and fewer at any one of them."""

    def __init__(self, *, most: int, most_at_one: int) -> None:
        """Take how many threads may be at helpdesks at the same time, and how many at the same helpdesk."""
        self._most = most
        self._most_at_one = most_at_one
        self._lock = threading.Lock()
        self._taken = Counter[str]()

    @contextmanager
    def at(self, helpdesk: str) -> Generator[bool]:
        """Hold a place at a helpdesk while the block runs; gives False at once when there is none."""
        has_place = self._take(helpdesk)
        try:
            yield has_place
        finally:
            if has_place:
                self._give_back(helpdesk)

    def _take(self, helpdesk: str) -> bool:
        with self._lock:
            if self._taken.total() >= self._most or self._taken[helpdesk] >= self._most_at_one:
                return False
            self._taken[helpdesk] += 1
            return True

    def _give_back(self, helpdesk: str) -> None:
        with self._lock:
            self._taken[helpdesk] -= 1


def places_among(threads: int) -> Places:
    """Let half of so many threads be at helpdesks, and a quarter at the same one; the rest is for what is never slow."""
    return Places(most=threads // 2, most_at_one=max(threads // 4, 1))
