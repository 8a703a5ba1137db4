"""The result is stored, and bff dies before it tells the readers: they hear the end all the same."""

import asyncio

import pytest
from redis import Redis

from contracts.customer import Attempt
from contracts.stream import grammar_fault
from tests.support.customer import Customer
from tests.support.system import System

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

# session, metadata and the first part were told; the rest is in the row alone.
TOLD = 3


def forget_the_end(system: System, attempt: Attempt) -> int:
    """Leave of an attempt's log what a process leaves that is killed after its UPDATE; say how much is missing."""
    with Redis.from_url(system.state.environment["YOUJU_REDIS_URL"], decode_responses=True) as valkey:
        key = f"attempt:{attempt.attempt_id}"
        untold = [f"{number}-0" for number in range(TOLD + 1, TOLD + 20)]
        return int(str(valkey.xdel(key, *untold)))


@pytest.mark.parametrize("dies", [True, False], ids=["bff dies", "bff lives"])
async def test_readers_hear_an_end_that_was_stored_but_never_told(
    system: System, customer: Customer, *, dies: bool
) -> None:
    attempt = await customer.ask("能退吗，运费谁承担？")
    whole = await customer.reattach(attempt)

    missing = forget_the_end(system, attempt)
    if dies:
        await asyncio.to_thread(system.kill, "bff")
    again = await customer.reattach(attempt)
    rest = await customer.reattach(attempt, after=str(TOLD))

    assert missing == len(whole.logged) - TOLD
    assert grammar_fault(again.names, closed=True) is None
    assert again.logged == whole.logged
    assert rest.logged == whole.logged[TOLD:]
