"""Keep the ledger of many orders whose tickets are opened in the same transaction: the moves of one, row by row, all at once.

Whoever locks several rows does it in this order: attempts (advisory, sorted), ledger rows (by key), the desk's counter, the
desk's tickets, the outbox.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text

from contracts.messages import TICKET_CHANGED, CreateTicket, TicketChanged
from runtime.outbox import NOTIFY_RELAY
from ticketing.tickets.helpdesk import HelpdeskTicket, TryOutcome
from ticketing.tickets.store.ledger import HEAD_START_SECONDS, LEASE_SECONDS
from ticketing.tickets.store.telling import REPLIES_TO
from ticketing.tickets.ticket import TicketState, content_hash, status_of


class NotHeldError(Exception):
    """A ticket was moved by somebody else while this transaction held it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A try that made tickets: at which helpdesk, for how long, and when the customers' side is told of it."""

    helpdesk: str
    latency: timedelta
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """An order on its way into the ledger. `data` is what its message said, `order` what was read of it."""

    ticket_id: UUID
    try_id: UUID
    message_id: UUID
    order: CreateTicket
    data: Mapping[str, object]
    traceparent: str | None


_HOLD_OFF: Final = text("""
SELECT pg_advisory_xact_lock(hashtextextended(attempt, 0)) FROM unnest(CAST(:attempts AS text[])) attempt
""")
_ERASED: Final = text("SELECT attempt_id FROM erased_attempt WHERE attempt_id = ANY(CAST(:attempts AS text[]))")
# What was told of an order that could not be read has taken numbers of the sequence.
_RECEIVE: Final = text(f"""
WITH arrived AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(CAST(:rows AS jsonb))
    AS r (id uuid, key text, escalation text, attempt text, body jsonb, hash text, traceparent text)
), told AS (
  SELECT ticket_key, count(*) AS times FROM parked_message
  WHERE is_reported AND ticket_key IN (SELECT key FROM arrived) GROUP BY ticket_key
)
INSERT INTO ticket (id, tenant, ticket_key, escalation_id, attempt_id, body, body_hash, due_at, sequence, traceparent)
SELECT id, :tenant, key, escalation, attempt, body, hash,
       clock_timestamp() + interval '{HEAD_START_SECONDS} seconds', coalesce(times, 0), traceparent
FROM arrived LEFT JOIN told ON ticket_key = key
ORDER BY key
ON CONFLICT (tenant, ticket_key) DO NOTHING
RETURNING id
""")  # noqa: S608 - only a constant of ours
_LEASE: Final = text(f"""
UPDATE ticket SET state = 'CREATING', fence = fence + 1, helpdesk = :helpdesk,
       due_at = clock_timestamp() + interval '{LEASE_SECONDS} seconds', open_since = clock_timestamp()
WHERE id = ANY(:ids) AND state = 'RECEIVED'
""")  # noqa: S608 - as above
_SETTLE: Final = text("""
UPDATE ticket SET state = 'CREATED', due_at = NULL, open_since = NULL, external_id = r.external, ticket_number = r.number,
       status = 'TICKET_CREATED', sequence = sequence + 1, last_message_id = r.message, changed_at = clock_timestamp()
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r (id uuid, external text, number text, message uuid)
WHERE ticket.id = r.id AND ticket.fence = 1 AND ticket.state = 'CREATING'
RETURNING ticket.id, ticket.sequence
""")
_RECORD: Final = text("""
INSERT INTO ticket_try (id, tenant, ticket_id, attempt_id, fence, helpdesk, step, started_at, finished_at, outcome,
                        latency_ms, external_id)
SELECT id, :tenant, ticket, attempt, 1, :helpdesk, 'create',
       clock_timestamp() - CAST(:latency AS integer) * interval '1 millisecond', clock_timestamp(),
       :outcome, CAST(:latency AS integer), external
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r (id uuid, ticket uuid, attempt text, external text)
""")
_TELL: Final = text("""
INSERT INTO outbox (id, tenant, type, queue, subject, attempt_id, data, traceparent)
SELECT id, :tenant, :type, :queue, subject, attempt, data, traceparent
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r (id uuid, subject text, attempt text, data jsonb, traceparent text)
""")


def hold_off_all(connection: Connection, attempt_ids: Sequence[str]) -> frozenset[str]:
    """Let nobody erase these attempts until the transaction ends; give those that are erased already."""
    attempts = sorted(set(attempt_ids))
    connection.execute(_HOLD_OFF, {"attempts": attempts})
    return frozenset(connection.execute(_ERASED, {"attempts": attempts}).scalars())


def receive_all(connection: Connection, arrivals: Sequence[Arrival], *, tenant: str) -> list[Arrival]:
    """Write the ledger rows of orders; give those that are the first with their key."""
    rows = [
        {
            "id": str(each.ticket_id),
            "key": each.order.ticket_key,
            "escalation": each.order.escalation_id,
            "attempt": each.order.attempt_id,
            "body": each.data,
            "hash": content_hash(each.data),
            "traceparent": each.traceparent,
        }
        for each in arrivals
    ]
    found = frozenset(connection.execute(_RECEIVE, {"rows": _json(rows), "tenant": tenant}).scalars())
    return [each for each in arrivals if each.ticket_id in found]


def take_up_all(connection: Connection, arrivals: Sequence[Arrival], *, helpdesk: str) -> None:
    """Lease tickets that this transaction received: nobody else can hold one of them."""
    connection.execute(_LEASE, {"ids": [each.ticket_id for each in arrivals], "helpdesk": helpdesk})


def settle_all(
    connection: Connection, made: Sequence[tuple[Arrival, HelpdeskTicket]], opened: Opened, *, tenant: str
) -> None:
    """Record the tries, move the tickets to CREATED and tell the customers' side.

    Errors: NotHeldError when a ticket is not where `take_up_all` left it; nothing is kept then.
    """
    moved = [
        {
            "id": str(each.ticket_id),
            "external": ticket.external_id,
            "number": ticket.number,
            "message": str(each.message_id),
        }
        for each, ticket in made
    ]
    found = connection.execute(_SETTLE, {"rows": _json(moved)}).all()
    if len(found) != len(made):
        raise NotHeldError
    _record(connection, made, opened, tenant=tenant)
    sequences: dict[UUID, int] = {row.id: row.sequence for row in found}
    changes = [(each, _changed(each, ticket, opened, sequences[each.ticket_id])) for each, ticket in made]
    _tell(connection, changes, tenant=tenant)


def _record(
    connection: Connection, made: Sequence[tuple[Arrival, HelpdeskTicket]], opened: Opened, *, tenant: str
) -> None:
    rows = [
        {
            "id": str(each.try_id),
            "ticket": str(each.ticket_id),
            "attempt": each.order.attempt_id,
            "external": ticket.external_id,
        }
        for each, ticket in made
    ]
    values = {
        "rows": _json(rows),
        "tenant": tenant,
        "helpdesk": opened.helpdesk,
        "outcome": TryOutcome.CREATED,
        "latency": round(opened.latency.total_seconds() * 1000),
    }
    connection.execute(_RECORD, values)


def _changed(arrival: Arrival, ticket: HelpdeskTicket, opened: Opened, sequence: int) -> TicketChanged:
    order = arrival.order
    return TicketChanged(
        tenant=order.tenant,
        ticket_key=order.ticket_key,
        escalation_id=order.escalation_id,
        attempt_id=order.attempt_id,
        ticket_number=ticket.number,
        status=status_of(TicketState.CREATED),
        sequence=sequence,
        changed_at=opened.now,
    )


def _tell(connection: Connection, changes: Sequence[tuple[Arrival, TicketChanged]], *, tenant: str) -> None:
    rows = [
        {
            "id": str(each.message_id),
            "subject": changed.ticket_key,
            "attempt": changed.attempt_id,
            "data": changed.model_dump(mode="json"),
            "traceparent": each.traceparent,
        }
        for each, changed in changes
    ]
    values = {"rows": _json(rows), "tenant": tenant, "type": TICKET_CHANGED, "queue": REPLIES_TO}
    connection.execute(_TELL, values)
    connection.execute(NOTIFY_RELAY)


def _json(rows: Sequence[Mapping[str, object]]) -> str:
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
