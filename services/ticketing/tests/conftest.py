"""Give ticketing's tests a migrated database, an edge around it, and eyes to look into both."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.messages import Envelope
from runtime.database import SyncDatabase
from services.ticketing.tests.fakes import MOMENT, only
from tests.support.databases import OpenDatabase
from ticketing.adapters.desk import BuiltInDesk
from ticketing.tasks.edge import Edge
from ticketing.tasks.places import Places
from ticketing.tickets.creating import Chance
from ticketing.tickets.steps import Steps


@dataclass
class Acknowledgements:
    """Remembers what was acknowledged."""

    message_ids: list[str] = field(default_factory=list[str])

    def __call__(self, envelopes: Sequence[Envelope]) -> None:
        self.message_ids.extend(envelope.id for envelope in envelopes)


@dataclass(frozen=True)
class Eyes:
    """Looks into the database of one tenant, as the app role."""

    database: SyncDatabase
    tenant: str

    def rows(self, query: str) -> list[dict[str, Any]]:  # rows of any table
        with self.database.transaction(self.tenant) as connection:
            return [dict(row) for row in connection.execute(text(query)).mappings()]

    def run(self, statement: str) -> None:
        with self.database.transaction(self.tenant) as connection:
            connection.execute(text(statement))

    def ticket(self) -> dict[str, Any]:  # as above
        (row,) = self.rows("SELECT * FROM ticket")
        return row

    def told(self) -> list[tuple[str, int, str | None]]:
        """List status, sequence and number of every TicketChanged, in their order."""
        found = self.rows("SELECT data FROM outbox ORDER BY (data->>'sequence')::int")
        return [(row["data"]["status"], row["data"]["sequence"], row["data"]["ticketNumber"]) for row in found]

    def come_due(self) -> None:
        """Let every wait and lease end now."""
        self.run("UPDATE ticket SET due_at = clock_timestamp() WHERE due_at IS NOT NULL")

    def pass_time(self, seconds: float) -> None:
        """Let so much time have passed since everything that happened."""
        self.set_clock(seconds)
        self.run(f"UPDATE ticket_try SET began = began - {seconds}, ended = ended - {seconds}")  # noqa: S608

    def set_clock(self, seconds: float) -> None:
        """Let the clock of the database have been set forward since everything that happened, or back."""
        age = f"interval '{seconds} seconds'"
        for table, columns in (
            ("ticket", ("due_at", "open_since", "poll_at")),
            ("ticket_try", ("started_at", "finished_at")),
            ("helpdesk_gate", ("closed_until",)),
        ):
            self.run(f"UPDATE {table} SET " + ", ".join(f"{column} = {column} - {age}" for column in columns))  # noqa: S608


@pytest.fixture(scope="module")
def database(service_database: OpenDatabase) -> Iterator[SyncDatabase]:
    database = SyncDatabase(service_database("ticketing").app, pool_size=20)
    yield database
    database.close()


@pytest.fixture
def acknowledgements() -> Acknowledgements:
    return Acknowledgements()


@pytest.fixture
def edge(database: SyncDatabase, acknowledgements: Acknowledgements) -> Edge:
    return Edge(
        database=database,
        choose=only(BuiltInDesk(database, new_id=uuid7)),
        places=Places(most=100, most_at_one=100),
        acknowledge=acknowledgements,
        forward=lambda _envelope: None,
        clock=lambda: MOMENT,
        new_id=uuid7,
        chance=Chance(spread=lambda: 0.0, stopwatch=time.perf_counter),
        steps=Steps(time.monotonic, machine="here"),
    )


@pytest.fixture
def eyes(database: SyncDatabase, tenant: str) -> Eyes:
    return Eyes(database, tenant)


LookAt = Callable[[str], Eyes]


@pytest.fixture
def look_at(database: SyncDatabase) -> LookAt:
    return lambda tenant: Eyes(database, tenant)
