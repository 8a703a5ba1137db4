"""Serve ASGI applications on free ports inside the loop of the tests."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from runtime.connections import STALL_SECONDS, giving_up_after


class _Server(uvicorn.Server):
    """A server that leaves the signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def served(app: ASGIApp, *, stall_seconds: float = STALL_SECONDS) -> AsyncGenerator[str]:
    """Serve an application as our processes do and give its address."""
    # Named, because asyncio sends at once only on sockets that say so; else every answer waits 40 ms for an acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = _Server(
            uvicorn.Config(
                app,
                http=giving_up_after(stall_seconds),
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=1,
            )
        )
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            async with asyncio.timeout(60):
                while not server.started:
                    if running.done():
                        await running
                    await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            await running
