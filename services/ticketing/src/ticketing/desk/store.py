"""Keep the tickets of the built-in desk: one per ticket key, numbered per tenant."""

import json
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, select, text, update
from sqlalchemy.dialects.postgresql import insert

from contracts.messages import CreateTicket
from ticketing import tables
from ticketing.desk.ticket import FIRST_NUMBER, DeskStatus, DeskTicket

_TICKET: Final = tables.DESK_TICKET.c
_COUNT: Final = text("""
INSERT INTO desk_counter (tenant, last_number) VALUES (:tenant, CAST(:first AS integer) + CAST(:count AS integer) - 1)
ON CONFLICT (tenant) DO UPDATE SET last_number = desk_counter.last_number + CAST(:count AS integer)
RETURNING last_number
""")
_OPEN: Final = text("""
INSERT INTO desk_ticket (id, tenant, ticket_key, number, attempt_id, priority, body)
SELECT id, :tenant, key, number, attempt, priority, body
FROM jsonb_to_recordset(CAST(:rows AS jsonb))
  AS r (id uuid, key text, number integer, attempt text, priority text, body jsonb)
ORDER BY key
ON CONFLICT (tenant, ticket_key) DO UPDATE SET ticket_key = excluded.ticket_key
RETURNING ticket_key, number
""")


def open_ticket(connection: Connection, order: CreateTicket, *, desk_ticket_id: UUID) -> int:
    """Open a ticket and return its number. Repeat: the number of the first ticket with this key."""
    known = find_number(connection, order.ticket_key)
    if known is not None:
        return known
    number = _next_number(connection, order.tenant)
    statement = insert(tables.DESK_TICKET).values(
        id=desk_ticket_id,
        tenant=order.tenant,
        ticket_key=order.ticket_key,
        number=number,
        attempt_id=order.attempt_id,
        priority=order.priority,
        body=order.model_dump(mode="json"),
    )
    kept = statement.on_conflict_do_update(
        index_elements=["tenant", "ticket_key"], set_={"ticket_key": order.ticket_key}
    ).returning(_TICKET.number)
    return connection.execute(kept).scalar_one()


def open_tickets(connection: Connection, orders: Sequence[tuple[UUID, CreateTicket]], *, tenant: str) -> dict[str, int]:
    """Open tickets of different keys under the given ids, numbered in their order; give the number of each key.

    Repeat: a key that has its ticket keeps its number.
    """
    last = connection.execute(_COUNT, {"tenant": tenant, "first": FIRST_NUMBER, "count": len(orders)}).scalar_one()
    rows = [
        {
            "id": str(desk_ticket_id),
            "key": order.ticket_key,
            "number": number,
            "attempt": order.attempt_id,
            "priority": order.priority,
            "body": order.model_dump(mode="json"),
        }
        for number, (desk_ticket_id, order) in enumerate(orders, start=last - len(orders) + 1)
    ]
    text_of_rows = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    found = connection.execute(_OPEN, {"rows": text_of_rows, "tenant": tenant})
    return {row.ticket_key: row.number for row in found}


def find_number(connection: Connection, ticket_key: str) -> int | None:
    """Find the number of the ticket that bears a key."""
    return connection.execute(select(_TICKET.number).where(_TICKET.ticket_key == ticket_key)).scalar_one_or_none()


def list_tickets(
    connection: Connection, *, below: int | None, status: DeskStatus | None, limit: int
) -> tuple[DeskTicket, ...]:
    """List tickets, the newest number first, from below a number on."""
    query = select(tables.DESK_TICKET).order_by(_TICKET.number.desc()).limit(limit)
    if below is not None:
        query = query.where(_TICKET.number < below)
    if status is not None:
        query = query.where(_TICKET.status == status)
    return tuple(_ticket(row) for row in connection.execute(query))


def find_ticket(connection: Connection, number: int) -> DeskTicket | None:
    """Find a ticket by its number."""
    row = connection.execute(select(tables.DESK_TICKET).where(_TICKET.number == number)).one_or_none()
    return _ticket(row) if row is not None else None


def lock_ticket(connection: Connection, number: int) -> DeskTicket | None:
    """Find a ticket by its number and keep others from moving it until the transaction ends."""
    query = select(tables.DESK_TICKET).where(_TICKET.number == number).with_for_update()
    row = connection.execute(query).one_or_none()
    return _ticket(row) if row is not None else None


def set_status(connection: Connection, number: int, status: DeskStatus) -> DeskTicket:
    """Write the status of a locked ticket and return the ticket."""
    changed = (
        update(tables.DESK_TICKET)
        .where(_TICKET.number == number)
        .values(status=status, changed_at=text("clock_timestamp()"))
        .returning(tables.DESK_TICKET)
    )
    return _ticket(connection.execute(changed).one())


def _next_number(connection: Connection, tenant: str) -> int:
    # The counter's row lock makes the numbers of a tenant follow each other; a lost race leaves a gap.
    first = insert(tables.DESK_COUNTER).values(tenant=tenant, last_number=FIRST_NUMBER)
    counted = first.on_conflict_do_update(
        index_elements=["tenant"], set_={"last_number": tables.DESK_COUNTER.c.last_number + 1}
    )
    return connection.execute(counted.returning(tables.DESK_COUNTER.c.last_number)).scalar_one()


def _ticket(row: Row[Any]) -> DeskTicket:  # a whole row of the table
    return DeskTicket(
        number=row.number,
        ticket_key=row.ticket_key,
        attempt_id=row.attempt_id,
        status=row.status,
        priority=row.priority,
        body=row.body,
        created_at=row.created_at,
        changed_at=row.changed_at,
    )
