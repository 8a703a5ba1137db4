"""Name what the tasks of ticketing work with."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from celery import Celery

from contracts.ids import IdSource, uuid7
from contracts.messages import TICKETING_QUEUE, URGENT_TICKETING_QUEUE, Envelope
from contracts.reading import NO_TENANT
from runtime.clock import Clock, utc_now
from runtime.database import SyncDatabase
from runtime.queue import acknowledge_all, publish
from runtime.tenants import TenantDirectory
from ticketing.adapters.choosing import Helpdesks, connect_all
from ticketing.adapters.desk import BuiltInDesk
from ticketing.adapters.templates import Templates
from ticketing.settings import TicketingSettings
from ticketing.tasks.places import Places
from ticketing.tickets.creating import Chance
from ticketing.tickets.helpdesk import Helpdesk
from ticketing.tickets.steps import Steps
from ticketing.tickets.store import moments

SERVICE: Final = "ticketing"
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What is outside a task.

    `choose` gives a tenant's helpdesk, or the one a ticket was tried at before; `forward` sends an order out of a batch on as
    a message of its own; `places` are the threads that may be at helpdesks elsewhere; `steps` knows whether the clock of the
    database was set.
    """

    database: SyncDatabase
    choose: Callable[[str, str | None], Helpdesk]
    places: Places
    acknowledge: Callable[[Sequence[Envelope]], None]
    forward: Callable[[Envelope], None]
    clock: Clock
    new_id: IdSource
    chance: Chance
    steps: Steps


def make_edge(settings: TicketingSettings, celery: Celery, *, places: Places) -> Edge:
    """Put together what the tasks work with. Errors: SettingsError when a helpdesk is not usable."""
    database = SyncDatabase(settings.database_url, pool_size=settings.database_pool_size)
    desk = BuiltInDesk(database, new_id=uuid7)
    elsewhere = connect_all(settings.helpdesks, write=Templates(settings.templates_directory).write)
    return Edge(
        database=database,
        choose=Helpdesks(desk, elsewhere, TenantDirectory(settings.tenants_file)).choose,
        places=places,
        acknowledge=lambda envelopes: acknowledge_all(celery, envelopes, source=SERVICE, now=utc_now()),
        forward=lambda envelope: publish(celery, queue=_queue_of(envelope), envelope=envelope),
        clock=utc_now,
        new_id=uuid7,
        chance=Chance(spread=random.SystemRandom().random, stopwatch=time.perf_counter),
        steps=Steps(_stopwatch, machine=_machine()),
    )


def watch_clock(edge: Edge) -> None:
    """Begin to compare the clock of the database with a stopwatch; what was before, the tries of this machine tell."""
    with edge.database.transaction(NO_TENANT) as connection:
        edge.steps.see(moments.now(connection))


def _stopwatch() -> float:
    # Where a machine that slept is known to have, its sleep counts.
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _machine() -> str:
    """Name this machine from one start to the next; where it does not say, a process stands for itself."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return uuid7().hex


def _queue_of(order: Envelope) -> str:
    return URGENT_TICKETING_QUEUE if order.data.get("priority") == "high" else TICKETING_QUEUE
