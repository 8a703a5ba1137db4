import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from contracts.ids import uuid7
from runtime.database import Database
from services.ticketing.tests.conftest import Eyes, LookAt
from services.ticketing.tests.fakes import ScriptedHelpdesk, WorkerKilled, message, only, order
from tests.support.databases import OpenDatabase
from ticketing.pulse import Crew, due_polls, due_tickets
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.places import Places
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import Helpdesk, HelpdeskStatus, Limits, NotCreatedError
from ticketing.tickets.store import ledger, sweeping

pytestmark = pytest.mark.store


async def test_the_pulse_takes_over_what_a_killed_worker_held(
    edge: Edge, tenant: str, eyes: Eyes, service_database: OpenDatabase
) -> None:
    def kill() -> None:
        raise WorkerKilled

    with pytest.raises(WorkerKilled):
        receive_order(replace(edge, choose=only(ScriptedHelpdesk(before=kill))), message(order(tenant)))
    eyes.come_due()
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    crew = due_tickets(sweeper, edge)

    await crew.run()
    await crew.finish()
    await sweeper.close()

    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]


async def test_the_pulse_leaves_an_order_that_just_came_to_its_worker(
    edge: Edge, tenant: str, service_database: OpenDatabase
) -> None:
    with edge.database.transaction(tenant) as connection:
        data = order(tenant).model_dump(mode="json")
        ticket_id = ledger.receive(connection, order(tenant), data=data, ticket_id=uuid7()).ticket_id
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)

    async with sweeper.sweep() as connection:
        due = await sweeping.find_due(connection, most=100)
    await sweeper.close()

    assert ticket_id not in {found for _, found in due}
    assert resume(edge, tenant=tenant, ticket_id=ticket_id)


async def test_a_tenant_with_a_slow_helpdesk_and_a_backlog_holds_no_other_back(
    edge: Edge, tenant: str, look_at: LookAt, service_database: OpenDatabase
) -> None:
    go_on = threading.Event()
    slow = ScriptedHelpdesk(before=lambda: assert_heard(go_on))
    other = f"{tenant}-other"
    choose = chosen(slow, quick=ScriptedHelpdesk(), for_quick=other)
    for whose, count in ((tenant, 40), (other, 1)):
        with edge.database.transaction(whose) as connection:
            for number in range(count):
                wanted = order(whose, ticket_key=f"key-{number}")
                data = wanted.model_dump(mode="json")
                ledger.receive(connection, wanted, data=data, ticket_id=uuid7())
        look_at(whose).pass_time(3600 if whose == tenant else 60)
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    crew = due_tickets(sweeper, replace(edge, choose=choose))

    await until(crew, lambda: look_at(other).ticket()["state"] == "CREATED")
    created = len(slow.created)
    go_on.set()
    await crew.finish()
    await sweeper.close()
    look_at(tenant).run("UPDATE ticket SET due_at = NULL")

    assert created == 0
    assert 0 < len(slow.created) < 40


async def test_whoever_finds_no_place_at_a_helpdesk_that_hangs_holds_no_other_back(
    edge: Edge, tenant: str, look_at: LookAt, service_database: OpenDatabase
) -> None:
    go_on = threading.Event()
    slow = ScriptedHelpdesk(name="slow", limits=Limits(most_at_once=64), before=lambda: assert_heard(go_on))
    other = f"{tenant}-other"
    # More tenants wait there, and for longer, than the pulse looks at together.
    waiting = [f"{tenant}-{number}" for number in range(20)]
    for whose in (*waiting, other):
        with edge.database.transaction(whose) as connection:
            data = order(whose).model_dump(mode="json")
            ledger.receive(connection, order(whose), data=data, ticket_id=uuid7())
        look_at(whose).pass_time(60 if whose == other else 3600)
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    choose = chosen(slow, quick=ScriptedHelpdesk(), for_quick=other)
    crew = due_tickets(sweeper, replace(edge, choose=choose, places=Places(most=4, most_at_one=2)))

    ended = await until(crew, lambda: look_at(other).ticket()["state"] == "CREATED")
    go_on.set()
    await crew.finish()
    await sweeper.close()
    states = [look_at(whose).ticket()["state"] for whose in waiting]
    for whose in waiting:
        look_at(whose).run("UPDATE ticket SET due_at = NULL")

    # The pulse asks again at once for as long as rows come to an end.
    assert ended > len(waiting) / 2
    assert states.count("CREATED") == 2


async def test_a_helpdesk_that_hangs_when_it_is_read_holds_back_the_polls_of_no_other(
    edge: Edge, tenant: str, look_at: LookAt, service_database: OpenDatabase
) -> None:
    go_on = threading.Event()

    class Hanging(ScriptedHelpdesk):
        def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
            assert go_on.wait(60), f"{tenant} {external_id}"
            return None

    quick = ScriptedHelpdesk(name="quick", is_polled=True, status=HelpdeskStatus(status="SOLVED"))
    other = f"{tenant}-other"
    edge = replace(edge, choose=chosen(Hanging(name="slow", is_polled=True), quick=quick, for_quick=other))
    slow = [f"{tenant}-{number}" for number in range(6)]
    for whose in (*slow, other):
        receive_order(edge, message(order(whose)))
        look_at(whose).pass_time(60 if whose == other else 3600)
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    crew = due_polls(sweeper, edge)

    await until(crew, lambda: look_at(other).told()[-1][0] == "SOLVED")
    read = [look_at(whose).told()[-1][0] for whose in slow]
    go_on.set()
    await crew.finish()
    await sweeper.close()

    assert read == ["TICKET_CREATED"] * len(slow)


async def test_a_ticket_that_cannot_be_taken_up_steps_back(
    edge: Edge, tenant: str, eyes: Eyes, service_database: OpenDatabase
) -> None:
    receive_order(replace(edge, choose=only(ScriptedHelpdesk(errors=[NotCreatedError()]))), message(order(tenant)))
    eyes.run("UPDATE ticket SET body = '{}'")
    eyes.come_due()
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    crew = due_tickets(sweeper, edge)

    await crew.run()
    await crew.finish()
    async with sweeper.sweep() as connection:
        due = await sweeping.find_due(connection, most=1000)
    await sweeper.close()

    assert tenant not in {found for found, _ in due}
    assert eyes.ticket()["state"] == "RETRYING"


async def until(crew: Crew, is_reached: Callable[[], bool]) -> int:
    """Let a crew run until something is reached; give how many rows came to an end."""
    ended = 0
    async with asyncio.timeout(60):
        while not is_reached():
            ended += await crew.run()
    return ended


def assert_heard(event: threading.Event) -> None:
    assert event.wait(60)


def chosen(slow: Helpdesk, *, quick: Helpdesk, for_quick: str) -> Callable[[str, str | None], Helpdesk]:
    """Choose one helpdesk for a tenant and another one for all others."""

    def choose(whose: str, _tried: str | None) -> Helpdesk:
        return quick if whose == for_quick else slow

    return choose
