import threading
from dataclasses import replace

import pytest

from contracts.ids import uuid7
from runtime.database import Database
from services.ticketing.tests.conftest import Eyes, LookAt
from services.ticketing.tests.fakes import ScriptedHelpdesk, WorkerKilled, message, only, order
from tests.support.databases import OpenDatabase
from ticketing.pulse import due_tickets
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import Helpdesk, NotCreatedError
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
    quick, other = ScriptedHelpdesk(), f"{tenant}-other"

    def choose(whose: str, _tried: str | None) -> Helpdesk:
        return slow if whose == tenant else quick

    for whose, count in ((tenant, 40), (other, 1)):
        with edge.database.transaction(whose) as connection:
            for number in range(count):
                wanted = order(whose, ticket_key=f"key-{number}")
                data = wanted.model_dump(mode="json")
                ledger.receive(connection, wanted, data=data, ticket_id=uuid7())
        look_at(whose).pass_time(3600 if whose == tenant else 60)
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    crew = due_tickets(sweeper, replace(edge, choose=choose))

    await crew.run()
    created = look_at(other).ticket()["state"]
    go_on.set()
    await crew.finish()
    await sweeper.close()

    assert created == "CREATED"
    assert 0 < len(slow.created) < 40


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


def assert_heard(event: threading.Event) -> None:
    assert event.wait(30)
