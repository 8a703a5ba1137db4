"""What an attempt shows before its end, for any number of readers in this process."""

import asyncio
from time import monotonic

from knowledge.validation.releasing import Shown


class Live:
    """Grows while the attempt runs; readers look at what there is and wait for more."""

    def __init__(self) -> None:
        """Begin with nothing shown."""
        self.began_at = monotonic()
        self.first_at: float | None = None
        self.shown: list[Shown] = []
        self._more = asyncio.Event()

    def show(self, shown: Shown) -> None:
        """Add parts and wake every reader."""
        self.first_at = monotonic() if self.first_at is None else self.first_at
        self.shown.append(shown)
        self._more.set()
        self._more = asyncio.Event()

    async def more(self, *, than: int) -> None:
        """Wait until more has been shown than a reader knows."""
        while len(self.shown) <= than:
            await self._more.wait()
