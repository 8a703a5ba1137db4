"""Answer with an attempt: as one JSON document when it is over, or as its stream of events."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from http import HTTPStatus
from typing import Final
from uuid import UUID

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from bff.adapters.customers import Customer
from bff.adapters.records import TenantRecord
from bff.api.edge import Edge
from bff.attempts.asking import Opened
from bff.attempts.attempt import Attempt
from bff.attempts.events import opening_events
from bff.attempts.failures import failure_of
from bff.attempts.store import AttemptStore
from bff.attempts.view import attempt_view
from bff.conversations.conversation import ConversationWithPersonError
from bff.escalations.store import EscalationStore
from bff.stream.following import follow
from bff.stream.numbered import NumberedEvent, numbered, remaining
from contracts import customer
from contracts.errors import NotFoundError, UnavailableError
from contracts.ids import printed
from contracts.reasons import FailureCode
from contracts.stream import HeartbeatEvent
from runtime.sse import HEADERS, MEDIA_TYPE, encode, encode_event

_ATTACH_AGAIN_MILLISECONDS: Final = 500
_HEARTBEAT: Final = encode_event(HeartbeatEvent(), number=None)


def wants_stream(request: Request) -> bool:
    """Say whether the caller asked for events instead of a document."""
    return MEDIA_TYPE in request.headers.get("accept", "")


async def check_streamable(edge: Edge) -> None:
    """Refuse a stream that cannot be promised: there is no log to read, or too many read it. Errors: UnavailableError."""
    edge.feed.check_room()
    await edge.clients.event_log.check()


async def answer(edge: Edge, request: Request, opened: Opened) -> Response:
    """Answer a POST that opened an attempt, or found the one it had opened before."""
    headers = {"Idempotent-Replayed": "true"} if opened.is_repeat else {}
    if wants_stream(request):
        return stream(edge, opened.attempt, after=0, headers=headers)
    return await document(edge, opened.attempt, headers=headers)


def stream(edge: Edge, attempt: Attempt, *, after: int, headers: dict[str, str]) -> StreamingResponse:
    """Stream an attempt from the event after a number on."""
    frames = _frames(edge, attempt, after=after)
    return StreamingResponse(frames, media_type=MEDIA_TYPE, headers={**HEADERS, **headers})


async def document(edge: Edge, attempt: Attempt, *, headers: dict[str, str]) -> JSONResponse:
    """Wait for an attempt and give it: 200 when COMPLETED, 202 while PENDING.

    Errors: AttemptFailedError when it FAILED; ConversationWithPersonError when a person took over meanwhile.
    """
    if attempt.status == "PENDING":
        await _wait(edge, attempt)
    found, feedback = await read_again(edge, attempt)
    if found.failure_code is FailureCode.CANCELLED:
        await _refuse_beside_person(edge, found)
    if found.failure_code is not None:
        failure = failure_of(found.failure_code)
        failure.attempt_id = printed("att", found.attempt_id)
        raise failure
    status = HTTPStatus.ACCEPTED if found.status == "PENDING" else HTTPStatus.OK
    body = attempt_view(found, feedback).model_dump(mode="json")
    return JSONResponse(body, status, {"Cache-Control": "no-store", **headers})


async def _refuse_beside_person(edge: Edge, attempt: Attempt) -> None:
    """Say that a person answers, when that is why an attempt was cancelled. Errors: ConversationWithPersonError."""
    async with edge.clients.database.transaction(attempt.tenant) as connection:
        store = EscalationStore(connection, tenant=attempt.tenant, customer=attempt.customer)
        if await store.is_with_person(attempt.conversation_id):
            raise ConversationWithPersonError(await store.ticket_of_person(attempt.conversation_id))


async def find_attempt(edge: Edge, customer: Customer, conversation_id: UUID, attempt_id: UUID) -> Attempt:
    """Give an attempt of the customer's own. Errors: NotFoundError."""
    async with edge.clients.database.transaction(customer.tenant) as connection:
        store = AttemptStore(connection, tenant=customer.tenant, customer=customer.customer)
        return await store.find(conversation_id, attempt_id)


async def read_again(edge: Edge, attempt: Attempt) -> tuple[Attempt, customer.Feedback | None]:
    """Read an attempt as it is now, with the customer's judgement."""
    async with edge.clients.database.transaction(attempt.tenant) as connection:
        store = AttemptStore(connection, tenant=attempt.tenant, customer=attempt.customer)
        found = await store.find(attempt.conversation_id, attempt.attempt_id)
        return found, (await store.judgements([attempt.attempt_id])).get(attempt.attempt_id)


async def _wait(edge: Edge, attempt: Attempt) -> None:
    seconds = edge.clients.settings.wait_seconds
    if edge.running.runs(attempt.attempt_id):
        await edge.running.wait(attempt.attempt_id, seconds=seconds)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), aclosing(_followed(edge, attempt, after=0)) as events:
            async for _ in events:
                pass


async def _frames(edge: Edge, attempt: Attempt, *, after: int) -> AsyncGenerator[bytes]:
    if attempt.events is not None:
        yield _frames_of(remaining(attempt.events, after=after))
        return
    # How an attempt opens is known before it runs: no reader waits for the log to hear that.
    opening = numbered(opening_events(attempt))
    if after < len(opening):
        yield _frames_of(opening[after:])
    is_over = False
    # Without the database or the attempt there is nothing true to close with; the reader attaches again.
    with suppress(UnavailableError, NotFoundError):
        async with aclosing(_followed(edge, attempt, after=max(after, len(opening)))) as events:
            async for heard in events:
                yield _frames_of(heard)
                is_over = bool(heard) and heard[-1].closes
    if not is_over:
        yield _farewell(attempt)


def _followed(edge: Edge, attempt: Attempt, *, after: int) -> AsyncGenerator[tuple[NumberedEvent, ...]]:
    return follow(
        attempt.attempt_id,
        after=after,
        feed=edge.feed,
        rows=TenantRecord(edge.clients.database, tenant=attempt.tenant),
        heartbeat_seconds=edge.clients.settings.heartbeat_seconds,
        leaves=edge.running.leaves,
    )


def _farewell(attempt: Attempt) -> bytes:
    """Say when to attach again: not at the same moment as every other reader."""
    milliseconds = _ATTACH_AGAIN_MILLISECONDS + attempt.attempt_id.int % _ATTACH_AGAIN_MILLISECONDS
    return encode_event(HeartbeatEvent(), number=None, retry_milliseconds=milliseconds)


def _frames_of(heard: tuple[NumberedEvent, ...]) -> bytes:
    """Write events that are there together as one piece; a heartbeat when there are none."""
    if not heard:
        return _HEARTBEAT
    return b"".join(encode(each.event.event, each.data, number=each.number) for each in heard)
