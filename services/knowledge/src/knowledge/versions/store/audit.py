"""The audit trail: written in the transaction of the act, read page by page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.audit import audit_event
from knowledge.versions.acts import Act, Acting, AuditEvent, Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which acts to list: each condition that is given holds. `until` is the first moment that is not wanted."""

    subject: str | None = None
    act: Act | None = None
    actor: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERYTHING: Final = Wanted()


async def record_act(
    connection: AsyncConnection, acting: Acting, act: Act, *, subject: str, detail: Mapping[str, Fact] | None = None
) -> None:
    """Write an act into the trail of this transaction: it is there exactly when what was done is."""
    await connection.execute(insert(audit_event).values(_row(acting, act, subject, detail)))


def record_act_sync(
    connection: Connection, acting: Acting, act: Act, *, subject: str, detail: Mapping[str, Fact] | None = None
) -> None:
    """Write an act as `record_act` does, for a worker."""
    connection.execute(insert(audit_event).values(_row(acting, act, subject, detail)))


async def list_acts(
    connection: AsyncConnection, *, before: int | None, limit: int, wanted: Wanted = EVERYTHING
) -> list[AuditEvent]:
    """List acts, newest first, below a number; those that are wanted."""
    columns = audit_event.c
    listing = select(audit_event).order_by(columns.number.desc()).limit(limit)
    conditions: list[ColumnElement[bool]] = []
    if before is not None:
        conditions.append(columns.number < before)
    if wanted.since is not None:
        conditions.append(columns.at >= wanted.since)
    if wanted.until is not None:
        conditions.append(columns.at < wanted.until)
    named = {columns.subject: wanted.subject, columns.act: wanted.act, columns.actor: wanted.actor}
    conditions += [column == value for column, value in named.items() if value is not None]
    return [_event(row) for row in (await connection.execute(listing.where(*conditions))).mappings()]


def _row(
    acting: Acting, act: Act, subject: str, detail: Mapping[str, Fact] | None
) -> dict[str, Any]:  # columns of several types
    who = {"tenant": acting.tenant, "actor": acting.actor, "roles": list(acting.roles)}
    return {**who, "act": act, "subject": subject, "detail": dict(detail or {})}


def _event(row: RowMapping) -> AuditEvent:
    fields: dict[str, Any] = {name: row[name] for name in AuditEvent.__slots__}  # columns of several types
    fields["roles"] = tuple(row["roles"])
    return AuditEvent(**fields)
