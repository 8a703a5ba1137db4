"""Tell the customer's side what is new of a ticket, in the transaction that made it so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, Table, select, text, update

from contracts.messages import TICKET_CHANGED, OrderProblem, TicketChanged
from contracts.reasons import EscalationStatus
from runtime import outbox
from ticketing import tables
from ticketing.tickets.store.erasing import is_erased
from ticketing.tickets.ticket import is_news

OUTBOX: Final[Table] = tables.OUTBOX
_TICKET: Final = tables.TICKET.c
REPLIES_TO: Final = "bff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The moment and the id of what is told."""

    now: datetime
    message_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What became of a ticket: its status, what a person wrote for the customer, or why an order was not followed."""

    status: EscalationStatus
    solution: str | None = None
    problem: OrderProblem | None = None


def report_status(connection: Connection, ticket_key: str, news: News, stamp: Stamp) -> bool:
    """Pass a helpdesk's status on to the customer's side; say whether it was news.

    Repeat, and out of order: a status that does not lead forward changes nothing, and neither does any after an erasure.
    """
    row = _locked(connection, ticket_key)
    # Of an erased attempt nobody waits to hear, and what a person wrote for its customer is not kept.
    if row is None or not is_news(row.status, news.status) or is_erased(connection, row.attempt_id):
        return False
    _tell(connection, row, News(status=news.status, solution=news.solution or row.solution), stamp)
    return True


def report_problem(connection: Connection, ticket_key: str, problem: OrderProblem, stamp: Stamp) -> bool:
    """Tell that an order under a known key was not followed; False when there is no such key."""
    row = _locked(connection, ticket_key)
    if row is None:
        return False
    _tell(connection, row, News(status=row.status, solution=row.solution, problem=problem), stamp)
    return True


def announce(connection: Connection, row: Row[Any], status: EscalationStatus, stamp: Stamp) -> None:  # a whole row
    """Tell what a try at a locked ticket came to, if it leads forward or brought the ticket's number."""
    # A person may have taken the ticket before its creation was recorded; its number is still to be told then.
    told = status if is_news(row.status, status) else row.status
    if told != row.status or status == "TICKET_CREATED":
        _tell(connection, row, News(status=told, solution=row.solution), stamp)


def repeat_last_change(connection: Connection, ticket_id: UUID) -> None:
    """Send the newest TicketChanged of a ticket again, if it has one: the answer to a repeated order."""
    message_id = connection.execute(select(_TICKET.last_message_id).where(_TICKET.id == ticket_id)).scalar_one()
    if message_id is not None:
        outbox.repeat_row(connection, OUTBOX, message_id)


def acknowledge(connection: Connection, message_id: UUID) -> None:
    """End the repetition of a message its receiver has handled."""
    outbox.acknowledge_row(connection, OUTBOX, message_id)


def acknowledge_all(connection: Connection, message_ids: Sequence[UUID]) -> None:
    """End the repetition of messages their receiver has handled."""
    outbox.acknowledge_rows(connection, OUTBOX, message_ids)


def send(connection: Connection, changed: TicketChanged, *, message_id: UUID) -> None:
    """Write a TicketChanged into the outbox."""
    message = outbox.Message(
        message_id=message_id,
        tenant=changed.tenant,
        type=TICKET_CHANGED,
        queue=REPLIES_TO,
        subject=changed.ticket_key,
        attempt_id=changed.attempt_id,
        data=changed.model_dump(mode="json"),
    )
    outbox.write_sync(connection, OUTBOX, message)


def _locked(connection: Connection, ticket_key: str) -> Row[Any] | None:  # as above
    found = select(tables.TICKET).where(_TICKET.ticket_key == ticket_key).with_for_update()
    return connection.execute(found).one_or_none()


def _tell(connection: Connection, row: Row[Any], news: News, stamp: Stamp) -> None:  # as above
    sequence = row.sequence + 1
    connection.execute(
        update(tables.TICKET)
        .where(_TICKET.id == row.id)
        .values(
            status=news.status,
            solution=news.solution,
            sequence=sequence,
            last_message_id=stamp.message_id,
            changed_at=text("clock_timestamp()"),
        )
    )
    changed = TicketChanged(
        tenant=row.tenant,
        ticket_key=row.ticket_key,
        escalation_id=row.escalation_id,
        attempt_id=row.attempt_id,
        ticket_number=row.ticket_number,
        status=news.status,
        sequence=sequence,
        changed_at=stamp.now,
        solution=news.solution,
        problem=news.problem,
    )
    send(connection, changed, message_id=stamp.message_id)
