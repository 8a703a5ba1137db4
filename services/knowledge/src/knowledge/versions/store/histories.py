"""What the audit trail tells about a document: publications, and when it was withdrawn or brought back."""

from typing import Final

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.audit import audit_event
from knowledge.versions.acts import document_subject
from knowledge.versions.timeline import Publication, Removal

_MOST: Final = 1_000


async def publications(connection: AsyncConnection) -> list[Publication]:
    """List the last thousand moves of the pointer, newest first."""
    columns = audit_event.c
    number = cast(func.split_part(columns.subject, ":", 2), Integer).label("version")
    before = cast(columns.detail["before"].astext, Integer).label("before")
    moved = (
        select(columns.at, columns.actor, number, before)
        .where(columns.act.in_(("VERSION_PUBLISHED", "VERSION_ROLLED_BACK")))
        .order_by(columns.number.desc())
        .limit(_MOST)
    )
    return [Publication(**row) for row in (await connection.execute(moved)).mappings()]


async def removals(connection: AsyncConnection, slug: str) -> list[Removal]:
    """List the last withdrawals of a document and their undoings, newest first."""
    columns = audit_event.c
    told = (
        select(columns.at, columns.actor, func.replace(columns.act, "DOCUMENT_", "").label("kind"))
        .where(columns.subject == document_subject(slug), columns.act.in_(("DOCUMENT_WITHDRAWN", "DOCUMENT_RESTORED")))
        .order_by(columns.number.desc())
        .limit(_MOST)
    )
    return [Removal(**row) for row in (await connection.execute(told)).mappings()]
