"""Keep the gate of each helpdesk: failures in a row, a rest, and how many calls are under way. All workers share it."""

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from ticketing import tables
from ticketing.tickets.creating import TryResult
from ticketing.tickets.gate import Gate, rest_after
from ticketing.tickets.helpdesk import Limits
from ticketing.tickets.store.moments import after
from ticketing.tickets.ticket import TicketState

_GATE: Final = tables.HELPDESK_GATE.c
_TICKET: Final = tables.TICKET.c
_NOW: Final = text("clock_timestamp()")


def lock_gate(connection: Connection, *, tenant: str, helpdesk: str) -> Gate:
    """Read a gate and keep others from passing it until the transaction ends."""
    first = insert(tables.HELPDESK_GATE).values(tenant=tenant, helpdesk=helpdesk)
    connection.execute(first.on_conflict_do_nothing())
    closed_for = func.greatest(_GATE.closed_until - _NOW, text("interval '0'"))
    query = select(_GATE.failures, func.coalesce(closed_for, text("interval '0'")).label("closed_for"))
    row = connection.execute(query.where(_GATE.helpdesk == helpdesk).with_for_update()).one()
    under_way = select(func.count()).where(
        _TICKET.tenant == tenant,
        _TICKET.helpdesk == helpdesk,
        _TICKET.state == TicketState.CREATING,
        _TICKET.due_at > _NOW,
    )
    return Gate(failures=row.failures, closed_for=row.closed_for, under_way=connection.execute(under_way).scalar_one())


def is_resting(connection: Connection, *, helpdesk: str) -> bool:
    """Say whether a helpdesk is left alone right now."""
    query = select(_GATE.helpdesk).where(_GATE.helpdesk == helpdesk, _GATE.closed_until > _NOW)
    return connection.execute(query).one_or_none() is not None


def note_result(connection: Connection, result: TryResult, limits: Limits, *, tenant: str, helpdesk: str) -> None:
    """Count a failure, or end the row of failures; a helpdesk that asks for patience gets it from all of us."""
    if result.latency is None:
        return
    known = (_GATE.tenant == tenant) & (_GATE.helpdesk == helpdesk)
    failures = connection.execute(
        update(tables.HELPDESK_GATE)
        .where(known)
        .values(failures=_GATE.failures + 1 if result.is_trouble else 0, changed_at=_NOW)
        .returning(_GATE.failures)
    ).scalar_one()
    rest = result.retry_after or rest_after(failures, limits)
    if rest is not None:
        connection.execute(update(tables.HELPDESK_GATE).where(known).values(closed_until=after(rest.total_seconds())))


def let_rest(connection: Connection, *, tenant: str, helpdesk: str, wait: timedelta) -> None:
    """Leave a helpdesk alone for as long as it asked for, or longer where it rests already."""
    until = after(wait.total_seconds())
    first = insert(tables.HELPDESK_GATE).values(tenant=tenant, helpdesk=helpdesk, closed_until=until)
    longer = {"closed_until": func.greatest(_GATE.closed_until, until)}
    connection.execute(first.on_conflict_do_update(index_elements=["tenant", "helpdesk"], set_=longer))
