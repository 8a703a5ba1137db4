"""Follow an attempt to its closing event, over as many connections as it takes."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import httpx
from httpx_sse import ServerSentEvent, SSEError, connect_sse

from youju_client.errors import ConnectionLostError, ProblemError, problem_of
from youju_client.events import CompletedEvent, ErrorEvent, Event, SessionEvent, event_of
from youju_client.patience import MOST_TRIES, pause_seconds

# Three heartbeats missed: the server promises one at least every fifteen seconds.
SILENCE_SECONDS: Final = 45.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The request that opens a stream for the first time; with its key it may be repeated."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, object] | None = None


@dataclass(slots=True)
class _Progress:
    """How far a stream has come."""

    opening: Opening
    last_id: str = ""
    failures: int = 0
    wish: float | None = None


def follow(http: httpx.Client, opening: Opening, wait: Callable[[float], None]) -> Iterator[Event]:
    """Give each event once, in order, up to the closing one. After a break it attaches behind the last event it heard.

    Closing the iterator leaves the attempt running; cancel it to stop it.
    Errors: ProblemError; ConnectionLostError after six tries in a row that brought nothing.
    """
    progress = _Progress(opening)
    while progress.failures < MOST_TRIES:
        progress.failures += 1
        try:
            if (yield from _heard(http, progress)):
                return
        except (httpx.TransportError, SSEError):
            progress.wish = None
        except ProblemError as no:
            if not no.is_passing:
                raise
            progress.wish = no.retry_after_seconds
        wait(pause_seconds(progress.failures, progress.wish))
    raise ConnectionLostError("The stream brought no closing event.")


def _heard(http: httpx.Client, progress: _Progress) -> Generator[Event, None, bool]:
    """Read one connection, and say at its end whether the closing event came."""
    opening = progress.opening
    headers = opening.headers | ({"Last-Event-ID": progress.last_id} if progress.last_id else {})
    request = httpx.Timeout(10, read=SILENCE_SECONDS)
    with connect_sse(http, opening.method, opening.path, headers=headers, json=opening.body, timeout=request) as source:
        if not source.response.is_success:
            raise problem_of(source.response)
        if source.response.status_code == HTTPStatus.NO_CONTENT:
            raise ConnectionLostError("Everything was heard already; read the attempt.")
        for message in source.iter_sse():
            event = event_of(message)
            if event is None or not _is_new(message, progress):
                continue
            _remember(message, event, progress)
            yield event
            if isinstance(event, CompletedEvent | ErrorEvent):
                return True
    return False


def _is_new(message: ServerSentEvent, progress: _Progress) -> bool:
    # A heartbeat has no number: the parser repeats the one before it.
    if message.event == "heartbeat" or not message.id:
        return True
    return int(message.id) > int(progress.last_id or 0)


def _remember(message: ServerSentEvent, event: Event, progress: _Progress) -> None:
    progress.failures = 0
    progress.last_id = message.id or progress.last_id
    progress.wish = message.retry / 1000 if message.retry is not None else None
    if isinstance(event, SessionEvent):
        path = f"/v1/conversations/{event.conversation_id}/attempts/{event.attempt_id}/events"
        progress.opening = Opening(method="GET", path=path, headers={"Accept": "text/event-stream"})
