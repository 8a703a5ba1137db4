"""The audit trail: written in the transaction of the act, read page by page."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.audit import audit_event
from knowledge.versions.acts import Act, Acting, AuditEvent, Fact


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
    connection: AsyncConnection, *, before: int | None, limit: int, subject: str | None = None
) -> list[AuditEvent]:
    """List acts, newest first, below a number; all subjects unless one is named."""
    columns = audit_event.c
    listing = select(audit_event).order_by(columns.number.desc()).limit(limit)
    if before is not None:
        listing = listing.where(columns.number < before)
    if subject is not None:
        listing = listing.where(columns.subject == subject)
    return [_event(row) for row in (await connection.execute(listing)).mappings()]


def _row(
    acting: Acting, act: Act, subject: str, detail: Mapping[str, Fact] | None
) -> dict[str, Any]:  # columns of several types
    who = {"tenant": acting.tenant, "actor": acting.actor, "roles": list(acting.roles)}
    return {**who, "act": act, "subject": subject, "detail": dict(detail or {})}


def _event(row: RowMapping) -> AuditEvent:
    fields: dict[str, Any] = {name: row[name] for name in AuditEvent.__slots__}  # columns of several types
    fields["roles"] = tuple(row["roles"])
    return AuditEvent(**fields)
