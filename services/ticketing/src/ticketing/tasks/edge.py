"""Name what the tasks of ticketing work with."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from celery import Celery

from contracts.ids import IdSource, uuid7
from contracts.messages import Envelope
from runtime.clock import Clock, utc_now
from runtime.database import SyncDatabase
from runtime.queue import acknowledge
from ticketing.adapters.desk import BuiltInDesk
from ticketing.settings import TicketingSettings
from ticketing.tickets.helpdesk import Helpdesk

SERVICE: Final = "ticketing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What is outside a task. `spread` gives a number from 0 to 1 that keeps retries from coming in step."""

    database: SyncDatabase
    helpdesk: Helpdesk
    acknowledge: Callable[[Envelope], None]
    clock: Clock
    new_id: IdSource
    spread: Callable[[], float]


def make_edge(settings: TicketingSettings, celery: Celery) -> Edge:
    """Put together what the tasks work with."""
    database = SyncDatabase(settings.database_url, pool_size=settings.database_pool_size)
    return Edge(
        database=database,
        helpdesk=BuiltInDesk(database, new_id=uuid7),
        acknowledge=lambda envelope: acknowledge(celery, envelope, source=SERVICE, now=utc_now()),
        clock=utc_now,
        new_id=uuid7,
        spread=random.SystemRandom().random,
    )
