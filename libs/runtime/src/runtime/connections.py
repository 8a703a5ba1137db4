"""Drop connections whose other end has stopped reading, however little was written to it.

What a handler writes waits for the other end, so a reader that stalls costs one buffer of the kernel and one write. It
is not told apart from one that is slow until it has taken nothing for a while; then its connection is aborted, since
a plain close would wait for it for ever.
"""

import asyncio
from typing import Final

from prometheus_client import Counter
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runtime.logging import get_logger

STALL_SECONDS: Final = 60.0

_STALLED = Counter("youju_connections_stalled_total", "Connections dropped because their other end stopped reading")
_log = get_logger("connections")


class StallingProtocol(HttpToolsProtocol):
    """HTTP/1.1 that gives up a reader which takes nothing for a minute."""

    stall_seconds: float = STALL_SECONDS
    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Learn of everything the kernel does not take at once: then the other end does not read."""
        transport.set_write_buffer_limits(high=0)
        super().connection_made(transport)

    def pause_writing(self) -> None:
        """Start to wait for the reader."""
        super().pause_writing()
        self._giving_up = self.loop.call_later(self.stall_seconds, self._give_up)

    def resume_writing(self) -> None:
        """Go on: the reader has taken everything."""
        self._stop_waiting()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the reader."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        _STALLED.inc()
        _log.info("connection_stalled")
        self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None


def giving_up_after(seconds: float) -> type[StallingProtocol]:
    """Make the protocol with a patience of its own."""
    return type("StallingProtocol", (StallingProtocol,), {"stall_seconds": seconds})
