"""A reader that does not read costs little, slows nobody, and is dropped."""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from bff.adapters.event_feed import FeedSubscription
from bff.main import create_app
from bff.settings import BffSettings
from bff.stream.numbered import NumberedEvent
from contracts.stream import DeltaEvent
from services.bff.tests.client import names, open_customer, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served
from services.bff.tests.test_streams import held_attempt, rest

CHUNK = b":" + b" " * 65_534 + b"\n"
# A socket's buffers on both sides, however far the kernel lets them grow.
MOST_BYTES = 64 * 1024 * 1024


class Flood:
    """An application that writes as much as it is let."""

    def __init__(self) -> None:
        self.written = 0
        self.ended = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await StreamingResponse(self._chunks(), media_type="text/event-stream")(scope, receive, send)

    async def _chunks(self) -> AsyncIterator[bytes]:
        try:
            while True:
                yield CHUNK
                self.written += len(CHUNK)
                await asyncio.sleep(0)
        finally:
            self.ended.set()


@asynccontextmanager
async def deaf_reader(url: str, path: str, *, token: str = "") -> AsyncGenerator[socket.socket]:
    """Ask for something and never read a byte of it."""
    host, _, port = url.removeprefix("http://").partition(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {token}\r\n\r\n"
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(deaf, (host, int(port)))
        await loop.sock_sendall(deaf, request.encode())
        yield deaf


async def test_who_takes_nothing_for_a_while_is_dropped_and_cost_no_more_than_buffers() -> None:
    flood = Flood()

    async with served(flood, stall_seconds=0.2) as url, deaf_reader(url, "/"):
        async with asyncio.timeout(60):
            await flood.ended.wait()

    assert 0 < flood.written < MOST_BYTES


async def test_who_reads_slowly_is_kept() -> None:
    flood = Flood()
    loop = asyncio.get_running_loop()

    async with served(flood, stall_seconds=5) as url, deaf_reader(url, "/") as slow:
        for _ in range(50):
            await loop.sock_recv(slow, 65_536)
        is_kept = not flood.ended.is_set()

    assert is_kept


@pytest.mark.store
async def test_a_deaf_reader_slows_neither_the_attempt_nor_another_reader(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    async with (
        served(create_app(settings)) as url,
        open_customer(url, tenant) as customer,
        held_attempt(customer) as (attempt, events),
        deaf_reader(url, f"{path_of(attempt)}/events", token=customer.http.headers["Authorization"]),
    ):
        knowledge.gate(attempt.attempt_id).set()
        heard = await rest(events)

    assert names(heard)[-1] == "completed"


async def test_a_reader_that_lags_far_behind_keeps_a_bounded_number_of_events() -> None:
    lagging = FeedSubscription(after=0)
    said = DeltaEvent(kind="statement", text="said", citations=(), new_citations=())

    for number in range(1, 10_001):
        lagging.push((number, 0), NumberedEvent(number, said))
    kept = await lagging.next(timeout_seconds=1)

    assert [event.number for event in kept] == list(range(1, 257))
    assert await lagging.next(timeout_seconds=0.01) == ()
