from dataclasses import replace

import pytest

from runtime.database import Database
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import ScriptedHelpdesk, WorkerKilled, message, order
from tests.support.databases import OpenDatabase
from ticketing.pulse import due_tickets
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order

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
