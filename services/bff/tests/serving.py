"""Serve ASGI applications on free ports inside the loop of the tests."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """A server that leaves the signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncGenerator[str]:
    """Serve an application and give its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = _Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1))
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            async with asyncio.timeout(20):
                while not server.started:
                    if running.done():
                        await running
                    await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            await running
