"""Keep what helpdesks told us and when they are asked again."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, select, text, update
from sqlalchemy.dialects.postgresql import insert

from ticketing import tables
from ticketing.tickets.polling import wait_before_poll
from ticketing.tickets.store.gates import is_resting
from ticketing.tickets.store.moments import after

_TICKET: Final = tables.TICKET.c
_NOW: Final = text("clock_timestamp()")
# A signature is accepted for five minutes; a day leaves room for clocks that are wrong.
_FORGOTTEN: Final = text("clock_timestamp() - interval '1 day'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """A ticket whose helpdesk is asked now."""

    ticket_key: str
    helpdesk: str
    external_id: str


def is_first(connection: Connection, *, tenant: str, helpdesk: str, message_id: str) -> bool:
    """Note a message of a helpdesk; False when it was noted before. What is too old to be accepted again is forgotten."""
    connection.execute(delete(tables.INBOX).where(tables.INBOX.c.received_at < _FORGOTTEN))
    noted = insert(tables.INBOX).values(tenant=tenant, helpdesk=helpdesk, message_id=message_id)
    first = noted.on_conflict_do_nothing().returning(tables.INBOX.c.message_id)
    return connection.execute(first).one_or_none() is not None


def is_held_by(connection: Connection, *, helpdesk: str, ticket_key: str) -> bool:
    """Say whether a ticket is one that this helpdesk was asked for."""
    query = select(_TICKET.id).where(_TICKET.ticket_key == ticket_key, _TICKET.helpdesk == helpdesk)
    return connection.execute(query).one_or_none() is not None


def claim_poll(connection: Connection, ticket_id: UUID) -> Polled | None:
    """Take a ticket whose poll is due and set the next one; None when somebody else took it, or its helpdesk rests."""
    query = (
        select(tables.TICKET).where(_TICKET.id == ticket_id, _TICKET.poll_at <= _NOW).with_for_update(skip_locked=True)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    wait = wait_before_poll(row.polls + 1)
    connection.execute(
        update(tables.TICKET)
        .where(_TICKET.id == ticket_id)
        .values(poll_at=after(wait.total_seconds()), polls=row.polls + 1)
    )
    if is_resting(connection, helpdesk=row.helpdesk):
        return None
    return Polled(ticket_key=row.ticket_key, helpdesk=row.helpdesk, external_id=row.external_id)


def look_now(connection: Connection, *, helpdesk: str, external_id: str) -> bool:
    """Let a ticket be asked about at once; False for one that is not asked about: not ours, solved, or erased."""
    known = (_TICKET.helpdesk == helpdesk) & (_TICKET.external_id == external_id) & _TICKET.poll_at.is_not(None)
    return connection.execute(update(tables.TICKET).where(known).values(poll_at=_NOW)).rowcount > 0


def end_polls(connection: Connection, ticket_key: str) -> None:
    """Ask no more about a ticket that is solved."""
    connection.execute(update(tables.TICKET).where(_TICKET.ticket_key == ticket_key).values(poll_at=None))
