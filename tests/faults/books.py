"""Write orders where bff writes them, let time pass in both databases, and read what became of each order."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, LiteralString

import psycopg
from psycopg.types.json import Jsonb
from sqlalchemy.engine import make_url

from contracts.ids import uuid7
from contracts.messages import CREATE_TICKET, TICKETING_QUEUE, URGENT_TICKETING_QUEUE, CreateTicket
from runtime.outbox import CHANNEL
from services.ticketing.tests.fakes import order
from youju.database_urls import ServiceDatabase, for_psycopg

_WRITE: Final[LiteralString] = """
    INSERT INTO outbox (id, tenant, type, queue, subject, attempt_id, data)
    VALUES (%(id)s, %(tenant)s, %(type)s, %(queue)s, %(subject)s, %(attempt)s, %(data)s)
"""
# A row that somebody holds is left as it is: whoever waited for rows in another order than the product would deadlock with it.
_PASS_IN_OUTBOX: Final[LiteralString] = """
    UPDATE outbox SET next_send_at = next_send_at - %(age)s * interval '1 second'
    WHERE id IN (SELECT id FROM outbox WHERE state <> 'ACKNOWLEDGED' FOR UPDATE SKIP LOCKED)
"""
_PASS_AT_TICKETING: Final[tuple[LiteralString, ...]] = (
    _PASS_IN_OUTBOX,
    """
    UPDATE ticket SET due_at = due_at - %(age)s * interval '1 second', open_since = open_since - %(age)s * interval '1 second'
    WHERE id IN (SELECT id FROM ticket WHERE due_at IS NOT NULL FOR UPDATE SKIP LOCKED)
    """,
    """
    UPDATE ticket_try SET started_at = started_at - %(age)s * interval '1 second',
                          finished_at = finished_at - %(age)s * interval '1 second',
                          began = began - %(age)s, ended = ended - %(age)s
    WHERE id IN (SELECT id FROM ticket_try FOR UPDATE SKIP LOCKED)
    """,
    """
    UPDATE helpdesk_gate SET closed_until = closed_until - %(age)s * interval '1 second'
    WHERE tenant IN (SELECT tenant FROM helpdesk_gate FOR UPDATE SKIP LOCKED)
    """,
)
_UNHEARD: Final[LiteralString] = (
    "SELECT count(*) FROM outbox WHERE data->>'ticketKey' = ANY(%(keys)s) AND state <> 'ACKNOWLEDGED'"
)
_TICKETS: Final[LiteralString] = (
    "SELECT ticket_key, state, external_id, helpdesk FROM ticket WHERE ticket_key = ANY(%(keys)s)"
)
_DESK: Final[LiteralString] = "SELECT ticket_key, number FROM desk_ticket WHERE ticket_key = ANY(%(keys)s)"
_NEWS: Final[LiteralString] = """
    SELECT DISTINCT data->>'ticketKey', data->>'ticketNumber' FROM outbox
    WHERE data->>'ticketKey' = ANY(%(keys)s) AND data->>'status' = 'TICKET_CREATED'
"""
_SETTLED: Final = frozenset({"CREATED", "NEEDS_ATTENTION"})


@dataclass(frozen=True)
class Books:
    """Both databases of the delivery, opened as their superuser, who alone sees every tenant."""

    bff: "Book"
    ticketing: "Book"

    def wish(self, tenant: str, count: int, *, together: bool = True) -> list[str]:
        """Write orders into the outbox of bff, in one transaction or each in its own; give their keys."""
        orders = [_order(tenant, number) for number in range(count)]
        with self.bff.opened() as connection, connection.transaction() if together else nullcontext():
            for each in orders:
                connection.execute(_WRITE, _row(each))
                connection.execute(f"NOTIFY {CHANNEL}".encode())
        return [each.ticket_key for each in orders]

    def pass_time(self, seconds: float) -> None:
        """Let so much time have passed since everything that is still under way."""
        with self.bff.opened() as connection:
            connection.execute(_PASS_IN_OUTBOX, {"age": seconds})
        with self.ticketing.opened() as connection:
            for statement in _PASS_AT_TICKETING:
                connection.execute(statement, {"age": seconds})

    def is_settled(self, keys: Sequence[str]) -> bool:
        """Say whether every order is decided and each side has heard the other."""
        unheard = sum(place.rows(_UNHEARD, keys)[0][0] for place in (self.bff, self.ticketing))
        return unheard == 0 and [state in _SETTLED for state in self.states(keys).values()] == [True] * len(keys)

    def states(self, keys: Sequence[str]) -> dict[str, str]:
        """Give the state of every order that the ledger knows."""
        return {key: state for key, state, _, _ in self.ticketing.rows(_TICKETS, keys)}

    def named(self, keys: Sequence[str]) -> dict[str, str]:
        """Give the id that the ledger names for every ticket it holds for created."""
        return {key: name for key, state, name, _ in self.ticketing.rows(_TICKETS, keys) if state == "CREATED"}

    def at_desk(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """Give the tickets of the built-in desk as key and id."""
        return [(key, str(number)) for key, number in self.ticketing.rows(_DESK, keys)]

    def told(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """Give the numbers that the customers' side was told, by key."""
        return [(key, number) for key, number in self.ticketing.rows(_NEWS, keys)]

    def close(self) -> None:
        """Give the connections back."""
        self.bff.close()
        self.ticketing.close()


class Book:
    """One database on one connection that is kept, for a test looks into it every moment; one that has ended is replaced."""

    def __init__(self, url: str) -> None:
        """Remember the address."""
        self._url = url
        self._kept: psycopg.Connection | None = None

    @contextmanager
    def opened(self) -> Generator[psycopg.Connection]:
        """Give the connection, each statement a transaction of its own. A server that was killed meanwhile has ended it."""
        if self._kept is not None and not _is_alive(self._kept):
            self.close()
        self._kept = self._kept or psycopg.connect(self._url, autocommit=True)
        yield self._kept

    def rows(self, query: LiteralString, keys: Sequence[str]) -> list[tuple[Any, ...]]:  # rows of any table
        """Read what there is of some keys."""
        with self.opened() as connection:
            return connection.execute(query, {"keys": list(keys)}).fetchall()

    def close(self) -> None:
        """Give the connection back."""
        if self._kept is not None:
            self._kept.close()
        self._kept = None


def _is_alive(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("")
    except psycopg.OperationalError:
        return False
    return True


def books_of(admin_url: str, bff: ServiceDatabase, ticketing: ServiceDatabase) -> Books:
    """Open the databases of two services."""
    names = [str(make_url(each.app).database) for each in (bff, ticketing)]
    return Books(*(Book(for_psycopg(admin_url, name)) for name in names))


def _order(tenant: str, number: int) -> CreateTicket:
    escalation = f"esc_{uuid7().hex}"
    changes: dict[str, object] = {
        "escalation_id": escalation,
        "attempt_id": f"att_{uuid7().hex}",
        "priority": "high" if number % 3 == 2 else "normal",
        "requested_at": datetime.now(UTC),
    }
    return order(tenant, ticket_key=f"{tenant}:{escalation}").model_copy(update=changes)


def _row(wanted: CreateTicket) -> dict[str, object]:
    return {
        "id": uuid7(),
        "tenant": wanted.tenant,
        "type": CREATE_TICKET,
        "queue": URGENT_TICKETING_QUEUE if wanted.priority == "high" else TICKETING_QUEUE,
        "subject": wanted.escalation_id,
        "attempt": wanted.attempt_id,
        "data": Jsonb(wanted.model_dump(mode="json")),
    }
