"""Imports as staff and the pulse see them: opened, filled, started, watched."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.tables.imports import import_file, import_job
from knowledge.tables.versions import tenant_pointer, version
from knowledge.versions.drafting import (
    LARGEST_IMPORT_BYTES,
    ImportNotFoundError,
    ImportProgress,
    ImportRunningError,
    ImportStartedError,
    ImportTooLargeError,
)

_PROGRESS: Final = text("""
    SELECT count(*) FILTER (WHERE built.passages > 0 AND built.pending = 0) AS revisions_done,
           coalesce(sum(built.passages), 0) AS passages, coalesce(sum(built.passages - built.pending), 0) AS vectors
    FROM version_revision
    JOIN LATERAL (
        SELECT count(*) AS passages, count(*) FILTER (WHERE NOT passage.indexed) AS pending
        FROM passage WHERE passage.revision = version_revision.revision) AS built ON true
    WHERE version_revision.version = :version
""")


async def create_import(  # noqa: PLR0913 - one keyword a column
    connection: AsyncConnection, *, tenant: str, import_id: UUID, routing_policy: str, additive: bool, actor: str
) -> None:
    """Open an import that waits for files."""
    opened = {"tenant": tenant, "id": import_id, "state": "RECEIVING", "step": "READ", "additive": additive}
    await connection.execute(insert(import_job).values(**opened, routing_policy=routing_policy, created_by=actor))


async def current_routing_policy(connection: AsyncConnection) -> str | None:
    """Give the text of the current version's routing policy; None before the first publication."""
    current = select(version.c.routing_policy).join(
        tenant_pointer, tenant_pointer.c.current_version == version.c.number
    )
    return (await connection.execute(current)).scalar_one_or_none()


async def add_files(connection: AsyncConnection, *, tenant: str, import_id: UUID, files: Sequence[SourceFile]) -> None:
    """Add files to an import. Repeat: a path that came before is replaced.

    Errors: ImportNotFoundError, ImportStartedError, ImportTooLargeError.
    """
    job = await _locked_import(connection, import_id)
    if job.state != "RECEIVING":
        raise ImportStartedError
    held = select(func.count(), func.coalesce(func.sum(func.octet_length(import_file.c.content)), 0))
    counted = held.where(import_file.c.import_id == import_id)
    known, _ = (await connection.execute(counted)).one()
    rows = [
        {"tenant": tenant, "import_id": import_id, "path": file.path, "ordinal": known + place}
        | {"content": file.content, "header": file.header}
        for place, file in enumerate(files)
    ]
    adding = insert(import_file)
    replacing = {"content": adding.excluded.content, "header": adding.excluded.header}
    await connection.execute(
        adding.on_conflict_do_update(index_elements=["tenant", "import_id", "path"], set_=replacing), rows
    )
    total, size_bytes = (await connection.execute(counted)).one()
    if size_bytes > LARGEST_IMPORT_BYTES:
        raise ImportTooLargeError
    await connection.execute(update(import_job).where(import_job.c.id == import_id).values(files_total=total))


async def start_import(connection: AsyncConnection, import_id: UUID) -> None:
    """Set an import going. Repeat: one that runs or has ended stays as it is.

    Errors: ImportNotFoundError; ImportRunningError while another import of the tenant runs.
    """
    job = await _locked_import(connection, import_id)
    if job.state != "RECEIVING":
        return
    try:
        await connection.execute(
            update(import_job)
            .where(import_job.c.id == import_id)
            .values(state="RUNNING", lease_until=text("clock_timestamp() + interval '5 seconds'"))
        )
    except IntegrityError as running:
        raise ImportRunningError from running


async def import_progress(connection: AsyncConnection, import_id: UUID) -> ImportProgress:
    """Say how far an import is. Errors: ImportNotFoundError."""
    row = (await connection.execute(select(import_job).where(import_job.c.id == import_id))).one_or_none()
    if row is None:
        raise ImportNotFoundError
    built = (await connection.execute(_PROGRESS, {"version": row.version})).one()
    done = row.files_total if row.state == "STAGED" else min(built.revisions_done, row.files_total)
    return ImportProgress(
        import_id=row.id,
        state=row.state,
        files_total=row.files_total,
        files_done=done,
        passages=built.passages,
        vectors=built.vectors,
        problems=tuple(_problem(each) for each in row.problems),
        reason=row.reason,
        version=row.version if row.state == "STAGED" else None,
    )


async def due_imports(connection: AsyncConnection, *, limit: int) -> list[tuple[str, UUID]]:
    """List running imports whose lease is over, as (tenant, import): for the sweeper."""
    columns = import_job.c
    due = (
        select(columns.tenant, columns.id)
        .where(columns.state == "RUNNING", columns.lease_until < func.clock_timestamp())
        .order_by(columns.lease_until)
        .limit(limit)
    )
    return [(row.tenant, row.id) for row in await connection.execute(due)]


async def postpone_import(connection: AsyncConnection, import_id: UUID) -> bool:
    """Push a due lease a little further, so that one pulse wakes a worker and not each; say whether it was due."""
    columns = import_job.c
    postponing = (
        update(import_job)
        .where(columns.id == import_id, columns.state == "RUNNING", columns.lease_until < func.clock_timestamp())
        .values(lease_token=None, lease_until=text("clock_timestamp() + interval '10 seconds'"))
    )
    return (await connection.execute(postponing)).rowcount == 1


async def _locked_import(connection: AsyncConnection, import_id: UUID) -> Row[Any]:  # a whole row of the table
    wanted = select(import_job).where(import_job.c.id == import_id).with_for_update()
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        raise ImportNotFoundError
    return row


def _problem(stored: dict[str, str]) -> Problem:
    return Problem(stored["path"], stored["field"], ProblemCode(stored["code"]), stored["sentence"])
