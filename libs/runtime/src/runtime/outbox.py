"""Messages leave through a table: written with the business change, sent after the commit, repeated until acknowledged.

PENDING → SENT → ACKNOWLEDGED. Only the receiver's `Acknowledged` ends a message; one that stays SENT for 30 seconds is
sent again. Receivers are idempotent by their own unique keys, so a repeat is harmless.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from celery import Celery
from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Index,
    Integer,
    MetaData,
    Row,
    Table,
    Text,
    Update,
    Uuid,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Insert

from contracts.errors import TryAgainError
from contracts.messages import Envelope
from runtime.database import Database, sweeper_policy, tenant_policy
from runtime.logging import bound, get_logger
from runtime.queue import publish
from runtime.telemetry import attempt_span, continued_from, current_traceparent

CHANNEL: Final = "youju_outbox"
REPEAT_AFTER_SECONDS: Final = 30
_BATCH: Final = 50

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
        Index("ix_outbox_due", "next_send_at", postgresql_where=text("state <> 'ACKNOWLEDGED'")),
    )


def outbox_policies(sweeper: str) -> tuple[str, ...]:
    """Give the row-level security of an outbox: its tenant, and the due columns for the sweeper."""
    return (
        *tenant_policy("outbox"),
        *sweeper_policy("outbox", role=sweeper, columns=("id", "tenant", "state", "next_send_at")),
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
    connection.execute(
        update(table)
        .where(table.c.id == message_id, table.c.state != "ACKNOWLEDGED")
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
    """The pulse duty that sends what is due."""

    def __init__(self, *, table: Table, app: Database, sweeper: Database, celery: Celery, source: str) -> None:
        """Take the app role for the rows, the sweeper role for finding them, and the queue to send to."""
        self._table = table
        self._app = app
        self._sweeper = sweeper
        self._celery = celery
        self._source = source

    async def run(self) -> int:
        """Send one batch and say how many were sent.

        Repeat: two relays share the work, because claiming is a guarded UPDATE.
        Errors: TryAgainError when the broker is down; what it did not take comes due again.
        """
        sent = 0
        for tenant, message_ids in (await self._due()).items():
            rows = await self._claim(tenant, message_ids)
            unsent = await asyncio.to_thread(self._send_all, rows)
            sent += len(rows) - len(unsent)
            if unsent:
                await self._release(tenant, unsent)
                raise TryAgainError
        return sent

    async def _due(self) -> dict[str, list[UUID]]:
        """Give the messages that are due by their tenants, in the order in which they came due."""
        columns = self._table.c
        due = (
            select(columns.tenant, columns.id)
            .where(columns.state != "ACKNOWLEDGED", columns.next_send_at <= text("clock_timestamp()"))
            .order_by(columns.next_send_at)
            .limit(_BATCH)
        )
        found: dict[str, list[UUID]] = {}
        async with self._sweeper.sweep() as connection:
            for row in await connection.execute(due):
                found.setdefault(row.tenant, []).append(row.id)
        return found

    async def _claim(self, tenant: str, message_ids: Sequence[UUID]) -> Sequence[Row[Any]]:  # whole rows of the table
        """Claim messages in one transaction, for a commit costs more than the rest; in the order they were written."""
        async with self._app.transaction(tenant) as connection:
            rows = (await connection.execute(self._claiming(message_ids))).all()
        return sorted(rows, key=lambda row: (row.created_at, row.id))

    def _claiming(self, message_ids: Sequence[UUID]) -> Update:
        columns = self._table.c
        return (
            update(self._table)
            .where(
                columns.id.in_(message_ids),
                columns.state != "ACKNOWLEDGED",
                columns.next_send_at <= text("clock_timestamp()"),
            )
            .values(
                state="SENT",
                sends=columns.sends + 1,
                next_send_at=text(f"clock_timestamp() + interval '{REPEAT_AFTER_SECONDS} seconds'"),
            )
            .returning(self._table)
        )

    def _send_all(self, rows: Sequence[Row[Any]]) -> list[UUID]:  # as above
        """Send in order; give what the broker did not take any more."""
        for number, row in enumerate(rows):
            try:
                self._send(row)
            except TryAgainError:
                return [each.id for each in rows[number:]]
        return []

    def _send(self, row: Row[Any]) -> None:  # as above
        envelope = _envelope(row, self._source)
        with (
            continued_from(row.traceparent),
            attempt_span(f"send {row.type}", tenant=row.tenant, attempt_id=row.attempt_id),
            bound(message_id=str(row.id), attempt_id=row.attempt_id, tenant=row.tenant),
        ):
            publish(self._celery, queue=row.queue, envelope=envelope)
            _log.info("message_sent", type=row.type, sends=row.sends)

    async def _release(self, tenant: str, message_ids: Sequence[UUID]) -> None:
        async with self._app.transaction(tenant) as connection:
            await connection.execute(
                update(self._table)
                .where(self._table.c.id.in_(message_ids), self._table.c.state == "SENT")
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
