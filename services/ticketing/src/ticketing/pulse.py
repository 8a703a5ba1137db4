"""Watch the clock of ticketing: send what is in the outbox, take up what is due, ask helpdesks what people did."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from contracts.reading import NO_TENANT
from runtime.database import Database
from runtime.logging import get_logger
from runtime.outbox import CHANNEL, Relay
from runtime.pulse import Duty, run_pulse
from runtime.queue import make_celery
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process
from runtime.tenants import TenantDirectory
from ticketing.settings import TicketingSettings
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import SERVICE, Edge, make_edge, watch_clock
from ticketing.tasks.forgetting import forget_parked
from ticketing.tasks.places import Places
from ticketing.tasks.polling import poll
from ticketing.tickets.store import moments, sweeping, telling

_PLACES: Final = 16
_POLLING_PLACES: Final = 4
# One tenant, or one helpdesk of several, has half of them at most.
_MOST_POLLS: Final = _POLLING_PLACES // 2
# One tenant's slow helpdesk takes half of the places at most; the others go on.
_PLACES_OF_A_TENANT: Final = _PLACES // 2
# Neither do all tenants of one slow helpdesk together take more.
_PLACES_AT_ONE_HELPDESK: Final = _PLACES // 2
_PATIENCE_SECONDS: Final = 0.25
_FORGET_SECONDS: Final = 600.0

_log = get_logger("pulse")


class Work(Protocol):
    """What is done with one row; says whether there was anything to do."""

    def __call__(self, edge: Edge, *, tenant: str, ticket_id: UUID) -> bool:
        """Do it in a thread."""
        ...


Find = Callable[[int], Awaitable[list[tuple[str, UUID]]]]


class Crew:
    """Threads that work on due rows side by side: a slow one holds back nobody but itself.

    The threads are its own, so that waiting for a helpdesk never keeps the outbox from being sent.
    """

    def __init__(self, find: Find, work: Work, edge: Edge, *, places: int, places_of_a_tenant: int) -> None:
        """Take how rows are found, what is done with one, and how many at once."""
        self._find = find
        self._work = work
        self._edge = edge
        self._places = places
        self._places_of_a_tenant = places_of_a_tenant
        self._threads = ThreadPoolExecutor(places, thread_name_prefix="crew")
        self._running: dict[UUID, tuple[str, asyncio.Future[bool]]] = {}

    async def run(self) -> int:
        """Start what is due as far as there are places, and wait a moment for what is quick.

        Returns how many rows came to an end, also those that found no place at their helpdesk; the pulse asks again at once
        while there are any, so that rows behind them have their turn.
        """
        free = self._places - len(self._running)
        started = self._start(await self._find(self._places + len(self._running))) if free > 0 else []
        # What hangs since an earlier turn is not waited for again.
        awaited = started or [task for _, task in self._running.values()]
        if awaited:
            await asyncio.wait(awaited, timeout=_PATIENCE_SECONDS)
        return self._collect()

    async def finish(self) -> None:
        """Wait for what is under way; new work is not begun."""
        await asyncio.gather(*(task for _, task in self._running.values()), return_exceptions=True)
        self._threads.shutdown(wait=False)

    def _start(self, due: list[tuple[str, UUID]]) -> list[asyncio.Future[bool]]:
        loop = asyncio.get_running_loop()
        started: list[asyncio.Future[bool]] = []
        for tenant, ticket_id in due:
            if len(self._running) >= self._places:
                break
            if ticket_id in self._running or self._at_work_for(tenant) >= self._places_of_a_tenant:
                continue
            task = loop.run_in_executor(self._threads, self._do, tenant, ticket_id)
            self._running[ticket_id] = (tenant, task)
            started.append(task)
        return started

    def _do(self, tenant: str, ticket_id: UUID) -> bool:
        return self._work(self._edge, tenant=tenant, ticket_id=ticket_id)

    def _at_work_for(self, tenant: str) -> int:
        return sum(1 for whose, _ in self._running.values() if whose == tenant)

    def _collect(self) -> int:
        ended = [ticket_id for ticket_id, (_, task) in self._running.items() if task.done()]
        return sum(self._has_ended(ticket_id) for ticket_id in ended)

    def _has_ended(self, ticket_id: UUID) -> bool:
        _, task = self._running.pop(ticket_id)
        error = task.exception()
        if error is not None:
            # One row's trouble is its own; its lease ends and it comes due again.
            _log.error("due_row_failed", ticket_id=str(ticket_id), exc_info=error)
        return error is None


def due_tickets(sweeper: Database, edge: Edge) -> Crew:
    """Make the crew that takes up retries that are due and tickets whose holder vanished."""

    async def find(most: int) -> list[tuple[str, UUID]]:
        async with sweeper.sweep() as connection:
            edge.steps.see(await connection.run_sync(moments.now))
            return await sweeping.find_due(connection, most=most)

    return Crew(find, resume, edge, places=_PLACES, places_of_a_tenant=_PLACES_OF_A_TENANT)


def due_polls(sweeper: Database, edge: Edge) -> Crew:
    """Make the crew that asks helpdesks what people did with tickets."""

    async def find(most: int) -> list[tuple[str, UUID]]:
        async with sweeper.sweep() as connection:
            return await sweeping.find_polls(connection, most=most)

    ask = partial(poll, places=Places(most=_POLLING_PLACES, most_at_one=_MOST_POLLS))
    return Crew(find, ask, edge, places=_POLLING_PLACES, places_of_a_tenant=_MOST_POLLS)


async def watch(settings: TicketingSettings) -> None:
    """Run the duties until told to stop."""
    celery = make_celery(SERVICE, redis_url=settings.redis_url)
    app = Database(settings.database_url, pool_size=settings.database_pool_size)
    sweeper = Database(settings.sweeper_database_url or settings.database_url, pool_size=3)
    edge = make_edge(settings, celery, places=Places(most=_PLACES, most_at_one=_PLACES_AT_ONE_HELPDESK))
    relay = Relay(table=telling.OUTBOX, app=app, sweeper=sweeper, celery=celery, source=SERVICE)
    tenants = TenantDirectory(settings.tenants_file)

    async def forget() -> int:
        known = (NO_TENANT, *tenants.keys())
        await asyncio.to_thread(forget_parked, edge.database, tenants=known, days=settings.parked_days)
        return 0

    tickets, polls = due_tickets(sweeper, edge), due_polls(sweeper, edge)
    duties = (
        Duty(name="outbox", run=relay.run, channel=CHANNEL),
        Duty(name="due_tickets", run=tickets.run),
        Duty(name="due_polls", run=polls.run),
        Duty(name="forget_parked", run=forget, every_seconds=_FORGET_SECONDS),
    )
    await app.refuse_unsafe_role()
    await sweeper.refuse_unsafe_role()
    await asyncio.to_thread(watch_clock, edge)
    await run_pulse(duties, listen_url=settings.database_url, metrics_port=settings.pulse_metrics_port)
    await tickets.finish()
    await polls.finish()
    await app.close()
    await sweeper.close()
    edge.database.close()


@refusing_plainly(SERVICE)
def run() -> None:
    """Run the pulse with the settings of the environment."""
    asyncio.run(watch(start_process(TicketingSettings, service=SERVICE)))


if __name__ == "__main__":
    run()
