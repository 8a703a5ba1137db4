"""Says in one sentence why an application does not start, where its settings are what is wrong with it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.settings import SettingsError

_FAILED = "lifespan.startup.failed"


class PlainRefusal:
    """Tells the server the sentences of a SettingsError instead of the traceback that led to it.

    Whatever else goes wrong at the start is told whole: nobody knows in advance where it comes from.
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
            await send({**held[0], "message": str(unusable)})
        except BaseException:
            for message in held:
                await send(message)
            raise
