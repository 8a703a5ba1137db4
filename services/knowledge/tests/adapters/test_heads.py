"""Heads of the answer log leave the database: as lines of a file, and to an address."""

import json
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from knowledge.adapters import heads
from knowledge.adapters.heads import HeadNotTakenError, Heads
from knowledge.auditing.sealing import NO_HEAD, Batch

pytestmark = pytest.mark.unit

_BATCH = Batch(
    tenant="demo", number=3, form=1, rows=2, previous=NO_HEAD, head=b"h" * 32, sealed_at=datetime(2026, 11, 30, tzinfo=UTC)
)  # fmt: skip


async def test_each_head_is_a_line(tmp_path: Path) -> None:
    file = tmp_path / "heads.jsonl"
    telling = Heads(file=file, url=None)

    await telling.tell(_BATCH)
    await telling.tell(_BATCH)

    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines == [
        {"tenant": "demo", "batch": 3, "head": "68" * 32, "sealedAt": "2026-11-30T00:00:00+00:00"}
    ] * 2  # fmt: skip


async def test_a_file_that_cannot_be_written_is_trouble(tmp_path: Path) -> None:
    with pytest.raises(HeadNotTakenError):
        await Heads(file=tmp_path, url=None).tell(_BATCH)


@pytest.mark.parametrize("status", [200, 410, 500])
async def test_an_address_gets_each_head_until_it_took_it(status: int) -> None:
    received: list[httpx.Request] = []

    def receive(request: httpx.Request) -> httpx.Response:
        received.append(request)
        return httpx.Response(status)

    async def tell() -> None:
        await heads.post_head("https://heads.example/", _BATCH, transport=httpx.MockTransport(receive))

    if status == 200:
        await tell()
    else:
        with pytest.raises(HeadNotTakenError):
            await tell()
    assert json.loads(received[0].content)["head"] == "68" * 32
    assert "traceparent" not in received[0].headers
