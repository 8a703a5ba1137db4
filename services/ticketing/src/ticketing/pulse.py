"""Watch the clock of ticketing: send what is in the outbox, take up what is due."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from runtime.database import Database
from runtime.outbox import CHANNEL, Relay
from runtime.pulse import Duty, run_pulse
from runtime.queue import make_celery
from runtime.starting import start_process
from ticketing.settings import TicketingSettings
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import SERVICE, Edge, make_edge
from ticketing.tickets import store

# Retries call a helpdesk, each for up to a minute; eight at a time keep a slow one from holding all back.
_BATCH: Final = 8


def due_tickets(sweeper: Database, edge: Edge) -> Callable[[], Awaitable[int]]:
    """Make the duty that takes up retries that are due and tickets whose holder vanished."""

    async def run() -> int:
        async with sweeper.sweep() as connection:
            due = await store.find_due(connection, limit=_BATCH)
        tries = [asyncio.to_thread(resume, edge, tenant=tenant, ticket_id=ticket_id) for tenant, ticket_id in due]
        return sum(await asyncio.gather(*tries))

    return run


async def watch(settings: TicketingSettings) -> None:
    """Run the duties until told to stop."""
    celery = make_celery(SERVICE, redis_url=settings.redis_url)
    app = Database(settings.database_url, pool_size=settings.database_pool_size)
    sweeper = Database(settings.sweeper_database_url or settings.database_url, pool_size=2)
    edge = make_edge(settings, celery)
    relay = Relay(table=store.OUTBOX, app=app, sweeper=sweeper, celery=celery, source=SERVICE)
    duties = (
        Duty(name="outbox", run=relay.run, channel=CHANNEL),
        Duty(name="due_tickets", run=due_tickets(sweeper, edge)),
    )
    await app.refuse_unsafe_role()
    await sweeper.refuse_unsafe_role()
    await run_pulse(duties, listen_url=settings.database_url, metrics_port=settings.pulse_metrics_port)
    await app.close()
    await sweeper.close()
    edge.database.close()


def run() -> None:
    """Run the pulse with the settings of the environment."""
    asyncio.run(watch(start_process(TicketingSettings, service=SERVICE)))


if __name__ == "__main__":
    run()
