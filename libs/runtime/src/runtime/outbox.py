"""Messages leave through a table: written with the business change, sent after the commit, repeated until acknowledged.

PENDING → SENT → ACKNOWLEDGED. Only the receiver's `Acknowledged` ends a message; one that stays SENT for 30 seconds is
sent again. What is due for one queue leaves together where its type may. Receivers are idempotent by their own unique keys, so a repeat is harmless.
"""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from celery import Celery
from sqlalchemy import (
    CTE,
    Column,
    ColumnElement,
    Connection,
    DateTime,
    Index,
    Integer,
    MetaData,
    Row,
    Table,
    Text,
    Uuid,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Insert, ReturningUpdate

from contracts.errors import TryAgainError
from contracts.messages import BATCHES, Envelope
from runtime.database import Database, sweeper_policy, tenant_policy
from runtime.logging import bound, get_logger
from runtime.queue import publish_all, waiting
from runtime.telemetry import attempt_span, continued_from, current_traceparent

CHANNEL: Final = "youju_outbox"
REPEAT_AFTER_SECONDS: Final = 30
_BATCH: Final = 50
# So many messages, or batches, in a queue keep its workers busy for a while, and are taken well before they are repeated.
_FULL: Final = 40
_FULL_PAUSE_SECONDS: Final = 0.05

# One index step finds the next queue that anything is due for, so a queue with a long backlog hides no other.
_DUE: Final = text("""
WITH RECURSIVE waiting AS (
  (SELECT queue FROM outbox WHERE state <> 'ACKNOWLEDGED' ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (SELECT o.queue FROM outbox o WHERE o.state <> 'ACKNOWLEDGED' AND o.queue > waiting.queue
          ORDER BY o.queue LIMIT 1)
  FROM waiting WHERE waiting.queue IS NOT NULL
)
SELECT due.queue, due.tenant, due.id FROM waiting CROSS JOIN LATERAL (
  SELECT o.queue, o.tenant, o.id, o.next_send_at FROM outbox o
  WHERE o.queue = waiting.queue AND o.state <> 'ACKNOWLEDGED' AND o.next_send_at <= statement_timestamp()
  ORDER BY o.next_send_at LIMIT :most
) due
ORDER BY due.next_send_at
""")

_log = get_logger("outbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is to be said to another service."""

    message_id: UUID
    tenant: str
    type: str
    queue: str
    subject: str
    attempt_id: str
    data: dict[str, object]


def outbox_table(metadata: MetaData) -> Table:
    """Describe the outbox of a service; its migration adds `outbox_policies`."""
    return Table(
        "outbox",
        metadata,
        Column("id", Uuid(), primary_key=True),
        Column("tenant", Text, nullable=False),
        Column("type", Text, nullable=False),
        Column("queue", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("attempt_id", Text, nullable=False),
        Column("data", JSONB, nullable=False),
        Column("traceparent", Text),
        Column("state", Text, nullable=False, server_default="PENDING"),
        Column("sends", Integer, nullable=False, server_default="0"),
        Column("next_send_at", DateTime(timezone=True), nullable=False, server_default=text("clock_timestamp()")),
        Column("created_at", DateTime(timezone=True), nullable=False, server_default=text("clock_timestamp()")),
        Column("acknowledged_at", DateTime(timezone=True)),
        Index("ix_outbox_due", "queue", "next_send_at", postgresql_where=text("state <> 'ACKNOWLEDGED'")),
    )


def outbox_policies(sweeper: str) -> tuple[str, ...]:
    """Give the row-level security of an outbox: its tenant, and the due columns for the sweeper."""
    return (
        *tenant_policy("outbox"),
        *sweeper_policy("outbox", role=sweeper, columns=("id", "tenant", "queue", "state", "next_send_at")),
    )


def enqueue(table: Table, message: Message) -> Insert:
    """Build the statement that writes a message beside the business change; run NOTIFY_RELAY in the same transaction."""
    return insert(table).values(
        id=message.message_id,
        tenant=message.tenant,
        type=message.type,
        queue=message.queue,
        subject=message.subject,
        attempt_id=message.attempt_id,
        data=message.data,
        traceparent=current_traceparent(),
    )


NOTIFY_RELAY: Final = text(f"SELECT pg_notify('{CHANNEL}', '')")


def acknowledge_row(connection: Connection, table: Table, message_id: UUID) -> None:
    """Mark a message as handled by its receiver. Repeat: the first time counts."""
    acknowledge_rows(connection, table, [message_id])


def acknowledge_rows(connection: Connection, table: Table, message_ids: Sequence[UUID]) -> None:
    """Mark messages as handled by their receiver. Repeat: the first time counts."""
    locked = _locked(table, message_ids, table.c.state != "ACKNOWLEDGED")
    connection.execute(
        update(table)
        .where(table.c.id == locked.c.id)
        .values(state="ACKNOWLEDGED", acknowledged_at=text("clock_timestamp()"))
    )


def repeat_row(connection: Connection, table: Table, message_id: UUID) -> None:
    """Send a message once more, also an acknowledged one: the answer to a repeated request."""
    connection.execute(
        update(table)
        .where(table.c.id == message_id)
        .values(state="PENDING", next_send_at=text("clock_timestamp()"), acknowledged_at=None)
    )
    connection.execute(NOTIFY_RELAY)


class Relay:
    """The pulse duty that sends what is due: every queue in turn, and no more to a queue than its workers take."""

    def __init__(self, *, table: Table, app: Database, sweeper: Database, celery: Celery, source: str) -> None:
        """Take the app role for the rows, the sweeper role for finding them, and the queue to send to."""
        self._table = table
        self._app = app
        self._sweeper = sweeper
        self._celery = celery
        self._source = source

    async def run(self) -> int:
        """Send one batch to each queue and say how many messages were sent or wait for a full queue.

        Repeat: two relays share the work, because claiming is a guarded UPDATE.
        Errors: TryAgainError when the broker is down; what it did not take comes due again.
        """
        sent, held_back = 0, 0
        for queue, by_tenant in (await self._due()).items():
            if await asyncio.to_thread(waiting, self._celery, queue) >= _FULL:
                # What waits in the broker is not lost: to send it again, or more, would only bury it.
                held_back += 1
                continue
            for tenant, message_ids in by_tenant.items():
                sent += await self._send_claimed(tenant, message_ids)
        if held_back and not sent:
            await asyncio.sleep(_FULL_PAUSE_SECONDS)
        return sent + held_back

    async def _send_claimed(self, tenant: str, message_ids: Sequence[UUID]) -> int:
        rows = await self._claim(tenant, message_ids)
        unsent = await asyncio.to_thread(self._send_all, rows)
        if unsent:
            await self._release(tenant, unsent)
            raise TryAgainError
        return len(rows)

    async def _due(self) -> dict[str, dict[str, list[UUID]]]:
        """Give the messages that are due by queue and tenant, in the order in which they came due."""
        found: dict[str, dict[str, list[UUID]]] = {}
        async with self._sweeper.sweep() as connection:
            for row in await connection.execute(_DUE, {"most": _BATCH}):
                found.setdefault(row.queue, {}).setdefault(row.tenant, []).append(row.id)
        return found

    async def _claim(self, tenant: str, message_ids: Sequence[UUID]) -> Sequence[Row[Any]]:  # whole rows of the table
        """Claim messages in one transaction, for a commit costs more than the rest; in the order they were written."""
        async with self._app.transaction(tenant) as connection:
            rows = (await connection.execute(self._claiming(message_ids))).all()
        return sorted(rows, key=lambda row: (row.created_at, row.id))

    def _claiming(self, message_ids: Sequence[UUID]) -> ReturningUpdate[Any]:  # as above
        columns = self._table.c
        is_due = (columns.state != "ACKNOWLEDGED") & (columns.next_send_at <= text("clock_timestamp()"))
        locked = _locked(self._table, message_ids, is_due)
        return (
            update(self._table)
            .where(columns.id == locked.c.id)
            .values(
                state="SENT",
                sends=columns.sends + 1,
                next_send_at=text(f"clock_timestamp() + interval '{REPEAT_AFTER_SECONDS} seconds'"),
            )
            .returning(self._table)
        )

    def _send_all(self, rows: Sequence[Row[Any]]) -> list[UUID]:  # as above
        """Send in order; give what the broker did not take any more."""
        groups = _groups(rows)
        for number, group in enumerate(groups):
            try:
                self._send_group(group)
            except TryAgainError:
                return [row.id for unsent in groups[number:] for row in unsent]
        return []

    def _send_group(self, rows: Sequence[Row[Any]]) -> None:  # as above
        if len(rows) == 1:
            with self._about(rows[0]):
                self._publish(rows)
                _log.info("message_sent", type=rows[0].type, sends=rows[0].sends)
            return
        self._publish(rows)
        for row in rows:
            with bound(message_id=str(row.id), attempt_id=row.attempt_id, tenant=row.tenant):
                _log.info("message_sent", type=row.type, sends=row.sends, together=len(rows))

    @contextmanager
    def _about(self, row: Row[Any]) -> Generator[None]:  # as above
        with (
            continued_from(row.traceparent),
            attempt_span(f"send {row.type}", tenant=row.tenant, attempt_id=row.attempt_id),
            bound(message_id=str(row.id), attempt_id=row.attempt_id, tenant=row.tenant),
        ):
            yield

    def _publish(self, rows: Sequence[Row[Any]]) -> None:  # as above
        publish_all(self._celery, queue=rows[0].queue, envelopes=[_envelope(row, self._source) for row in rows])

    async def _release(self, tenant: str, message_ids: Sequence[UUID]) -> None:
        locked = _locked(self._table, message_ids, self._table.c.state == "SENT")
        async with self._app.transaction(tenant) as connection:
            await connection.execute(
                update(self._table)
                .where(self._table.c.id == locked.c.id)
                .values(next_send_at=text("clock_timestamp() + interval '1 second'"))
            )


async def write(connection: AsyncConnection, table: Table, message: Message) -> None:
    """Write a message in an async transaction and wake the relay at its commit."""
    await connection.execute(enqueue(table, message))
    await connection.execute(NOTIFY_RELAY)


def write_sync(connection: Connection, table: Table, message: Message) -> None:
    """Write a message in a worker's transaction and wake the relay at its commit."""
    connection.execute(enqueue(table, message))
    connection.execute(NOTIFY_RELAY)


def _locked(table: Table, message_ids: Sequence[UUID], condition: ColumnElement[bool]) -> CTE:
    """Lock messages by their ids: relays and acknowledgements that change several rows then never wait in a circle."""
    chosen = select(table.c.id).where(table.c.id.in_(message_ids), condition)
    return chosen.order_by(table.c.id).with_for_update().cte("locked")


def _groups(rows: Sequence[Row[Any]]) -> list[list[Row[Any]]]:  # as above
    """Put together what may travel together; what may not goes alone. Within a type the order stays."""
    groups: dict[object, list[Row[Any]]] = {}
    for row in rows:
        groups.setdefault((row.queue, row.type) if row.type in BATCHES else row.id, []).append(row)
    return list(groups.values())


def _envelope(row: Row[Any], source: str) -> Envelope:  # as above
    created: datetime = row.created_at
    return Envelope(
        id=str(row.id),
        source=source,
        type=row.type,
        subject=row.subject,
        time=created,
        tenant=row.tenant,
        attemptid=row.attempt_id,
        traceparent=row.traceparent,
        data=row.data,
    )
