"""Whatever happens between bff and ticketing, an escalation is one ticket.

Two relays and sixteen workers compete; several customers ask for a person at once while the broker or the database is
struck. Prints a table of what was proved. `make faults SEEDS=200` runs the long one.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import pytest
from redis import Redis

from contracts.customer import Attempt, Escalation
from contracts.ids import uuid7
from tests.faults.test_kills import escalate_despite, recovered, until_ticket
from tests.support.customer import Customer, new_customer
from tests.support.staff import tickets_of
from tests.support.system import System

pytestmark = [pytest.mark.fault, pytest.mark.timeout(240)]

SEEDS: Final = max(int(os.environ.get("YOUJU_FAULT_SEEDS", "4")) // 4, 1)
CUSTOMERS: Final = 4
LATEST_STRIKE_SECONDS: Final = 0.4
ROWS: Final = Counter[tuple[str, str]]()


def broker_killed(system: System) -> None:
    os.kill(system.pid("valkey"), signal.SIGKILL)


def broker_emptied(system: System) -> None:
    with Redis.from_url(system.state.environment["YOUJU_REDIS_URL"]) as valkey:
        valkey.flushall()


def database_killed(system: System) -> None:
    os.kill(system.pid("postgres"), signal.SIGKILL)


def database_stopped(system: System) -> None:
    # Its fast shutdown: sessions are ended and everything is written.
    os.kill(system.pid("postgres"), signal.SIGINT)


STRIKES: Final = (broker_killed, broker_emptied, database_killed, database_stopped)


@pytest.fixture(scope="module", autouse=True)
def _rivals(system: System) -> Iterator[None]:
    """Run a second relay and a second worker, with the eight threads of its settings, beside the first."""
    with ExitStack() as stack:
        for module in ("bff.pulse", "ticketing.worker", "ticketing.pulse"):
            stack.enter_context(_process(system, module))
        yield


@contextmanager
def _process(system: System, module: str) -> Generator[None]:
    environment = {**system.environment, **system.state.environment}
    environment = {name: value for name, value in environment.items() if not name.endswith("METRICS_PORT")}
    with (system.home / "logs" / f"rival-{module}.log").open("wb") as log:
        rival = subprocess.Popen([sys.executable, "-m", module], env=environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        rival.kill()
        rival.wait(30)


@pytest.fixture(scope="module", autouse=True)
def _table(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    capture: Any = request.config.pluginmanager.getplugin("capturemanager")  # pytest's own, without a public type
    with capture.global_and_fixture_disabled():
        print(f"\n{'fault':<20}{'runs':>6}{'keys':>6}{'tickets':>9}{'duplicates':>12}{'lost':>6}")  # noqa: T201 - the table
        for name in dict.fromkeys(fault for fault, _ in ROWS):
            counts = [ROWS[name, column] for column in ("runs", "keys", "tickets", "duplicates", "lost")]
            print(f"{name:<20}{counts[0]:>6}{counts[1]:>6}{counts[2]:>9}{counts[3]:>12}{counts[4]:>6}")  # noqa: T201 - as above


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("strike", STRIKES, ids=lambda strike: strike.__name__)
async def test_every_escalation_is_one_ticket(system: System, strike: Callable[[System], None], seed: int) -> None:
    await recovered(system)
    source = random.Random(seed)  # noqa: S311 - a repeatable table of faults, no secret
    async with new_customer(system.bff) as guest:
        attempts = [await guest.ask("能退吗，运费谁承担？") for _ in range(CUSTOMERS)]

        escalations, _ = await asyncio.gather(
            asyncio.gather(*(_escalate(guest, attempt) for attempt in attempts)),
            _strike_later(system, strike, source.uniform(0, LATEST_STRIKE_SECONDS)),
        )
        await recovered(system)
        handled = [
            await until_ticket(guest, attempt, escalation)
            for attempt, escalation in zip(attempts, escalations, strict=True)
        ]

    found = [len(tickets_of(system, each)) for each in handled]
    ROWS.update({(strike.__name__, "runs"): 1, (strike.__name__, "keys"): len(found)})
    ROWS.update({(strike.__name__, "tickets"): sum(found), (strike.__name__, "lost"): found.count(0)})
    ROWS.update({(strike.__name__, "duplicates"): sum(count - 1 for count in found if count > 1)})
    assert found == [1] * CUSTOMERS


async def _escalate(guest: Customer, attempt: Attempt) -> Escalation:
    return await escalate_despite(guest, attempt, uuid7().hex)


async def _strike_later(system: System, strike: Callable[[System], None], seconds: float) -> None:
    await asyncio.sleep(seconds)
    await asyncio.to_thread(strike, system)
