"""Put aside what cannot be followed: which message it is, why, and how often handling it failed. A person looks at it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    DateTime,
    Integer,
    MetaData,
    Row,
    Table,
    Text,
    Uuid,
    delete,
    func,
    select,
    text,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.schema import SchemaItem

from contracts.reading import LONGEST_KEY, NO_TENANT, text_of

ParkReason = Literal["MALFORMED", "CONFLICT", "UNKNOWN_VERSION", "POISON"]
Body = dict[str, object]

_NOW: Final = text("clock_timestamp()")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """A message that is not handled and not sent again."""

    tenant: str
    message_id: str
    type: str
    source: str
    attempt_id: str | None
    reason: ParkReason
    detail: str
    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A message that was put aside, as staff list it; without a body, only its sender has what it says."""

    parked_id: UUID
    message_id: str
    type: str
    attempt_id: str | None
    reason: ParkReason
    detail: str
    parked_at: datetime
    source: str | None
    body: str | None


KeepsBody = Callable[[Connection, ParkedMessage], bool]


def parked(body: Body, *, reason: ParkReason, detail: str) -> ParkedMessage:
    """Describe a message to be parked, as far as it says what it is."""
    return ParkedMessage(
        tenant=text_of(body, "tenant", longest=LONGEST_KEY) or NO_TENANT,
        message_id=text_of(body, "id", longest=LONGEST_KEY) or "unknown",
        type=text_of(body, "type", longest=LONGEST_KEY) or "unknown",
        source=text_of(body, "source", longest=LONGEST_KEY) or "unknown",
        attempt_id=text_of(body, "attemptid", longest=LONGEST_KEY),
        reason=reason,
        detail=detail,
        body=body,
    )


def parked_message_table(metadata: MetaData, *own: SchemaItem) -> Table:
    """Describe the parked messages of a service, with columns and constraints of its own.

    A service says there what it keeps beyond the reason: `source`, or `body` and `replayed_at` when a message may be sent
    through again. The body is text, because what JSONB refuses must be parked as well. A unique constraint that holds the
    message's id makes the first parking stand.
    """
    return Table(
        "parked_message",
        metadata,
        Column("id", Uuid(), primary_key=True),
        Column("tenant", Text, nullable=False),
        Column("message_id", Text, nullable=False),
        Column("type", Text, nullable=False),
        Column("attempt_id", Text),
        Column("reason", Text, nullable=False),
        Column("detail", Text, nullable=False),
        Column("parked_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
        *own,
    )


def failed_delivery_table(metadata: MetaData) -> Table:
    """Describe how often handling a message failed; at `contracts.reading.MOST_DELIVERIES` it is parked."""
    return Table(
        "failed_delivery",
        metadata,
        Column("tenant", Text, primary_key=True),
        Column("message_id", Text, primary_key=True),
        Column("deliveries", Integer, nullable=False, server_default="1"),
        Column("error_class", Text, nullable=False),
        Column("failed_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    )


class Parking:
    """What a service has put aside. The tenant is the transaction's."""

    def __init__(self, *, parked: Table, failed: Table, keeps_body: KeepsBody | None = None) -> None:
        """Take the tables of the service, and which messages keep their bodies; all do when nothing says so."""
        self._keeps_body = keeps_body
        self._table = parked
        self._parked = parked.c
        self._failed_table = failed
        self._failed = failed.c

    def park(
        self,
        connection: Connection,
        message: ParkedMessage,
        *,
        parked_id: UUID,
        own: Mapping[str, object] | None = None,
    ) -> bool:
        """Put a message aside with its reason; say whether it is the first time. Repeat: the first parking stands."""
        known = {
            "id": parked_id,
            "tenant": message.tenant,
            "message_id": message.message_id,
            "type": message.type,
            "source": message.source,
            "attempt_id": message.attempt_id,
            "reason": message.reason,
            "detail": message.detail,
            "body": self._body(connection, message),
        }
        kept = {name: value for name, value in known.items() if name in self._parked} | dict(own or {})
        once = insert(self._table).values(kept).on_conflict_do_nothing().returning(self._parked.id)
        return connection.execute(once).one_or_none() is not None

    def count_failure(self, connection: Connection, message: ParkedMessage, *, error_class: str) -> int:
        """Count one more delivery of a message that could not be handled; return how many there were."""
        first = insert(self._failed_table).values(
            tenant=message.tenant, message_id=message.message_id, error_class=error_class
        )
        counted = first.on_conflict_do_update(
            index_elements=["tenant", "message_id"],
            set_={"deliveries": self._failed.deliveries + 1, "error_class": error_class, "failed_at": _NOW},
        )
        return connection.execute(counted.returning(self._failed.deliveries)).scalar_one()

    def newest(self, connection: Connection, *, below: UUID | None, limit: int) -> tuple[Parked, ...]:
        """List parked messages that were not sent through again, the newest first, from below an id on."""
        query = select(self._table).where(self._is_waiting()).order_by(self._parked.id.desc()).limit(limit)
        if below is not None:
            query = query.where(self._parked.id < below)
        return tuple(_parked(row) for row in connection.execute(query))

    def release(self, connection: Connection, parked_id: UUID) -> Parked | None:
        """Take a parked message out of the list and forget its failed deliveries; None when it is not there (any more).

        It may be parked anew under its id; the row that stays is about this once.
        """
        taken = (
            update(self._table)
            .where(self._parked.id == parked_id, self._is_waiting())
            .values(replayed_at=_NOW)
            .returning(self._table)
        )
        row = connection.execute(taken).one_or_none()
        if row is None:
            return None
        connection.execute(delete(self._failed_table).where(self._failed.message_id == row.message_id))
        renamed = func.concat(self._parked.message_id, "#", self._parked.id)
        connection.execute(update(self._table).where(self._parked.id == parked_id).values(message_id=renamed))
        return _parked(row)

    def drop(self, connection: Connection, *, days: int, only: ColumnElement[bool] | None = None) -> int:
        """Forget what was put aside so many days ago, and failed deliveries as old; say how many there were."""
        before = days_ago(days)
        old = delete(self._table).where(self._parked.parked_at < before, true() if only is None else only)
        failed = delete(self._failed_table).where(self._failed.failed_at < before)
        return connection.execute(old).rowcount + connection.execute(failed).rowcount

    def _body(self, connection: Connection, message: ParkedMessage) -> str | None:
        is_kept = self._keeps_body is None or self._keeps_body(connection, message)
        return json.dumps(message.body) if is_kept else None

    def _is_waiting(self) -> ColumnElement[bool]:
        return self._parked.replayed_at.is_(None) if "replayed_at" in self._parked else true()


def days_ago(days: int) -> ColumnElement[datetime]:
    """Give the moment so many days ago, by the database's clock."""
    return func.clock_timestamp() - func.make_interval(0, 0, 0, days)


def _parked(row: Row[Any]) -> Parked:  # a whole row of the table
    return Parked(
        parked_id=row.id,
        message_id=row.message_id,
        type=row.type,
        attempt_id=row.attempt_id,
        reason=row.reason,
        detail=row.detail,
        parked_at=row.parked_at,
        source=getattr(row, "source", None),
        body=getattr(row, "body", None),
    )
