"""Forget what tickets said about erased attempts. Keys, numbers, states and tries stay; texts go."""

from collections.abc import Sequence
from typing import Final

from pydantic.alias_generators import to_snake
from sqlalchemy import (
    Column,
    Connection,
    Exists,
    Table,
    case,
    delete,
    exists,
    func,
    literal,
    null,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert

from contracts.messages import CreateTicket
from ticketing import tables
from ticketing.tickets.ticket import TicketState

_TICKET: Final = tables.TICKET.c
_ERASED: Final = tables.ERASED_ATTEMPT.c
# An attempt without a ticket has no row to lock: its order and its erasure wait for each other here.
_HOLD_OFF: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:attempt, 0))")

# What stays of an order: whose it is and how it is told apart. Any other field may hold a text, also one we do not know.
_STAYS: Final = frozenset(
    {
        "tenant",
        "ticketKey",
        "escalationId",
        "attemptId",
        "conversationId",
        "refused",
        "reasonCode",
        "handoff",
        "language",
        "priority",
        "traceId",
        "requestedAt",
    }
)
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

    A ticket that does not exist yet is not tried again: there is nothing left to say in it. One that is being tried keeps its
    lease, and one that may exist unseen is still looked for. Repeat: changes nothing more.
    """
    for attempt_id in sorted(attempt_ids):
        hold_off(connection, attempt_id)
    rows = [{"tenant": tenant, "attempt_id": each} for each in attempt_ids]
    connection.execute(insert(tables.ERASED_ATTEMPT).values(rows).on_conflict_do_nothing())
    mine = _TICKET.attempt_id.in_(attempt_ids)
    due = case((_TICKET.state.in_((TicketState.CREATING, TicketState.OUTCOME_UNKNOWN)), _TICKET.due_at), else_=null())
    # The desk's API locks its own row before that of the ledger, and so does this.
    desk = tables.DESK_TICKET.c
    connection.execute(
        update(tables.DESK_TICKET).where(desk.attempt_id.in_(attempt_ids)).values(body=_silent(desk.body))
    )
    silenced = update(tables.TICKET).where(mine)
    found = connection.execute(
        silenced.values(body=_silent(_TICKET.body), solution=None, due_at=due, poll_at=None)
    ).rowcount
    # Last the outbox: a parked message that is being sent through again is waited for, and then found there.
    for told in (tables.PARKED_MESSAGE, tables.OUTBOX):
        _delete_about(connection, told, attempt_ids)
    return found


def hold_off(connection: Connection, attempt_id: str) -> None:
    """Let nobody erase an attempt, or open a ticket for it, until the transaction ends."""
    connection.execute(_HOLD_OFF, {"attempt": attempt_id})


def is_erased(connection: Connection, attempt_id: str) -> bool:
    """Say whether an attempt was erased."""
    return connection.execute(select(erased(attempt_id))).scalar_one()


def erased(attempt_id: str | Column[str]) -> Exists:
    """Build the condition that an attempt was erased."""
    return exists().where(_ERASED.attempt_id == attempt_id)


def silenced(order: CreateTicket) -> CreateTicket:
    """Give an order without its texts."""
    said = order.model_dump(mode="json")
    return CreateTicket.model_validate({**{name: said[name] for name in _STAYS}, **SILENT})


def _silent(body: Column[object]) -> object:
    # An order may spell its fields in either way it can be read.
    stays = sorted({*_STAYS, *(to_snake(name) for name in _STAYS)})
    member = func.jsonb_each(body).table_valued("key", "value")
    kept = select(func.jsonb_object_agg(member.c.key, member.c.value)).where(member.c.key.in_(stays))
    return kept.scalar_subquery().op("||")(literal(SILENT, JSONB))


def _delete_about(connection: Connection, table: Table, attempt_ids: Sequence[str]) -> None:
    connection.execute(delete(table).where(table.c.attempt_id.in_(attempt_ids)))
