"""Whatever happens between bff and ticketing, an escalation is one ticket.

Two relays and sixteen workers compete; several customers ask for a person at once while the broker or the database is
struck. `make faults SEEDS=200` runs the long table.
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
from typing import Final

import pytest
from redis import Redis

from contracts.customer import Attempt, Escalation
from contracts.ids import uuid7
from tests.faults.test_kills import escalate_despite, recovered, until_ticket
from tests.support.customer import Customer, new_customer
from tests.support.fault_table import DESK, Verdict, note, verdict
from tests.support.staff import desk_tickets
from tests.support.system import System

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

SEEDS: Final = max(int(os.environ.get("YOUJU_FAULT_SEEDS", "4")) // 4, 1)
CUSTOMERS: Final = 4
LATEST_STRIKE_SECONDS: Final = 0.4


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

    # Listed once: each look starts a process, which takes long on a busy machine.
    listed = [item["escalationId"] for item in desk_tickets(system)]
    counts = Counter({each.escalation_id: listed.count(each.escalation_id) for each in handled})
    found = verdict(counts, keys=counts, needing_attention=[])
    note(DESK, f"{strike.__name__.replace('_', ' ')}, under load", found)
    assert found == Verdict(keys=CUSTOMERS, tickets=CUSTOMERS, duplicates=0, losses=0, needing_attention=0)


async def _escalate(guest: Customer, attempt: Attempt) -> Escalation:
    return await escalate_despite(guest, attempt, uuid7().hex)


async def _strike_later(system: System, strike: Callable[[System], None], seconds: float) -> None:
    await asyncio.sleep(seconds)
    await asyncio.to_thread(strike, system)
