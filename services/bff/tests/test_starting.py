"""The three programs of bff, started as they are in production."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from bff.settings import BffSettings
from runtime.http import trust
from runtime.refusing_start import REFUSED_STATUS
from services.bff.tests.client import open_customer
from services.bff.tests.fake_knowledge import FakeKnowledge

pytestmark = pytest.mark.store

_START_SECONDS = 100


def environment(settings: BffSettings, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "YOUJU_REDIS_URL": settings.redis_url,
        "YOUJU_KEYS_DIRECTORY": str(settings.keys_directory),
        "YOUJU_TENANTS_FILE": str(settings.tenants_file),
        "YOUJU_BFF_DATABASE_URL": settings.database_url,
        "YOUJU_BFF_SWEEPER_DATABASE_URL": settings.sweeper_database_url or "",
        "YOUJU_BFF_KNOWLEDGE_URL": settings.knowledge_url,
        "YOUJU_BFF_STOP_SECONDS": "0.5",
        **more,
    }


@asynccontextmanager
async def started(module: str, env: dict[str, str]) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, env=env, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def until_ready(url: str, process: asyncio.subprocess.Process) -> None:
    async with httpx.AsyncClient(trust_env=False, verify=trust()) as http, asyncio.timeout(_START_SECONDS):
        while process.returncode is None:
            try:
                if (await http.get(f"{url}/health/ready")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.1)
    raise AssertionError("the process ended before it was ready")


async def test_a_program_told_to_stop_ends_its_streams_and_leaves(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    async with started("bff.main", environment(settings, YOUJU_BFF_PORT=str(port))) as process:
        await until_ready(url, process)
        async with open_customer(url, tenant) as customer:
            path = f"/v1/conversations/{await customer.open_conversation()}/attempts"
            async with customer.stream("POST", path, question="held") as events:
                heard = [await anext(events)]
                process.send_signal(signal.SIGTERM)
                heard += [event async for event in events]
        async with asyncio.timeout(60):
            status = await process.wait()
    knowledge.gate(json.loads(heard[0].data)["attemptId"]).set()

    assert (heard[-1].event, json.loads(heard[-1].data)["code"]) == ("error", "ABANDONED")
    assert status in (0, -signal.SIGTERM)


@pytest.mark.parametrize("module", ["bff.worker", "bff.pulse"])
async def test_a_program_without_a_port_says_when_it_is_ready_and_stops_when_told(
    settings: BffSettings, tmp_path: Path, module: str
) -> None:
    ready = tmp_path / "ready"

    async with started(module, environment(settings, YOUJU_READY_FILE=str(ready))) as process:
        async with asyncio.timeout(_START_SECONDS):
            while not ready.exists():
                assert process.returncode is None
                await asyncio.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            status = await process.wait()

    assert (status, ready.exists()) == (0, False)


@pytest.mark.parametrize("module", ["bff.main", "bff.worker", "bff.pulse"])
async def test_a_program_says_what_it_misses(module: str) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("YOUJU_")}

    async with started(module, env) as process:
        _, said = await process.communicate()

    assert process.returncode == REFUSED_STATUS
    assert b"YOUJU_BFF_DATABASE_URL is not set." in said
    assert b"YOUJU_KEYS_DIRECTORY is not set." in said
