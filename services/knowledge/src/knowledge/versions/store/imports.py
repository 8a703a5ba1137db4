"""Imports as staff and the pulse see them: opened, filled, started, watched, discarded."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.archives import is_archive
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.jobs import Faulty, Step
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.tables.imports import archive_part, import_file, import_job, import_problem
from knowledge.tables.versions import tenant_pointer, version
from knowledge.versions.acts import Acting, import_subject
from knowledge.versions.drafting import (
    FIRST_PROBLEMS,
    LARGEST_ARCHIVE_BYTES,
    LARGEST_IMPORT_BYTES,
    Changes,
    ImportEndedError,
    ImportNotFoundError,
    ImportProgress,
    ImportRunningError,
    ImportStartedError,
    ImportTooLargeError,
    MissingPartError,
    seconds_left,
)
from knowledge.versions.store.audit import record_act
from knowledge.versions.store.reads import forget_import
from knowledge.versions.store.waiting import Waiting, arrived_bytes
from runtime.sealing import KeyRing

_HELD: Final = text("""
    SELECT count(*) AS files, CAST(coalesce(sum(size_bytes), 0) AS bigint) AS size_bytes FROM import_file
    WHERE import_id = :import_id AND path = ANY(CAST(:paths AS text[]))
""")
_KEYS: Final = ("tenant", "import_id", "path")
_ELAPSED: Final = func.extract("epoch", func.clock_timestamp() - import_job.c.step_began_at)


async def create_import(  # noqa: PLR0913 - one keyword a column
    connection: AsyncConnection,
    *,
    tenant: str,
    import_id: UUID,
    routing_policy: str,
    additive: bool,
    actor: str,
    faulty: Faulty = "leave_out",
) -> None:
    """Open an import that waits for files."""
    opened = {"tenant": tenant, "id": import_id, "state": "RECEIVING", "step": "READ", "additive": additive}
    described = {"routing_policy": routing_policy, "created_by": actor, "faulty": faulty}
    await connection.execute(insert(import_job).values(**opened, **described))


async def current_routing_policy(connection: AsyncConnection) -> str | None:
    """Give the text of the current version's routing policy; None before the first publication."""
    current = select(version.c.routing_policy).join(
        tenant_pointer, tenant_pointer.c.current_version == version.c.number
    )
    return (await connection.execute(current)).scalar_one_or_none()


async def add_files(
    connection: AsyncConnection,
    *,
    tenant: str,
    import_id: UUID,
    files: Sequence[SourceFile],
    ring: KeyRing | None = None,
) -> None:
    """Add files, among them archives, to an import; with keys they wait encrypted. Repeat: a path is replaced.

    Errors: ImportNotFoundError, ImportStartedError, ImportTooLargeError.
    """
    job = await _receiving(connection, import_id)
    waits = Waiting(tenant=tenant, import_id=import_id, ring=ring)
    rows = [
        {"tenant": tenant, "import_id": import_id, "path": file.path, "ordinal": job.files_total + place}
        | {"header": file.header, "size_bytes": len(file.content), **waits.stored(file.content, file.path)}
        for place, file in enumerate(files)
        if not is_archive(file.path)
    ]
    adding = insert(import_file)
    replacing = {name: adding.excluded[name] for name in ("content", "key_id", "header", "size_bytes")}
    if rows:
        async with _counting(connection, import_id, [str(row["path"]) for row in rows]):
            await connection.execute(adding.on_conflict_do_update(index_elements=_KEYS, set_=replacing), rows)
    for file in files:
        if is_archive(file.path):
            await add_part(
                connection,
                tenant=tenant,
                import_id=import_id,
                path=file.path,
                number=0,
                content=file.content,
                ring=ring,
            )


async def add_part(  # noqa: PLR0913 - one keyword a column
    connection: AsyncConnection,
    *,
    tenant: str,
    import_id: UUID,
    path: str,
    number: int,
    content: bytes,
    ring: KeyRing | None = None,
) -> None:
    """Add one part of an archive; the first one begins it anew. Repeat: a part that came before is replaced.

    Errors: ImportNotFoundError, ImportStartedError, ImportTooLargeError, MissingPartError.
    """
    job = await _receiving(connection, import_id)
    columns = archive_part.c
    mine = (columns.import_id == import_id) & (columns.path == path)
    await connection.execute(archive_part.delete().where(mine, columns.number >= number))
    arrived = func.sum(arrived_bytes(columns.content, columns.key_id))
    held = select(func.count(), func.coalesce(arrived, 0)).where(mine)
    parts, size_bytes = (await connection.execute(held)).one()
    if parts != number:
        raise MissingPartError
    key = {"tenant": tenant, "import_id": import_id, "path": path}
    stored = Waiting(tenant=tenant, import_id=import_id, ring=ring).stored(content, path, number)
    await connection.execute(insert(archive_part).values(**key, number=number, **stored))
    if size_bytes + len(content) > LARGEST_ARCHIVE_BYTES:
        raise ImportTooLargeError
    adding = insert(import_file).values(
        **key, ordinal=job.files_total, kind="archive", size_bytes=size_bytes + len(content)
    )
    replacing = {"kind": "archive", "content": None, "key_id": None, "size_bytes": adding.excluded.size_bytes}
    async with _counting(connection, import_id, [path]):
        await connection.execute(adding.on_conflict_do_update(index_elements=_KEYS, set_=replacing))


async def start_import(connection: AsyncConnection, import_id: UUID) -> bool:
    """Set an import going and say whether it was this call. Repeat: one that runs or has ended stays as it is.

    Errors: ImportNotFoundError; ImportRunningError while another import of the tenant runs.
    """
    job = await _locked_import(connection, import_id)
    if job.state != "RECEIVING":
        return False
    archives = select(import_file.c.path).where(import_file.c.import_id == import_id, import_file.c.kind == "archive")
    first = Step.UNPACK if (await connection.execute(archives.limit(1))).first() else Step.READ
    soon = text("clock_timestamp() + interval '5 seconds'")
    starting = update(import_job).where(import_job.c.id == import_id)
    running = starting.values(state="RUNNING", step=first, step_began_at=func.clock_timestamp(), lease_until=soon)
    try:
        await connection.execute(running)
    except IntegrityError as other:
        raise ImportRunningError from other
    return True


async def discard_import(connection: AsyncConnection, import_id: UUID, *, reason: str) -> bool:
    """End an import that waits or runs, and say whether it was this call; its draft version is swept later.

    Repeat: one that was discarded stays so. Errors: ImportNotFoundError, ImportEndedError.
    """
    job = await _locked_import(connection, import_id)
    if job.state not in ("RECEIVING", "RUNNING", "DISCARDED"):
        raise ImportEndedError
    return job.state != "DISCARDED" and await _discard(connection, job, reason)


async def close_waiting(connection: AsyncConnection, import_id: UUID, *, reason: str) -> bool:
    """End an import that still waits to be started, on record as of whoever opened it; say whether it did.

    Errors: ImportNotFoundError.
    """
    job = await _locked_import(connection, import_id)
    if job.state != "RECEIVING":
        return False
    await _discard(connection, job, reason)
    acting = Acting(tenant=job.tenant, actor=job.created_by)
    await record_act(connection, acting, "IMPORT_DISCARDED", subject=import_subject(import_id))
    return True


async def import_progress(connection: AsyncConnection, import_id: UUID) -> ImportProgress:
    """Say how far an import is. Errors: ImportNotFoundError."""
    columns = version.c
    wanted = (
        select(import_job, _ELAPSED.label("elapsed"), columns.changes)
        .outerjoin(version, columns.number == import_job.c.version)
        .where(import_job.c.id == import_id)
    )
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        raise ImportNotFoundError
    counted = select(func.count()).where(import_problem.c.import_id == import_id)
    return ImportProgress(
        import_id=row.id,
        state=row.state,
        step=Step(row.step),
        files_total=row.files_total,
        files_done=row.files_read,
        passages=row.passages,
        vectors=row.vectors,
        seconds_left=_seconds_left(row),
        problems=tuple(each for _, each in await list_problems(connection, import_id, after=0, limit=FIRST_PROBLEMS)),
        problems_total=(await connection.execute(counted)).scalar_one(),
        reason=row.reason,
        version=row.version if row.state == "STAGED" else None,
        changes=None if row.changes is None else Changes(**row.changes),
    )


async def list_problems(
    connection: AsyncConnection, import_id: UUID, *, after: int, limit: int
) -> list[tuple[int, Problem]]:
    """List problems of an import with their numbers, after a number."""
    columns = import_problem.c
    told = (
        select(columns.number, columns.path, columns.field, columns.code, columns.sentence)
        .where(columns.import_id == import_id, columns.number > after)
        .order_by(columns.number)
        .limit(limit)
    )
    rows = await connection.execute(told)
    return [(row.number, Problem(row.path, row.field, ProblemCode(row.code), row.sentence)) for row in rows]


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


async def abandoned_imports(connection: AsyncConnection, *, hours: int, limit: int) -> list[tuple[str, UUID]]:
    """List imports that were opened so long ago and never started, as (tenant, import): for the sweeper."""
    columns = import_job.c
    since = func.clock_timestamp() - func.make_interval(0, 0, 0, 0, hours)
    old = (
        select(columns.tenant, columns.id)
        .where(columns.state == "RECEIVING", columns.created_at < since)
        .order_by(columns.created_at)
        .limit(limit)
    )
    return [(row.tenant, row.id) for row in await connection.execute(old)]


async def _receiving(connection: AsyncConnection, import_id: UUID) -> Row[Any]:  # a whole row of the table
    job = await _locked_import(connection, import_id)
    if job.state != "RECEIVING":
        raise ImportStartedError
    return job


async def _locked_import(connection: AsyncConnection, import_id: UUID) -> Row[Any]:  # a whole row of the table
    wanted = select(import_job).where(import_job.c.id == import_id).with_for_update()
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        raise ImportNotFoundError
    return row


async def _discard(connection: AsyncConnection, job: Row[Any], reason: str) -> bool:  # as above
    # Without its token a worker that is in the middle of a step cannot store it any more.
    ended = {"state": "DISCARDED", "reason": reason, "lease_token": None, "finished_at": func.clock_timestamp()}
    await connection.execute(update(import_job).where(import_job.c.id == job.id).values(**ended))
    draft = update(version).where(version.c.number == job.version, version.c.state == "DRAFT")
    await connection.execute(draft.values(state="DISCARDED", reason=reason))
    await connection.run_sync(forget_import, job.id)
    return True


@asynccontextmanager
async def _counting(connection: AsyncConnection, import_id: UUID, paths: Sequence[str]) -> AsyncGenerator[None]:
    """Count what files of these paths add to a locked import, however many it holds by now.

    Errors: ImportTooLargeError, which takes them back.
    """
    asked = {"import_id": import_id, "paths": list(paths)}
    before = (await connection.execute(_HELD, asked)).one()
    yield
    held = (await connection.execute(_HELD, asked)).one()
    columns = import_job.c
    grown = {
        "files_total": columns.files_total + held.files - before.files,
        "size_bytes": columns.size_bytes + held.size_bytes - before.size_bytes,
    }
    growing = update(import_job).where(columns.id == import_id).values(**grown).returning(columns.size_bytes)
    if (await connection.execute(growing)).scalar_one() > LARGEST_IMPORT_BYTES:
        raise ImportTooLargeError


def _seconds_left(row: Row[Any]) -> int | None:  # columns of the job
    """Estimate from the steps that have a pace: files that are read, passages that become findable, and those that get a second vector."""
    if row.state != "RUNNING":
        return None
    elapsed = float(row.elapsed)
    if row.step == Step.READ:
        return seconds_left(elapsed_seconds=elapsed, done=row.files_read, left=row.files_total - row.files_read)
    if row.step == Step.INDEX:
        done = row.vectors - row.step_vectors
        return seconds_left(elapsed_seconds=elapsed, done=done, left=row.passages - row.vectors)
    if row.step == Step.ARM:
        return seconds_left(elapsed_seconds=elapsed, done=row.slices_done, left=row.passages - row.slices_done)
    return None
