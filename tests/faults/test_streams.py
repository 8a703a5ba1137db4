"""Valkey, Postgres or knowledge is struck while an attempt runs: one end, and every reader hears that one.

Knowledge stands still while the blow falls, so that it falls into the middle of the attempt each time.
"""

import asyncio
import json
import os
import signal
from collections.abc import Callable

import httpx
import pytest
from sqlalchemy import create_engine, text

from contracts.customer import Attempt
from contracts.stream import grammar_fault
from tests.faults.test_delivery import broker_emptied, broker_killed, database_killed, database_stopped
from tests.faults.test_kills import QUESTION, SEEDS, recovered, until_closed
from tests.support.customer import Customer, Heard, new_customer, path_of
from tests.support.system import System

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

_COMPARED = text("SELECT agreement, count(*) AS attempts FROM attempt WHERE status <> 'PENDING' GROUP BY agreement")
ENDS = ("completed", "error")


def knowledge_killed(system: System) -> None:
    os.kill(system.pid("knowledge"), signal.SIGKILL)


# A stop takes half a minute and differs little from a kill: the long table has it.
_MORE = (database_stopped,) if SEEDS > 4 else ()
STRIKES = (broker_emptied, broker_killed, database_killed, knowledge_killed, *_MORE)


async def until_heard(customer: Customer, attempt: Attempt) -> Heard:
    """Attach again and again, as a page does, until the end is heard; what was heard before stays heard."""
    heard = Heard(())
    while not heard.names or heard.names[-1] not in ENDS:
        try:
            more = await customer.reattach(attempt, after=heard.logged[-1][0] if heard.logged else None)
            heard = Heard((*heard.events, *more.events))
        except httpx.HTTPError:
            await asyncio.sleep(0.2)
    return heard


async def pending_attempt(customer: Customer, conversation: str) -> Attempt:
    while not (found := await attempts_of(customer, conversation)):
        pass
    return found[0]


async def attempts_of(customer: Customer, conversation: str) -> list[Attempt]:
    answer = await customer.http.get(f"/v1/conversations/{conversation}")
    return [Attempt.model_validate(each) for each in answer.raise_for_status().json()["attempts"]]


async def ask(customer: Customer, conversation: str) -> None:
    try:
        await customer.http.post(f"/v1/conversations/{conversation}/attempts", json={"question": QUESTION})
    except httpx.HTTPError:
        return


@pytest.mark.parametrize("strike", STRIKES, ids=lambda strike: strike.__name__)
async def test_whatever_is_struck_midway_there_is_one_end_for_every_reader(
    system: System, strike: Callable[[System], None]
) -> None:
    await recovered(system)
    async with new_customer(system.bff) as customer:
        conversation = await customer.open_conversation()
        system.freeze("knowledge")
        try:
            asking = asyncio.create_task(ask(customer, conversation))
            attempt = await pending_attempt(customer, conversation)
            readers = [asyncio.create_task(until_heard(customer, attempt)) for _ in range(2)]
            await asyncio.to_thread(strike, system)
        finally:
            if strike is not knowledge_killed:
                system.thaw("knowledge")
        await asyncio.to_thread(system.wait_ready)
        (closed,) = await until_closed(customer, conversation)
        await asking
        heard = [await reader for reader in readers]
        later = await customer.reattach(attempt)
        feedback = await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL"})

    assert [each.logged for each in heard] == [later.logged] * 2
    assert grammar_fault(later.names, closed=True) is None
    assert [name for name in later.names if name in ENDS] == ["completed" if closed.status == "COMPLETED" else "error"]
    assert json.loads(later.events[-1].data).get("answer") == closed.answer
    assert feedback.is_success == (closed.status == "COMPLETED")


async def test_after_all_that_bff_and_knowledge_agree_on_every_attempt(system: System) -> None:
    await recovered(system)

    counts = await asyncio.to_thread(compared, system)

    assert counts.get("different", 0) == 0
    assert counts.get("agreed", 0) > 0


def compared(system: System) -> dict[str | None, int]:
    """Wait until every closed attempt of the examples' tenant was compared, and count how that went."""
    found: dict[str | None, int] = {}
    engine = create_engine(system.state.environment["YOUJU_BFF_DATABASE_URL"])

    def is_done() -> bool:
        with engine.begin() as connection:
            connection.execute(text("SELECT set_config('youju.tenant', 'demo', true)"))
            found.update({row.agreement: row.attempts for row in connection.execute(_COMPARED)})
        return found.pop(None, 0) == 0

    try:
        system.wait(is_done, "all attempts to be compared")
    finally:
        engine.dispose()
    return found
