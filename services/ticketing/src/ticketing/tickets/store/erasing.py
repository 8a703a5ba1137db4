"""Forget what tickets said about erased attempts. Keys, numbers, states and tries stay; texts go."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Column, Connection, Table, delete, literal, null, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert

from ticketing import tables

_TICKET: Final = tables.TICKET.c
_ERASED: Final = tables.ERASED_ATTEMPT.c

# What an order for a ticket is without its texts: it can still be read as one.
SILENT: Final[dict[str, object]] = {
    "question": "",
    "answer": None,
    "refusalReason": None,
    "citations": [],
    "feedback": None,
    "lineage": [],
    "transcript": [],
    "note": None,
    "contact": None,
}


def erase(connection: Connection, *, tenant: str, attempt_ids: Sequence[str]) -> int:
    """Forget the texts of these attempts' tickets, and let orders that come late open none; give the tickets there were.

    A ticket that does not exist yet is not tried again: there is nothing left to say in it. Repeat: changes nothing more.
    """
    rows = [{"tenant": tenant, "attempt_id": each} for each in attempt_ids]
    connection.execute(insert(tables.ERASED_ATTEMPT).values(rows).on_conflict_do_nothing())
    mine = _TICKET.attempt_id.in_(attempt_ids)
    silenced = update(tables.TICKET).where(mine)
    found = connection.execute(silenced.values(body=_silent(_TICKET.body), solution=None, due_at=null())).rowcount
    desk = tables.DESK_TICKET.c
    connection.execute(
        update(tables.DESK_TICKET).where(desk.attempt_id.in_(attempt_ids)).values(body=_silent(desk.body))
    )
    for told in (tables.OUTBOX, tables.PARKED_MESSAGE):
        _delete_about(connection, told, attempt_ids)
    return found


def is_erased(connection: Connection, attempt_id: str) -> bool:
    """Say whether an attempt was erased."""
    query = select(_ERASED.attempt_id).where(_ERASED.attempt_id == attempt_id)
    return connection.execute(query).one_or_none() is not None


def _silent(body: Column[object]) -> object:
    return body.op("||")(literal(SILENT, JSONB))


def _delete_about(connection: Connection, table: Table, attempt_ids: Sequence[str]) -> None:
    connection.execute(delete(table).where(table.c.attempt_id.in_(attempt_ids)))
