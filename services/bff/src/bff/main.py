"""The HTTP process of bff: `python -m bff.main`."""

import asyncio
import gc
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import FrameType

from fastapi import FastAPI

from bff.api.application import Application, build
from bff.settings import BffSettings
from runtime.application import serve
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process


def create_app(settings: BffSettings) -> FastAPI:
    """Build the application; it connects when it starts to serve."""
    return build(Application(settings), page_directory=settings.page_directory)


@refusing_plainly("bff")
def run() -> None:
    """Serve until told to stop."""
    settings = start_process(BffSettings, service="bff")
    application = _Signalled(settings)
    serve(
        build(application, page_directory=settings.page_directory),
        host=settings.host,
        port=settings.port,
        stall_seconds=settings.stall_seconds,
    )


class _Signalled(Application):
    """Drains at the signal itself: open streams end with their attempts, so the server need not cut them."""

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncGenerator[None]:
        loop = asyncio.get_running_loop()
        draining: list[asyncio.Task[None]] = []
        stop_server = signal.getsignal(signal.SIGTERM)

        def on_signal(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(lambda: draining.append(loop.create_task(self.drain())))
            if callable(stop_server):
                stop_server(number, frame)

        async with super().lifespan(app):
            signal.signal(signal.SIGTERM, on_signal)
            # What is there now stays: the collector need not look through it while streams wait.
            gc.collect()
            gc.freeze()
            yield


if __name__ == "__main__":
    run()
