import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import text
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from contracts.errors import TryAgainError, UnavailableError
from runtime.database import Database
from runtime.pulse import Duty, run_for_each, run_for_each_row, run_once, run_pulse
from youju.database_urls import ServiceDatabase


def lost_turns(duty: str) -> float:
    return REGISTRY.get_sample_value("youju_tenant_turns_lost_total", {"duty": duty}) or 0.0


async def test_a_duty_runs_until_it_finds_nothing() -> None:
    left = [3, 2, 0]

    async def work() -> int:
        return left.pop(0)

    await run_once(Duty(name="work", run=work))

    assert left == []


@pytest.mark.parametrize("trouble", [UnavailableError(), TryAgainError(), ValueError("a bug")])
async def test_a_failing_duty_does_not_stop_the_pulse(trouble: Exception) -> None:
    runs: list[bool] = []

    async def fail() -> int:
        runs.append(True)
        raise trouble

    for _ in range(2):
        await run_once(Duty(name="fail", run=fail))

    assert runs == [True, True]


async def test_the_trouble_of_one_tenant_leaves_the_others_their_turn() -> None:
    left = {"first": 1, "second": 2}

    async def work(tenant: str) -> int:
        if tenant == "broken":
            raise ValueError("a bug")
        left[tenant] -= 1
        return left[tenant]

    assert await run_for_each(["broken", "first", "second"], work) == 1
    assert left == {"first": 0, "second": 1}


async def test_a_lost_turn_is_told_with_its_tenant_and_counted_for_its_duty() -> None:
    async def work(_tenant: str, row: int) -> int:
        return 1 // row

    async def duty() -> int:
        await run_for_each_row([("acme", 0), ("shop", 1)], work)
        return 0

    before = lost_turns("divide")
    with capture_logs(processors=[merge_contextvars]) as events:
        await run_once(Duty(name="divide", run=duty))

    assert [(each["event"], each["tenant"], each["duty"]) for each in events] == [("turn_failed", "acme", "divide")]
    assert lost_turns("divide") - before == 1


async def test_an_outside_system_in_trouble_ends_the_turn_of_all() -> None:
    asked: list[str] = []

    async def work(tenant: str) -> int:
        asked.append(tenant)
        raise TryAgainError

    with pytest.raises(TryAgainError):
        await run_for_each(["first", "second"], work)
    assert asked == ["first"]


async def test_what_every_tenant_lacks_is_not_asked_for_by_each() -> None:
    asked: list[str] = []

    async def work(tenant: str) -> int:
        asked.append(tenant)
        raise UnavailableError

    with pytest.raises(UnavailableError):
        await run_for_each(["first", "second", "third"], work)
    assert asked == ["first", "second"]


async def test_what_one_tenant_lacks_leaves_the_others_their_turn() -> None:
    async def work(tenant: str) -> int:
        if tenant == "slow":
            raise UnavailableError
        return 1

    assert await run_for_each(["slow", "first", "second"], work) == 2
    with pytest.raises(UnavailableError):
        await run_for_each(["slow"], work)


@pytest.mark.store
async def test_a_notification_wakes_a_duty_and_sigterm_ends_the_pulse(
    database: ServiceDatabase, app: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = tmp_path / "ready"
    monkeypatch.setenv("YOUJU_READY_FILE", str(ready))
    runs: asyncio.Queue[bool] = asyncio.Queue()

    async def work() -> int:
        runs.put_nowait(ready.exists())
        return 0

    duty = Duty(name="work", run=work, every_seconds=3600, channel="youju_test")
    pulse = asyncio.create_task(run_pulse((duty,), listen_url=database.app))
    # The first run is the start, the second follows the subscription itself.
    await asyncio.wait_for(runs.get(), 60)
    await asyncio.wait_for(runs.get(), 60)

    async with app.sweep() as connection:
        await connection.execute(text("SELECT pg_notify('youju_test', '')"))

    assert await asyncio.wait_for(runs.get(), 60)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(pulse, 60)
    assert not ready.exists()


@pytest.mark.store
async def test_a_duty_that_swallows_its_cancellation_does_not_keep_the_pulse(database: ServiceDatabase) -> None:
    waits = asyncio.Event()

    async def hold_on() -> int:
        with contextlib.suppress(asyncio.CancelledError):
            waits.set()
            await asyncio.Event().wait()
        return 0

    pulse = asyncio.create_task(run_pulse((Duty(name="hold_on", run=hold_on),), listen_url=database.app))
    await asyncio.wait_for(waits.wait(), 60)
    os.kill(os.getpid(), signal.SIGTERM)

    done, _ = await asyncio.wait({pulse}, timeout=60)
    assert done == {pulse}
