from dataclasses import replace

import pytest

from contracts.ids import uuid7
from runtime.database import Database
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import ScriptedHelpdesk, WorkerKilled, message, order
from tests.support.databases import OpenDatabase
from ticketing.pulse import due_tickets
from ticketing.tasks.acting import act
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets import store

pytestmark = pytest.mark.store


async def test_the_pulse_takes_over_what_a_killed_worker_held(
    edge: Edge, tenant: str, eyes: Eyes, service_database: OpenDatabase
) -> None:
    def kill() -> None:
        raise WorkerKilled

    with pytest.raises(WorkerKilled):
        receive_order(replace(edge, helpdesk=ScriptedHelpdesk(before=kill)), message(order(tenant)))
    eyes.come_due()
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)
    duty = due_tickets(sweeper, edge)

    handled = [await duty(), await duty()]
    await sweeper.close()

    assert handled == [1, 0]
    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]


async def test_the_pulse_leaves_an_order_that_just_came_to_its_worker(
    edge: Edge, tenant: str, service_database: OpenDatabase
) -> None:
    with edge.database.transaction(tenant) as connection:
        data = order(tenant).model_dump(mode="json")
        ticket_id = store.receive(connection, order(tenant), data=data, ticket_id=uuid7()).ticket_id
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)

    async with sweeper.sweep() as connection:
        due = await store.find_due(connection, limit=100)
    await sweeper.close()

    assert ticket_id not in {found for _, found in due}
    assert act(edge, tenant=tenant, ticket_id=ticket_id)
