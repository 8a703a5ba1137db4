"""Says in one sentence why a process does not start, where its settings are what is wrong with it."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.settings import SettingsError

REFUSED_STATUS: Final = 78
"""The exit status of a process that its settings forbid: whoever keeps it alive need not start it again.

Source: EX_CONFIG of sysexits.h.
"""

_FAILED: Final = "lifespan.startup.failed"


@contextmanager
def refusing_plainly(service: str) -> Generator[None]:
    """Leave with REFUSED_STATUS and the sentences of a SettingsError instead of the traceback that led to it."""
    try:
        yield
    except SettingsError as unusable:
        sys.stderr.write(f"{service} cannot start:\n{unusable}\n")
        raise SystemExit(REFUSED_STATUS) from None


class PlainRefusal:
    """Tells the server the sentences of a SettingsError instead of the traceback that led to it.

    Whatever else goes wrong at the start is told whole: nobody knows in advance where it comes from. The application's
    state says `is_refused` from then on, because a server ends with one status whatever has failed.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold back what is said of a failed start until it is known why it failed."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def hold_failure(message: Message) -> None:
            if message["type"] == _FAILED:
                held.append(message)
            else:
                await send(message)

        try:
            await self._app(scope, receive, hold_failure)
        except SettingsError as unusable:
            if not held:
                raise
            scope["app"].state.is_refused = True
            await send({**held[0], "message": str(unusable)})
        except BaseException:
            for message in held:
                await send(message)
            raise
