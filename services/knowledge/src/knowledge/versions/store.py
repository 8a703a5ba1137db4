"""Versions as rows: drafted by a worker, watched, published and withdrawn by staff."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, RowMapping, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.ids import IdSource
from knowledge.ingestion.importing import RevisionDraft, SourceFile
from knowledge.ingestion.jobs import Job, LostLeaseError, VersionSize
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.tables import (
    audience,
    audience_segment,
    document,
    import_file,
    import_job,
    revision,
    tenant_pointer,
    version,
    version_revision,
    withdrawal,
)
from knowledge.versions import statements
from knowledge.versions.drafting import (
    LARGEST_IMPORT_BYTES,
    ImportNotFoundError,
    ImportProgress,
    ImportRunningError,
    ImportStartedError,
    ImportTooLargeError,
    Pipeline,
    Staged,
)
from knowledge.versions.version import (
    PublishedDocument,
    PublishedMeanwhileError,
    Version,
    VersionNotFoundError,
    refuse_unpublishable,
)

_SEPARATOR: Final = ","  # a segment holds neither white space nor a comma


def read_files(connection: Connection, import_id: UUID) -> list[SourceFile]:
    """Give the files of an import in the order they came."""
    columns = import_file.c
    files = select(columns.path, columns.content, columns.header).where(columns.import_id == import_id)
    rows = connection.execute(files.order_by(columns.ordinal, columns.path))
    return [SourceFile(path=row.path, content=row.content or b"", header=row.header) for row in rows]


def current_revisions(connection: Connection) -> list[RevisionDraft]:
    """Give what the current version holds, as it would be imported again; empty before the first publication."""
    return [_draft(row) for row in connection.execute(text(statements.KEPT)).mappings()]


def draft_version(  # noqa: PLR0913 - a job, its revisions, and what they are stored with
    connection: Connection,
    job: Job,
    drafts: Sequence[RevisionDraft],
    *,
    tenant: str,
    pipeline: Pipeline,
    new_id: IdSource,
) -> int:
    """Make a draft version of these revisions and number it; the original files are forgotten.

    Repeat: revisions with a known fingerprint are shared, not stored again.
    """
    number = _next_number(connection, tenant)
    connection.execute(
        insert(version).values(
            tenant=tenant,
            number=number,
            state="DRAFT",
            routing_policy=job.routing_policy,
            analyser=pipeline.analyser,
            embedder=pipeline.embedder,
            import_id=job.import_id,
            created_by=job.created_by,
        )
    )
    for draft in drafts:
        revision_id = _stored_revision(connection, draft, tenant=tenant, pipeline=pipeline.name, new_id=new_id)
        member = {"tenant": tenant, "version": number, "revision": revision_id}
        connection.execute(insert(version_revision).values(member))
    connection.execute(update(import_job).where(import_job.c.id == job.import_id).values(version=number))
    _forget_files(connection, job.import_id)
    return number


def size_of(connection: Connection, *, version: int, day: date) -> VersionSize:
    """Count the passages of a version, and those that can serve on or after a day."""
    row = connection.execute(text(statements.SIZE), {"version": version, "day": day}).one()
    return VersionSize(passages=row.passages, servable=row.servable, day=day)


def stage(connection: Connection, staged: Staged) -> None:
    """Call a version built and its import done. Errors: LostLeaseError, which rolls this back."""
    connection.execute(
        update(version)
        .where(version.c.number == staged.job.version, version.c.state == "DRAFT")
        .values(
            state="STAGED",
            passages=staged.passages,
            servable_passages=staged.servable,
            hot=staged.hot,
            calibration=asdict(staged.calibration),
            staged_at=func.clock_timestamp(),
        )
    )
    _finish(connection, staged.job, {"state": "STAGED", "step": "DONE"})


def fail(connection: Connection, job: Job, *, problems: Sequence[Problem], reason: str) -> None:
    """End an import and its draft version as FAILED with the reason; nothing that is visible changes."""
    connection.execute(
        update(version)
        .where(version.c.number == job.version, version.c.state == "DRAFT")
        .values(state="FAILED", reason=reason)
    )
    _finish(connection, job, {"state": "FAILED", "problems": [asdict(each) for each in problems], "reason": reason})
    _forget_files(connection, job.import_id)


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
    built = (await connection.execute(text(statements.PROGRESS), {"version": row.version})).one()
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


async def list_versions(connection: AsyncConnection, *, before: int | None, limit: int) -> list[Version]:
    """List versions, newest first, below a number."""
    rows = await connection.execute(text(statements.VERSIONS), {"before": before, "limit": limit})
    return [Version(**row) for row in rows.mappings()]


async def publish(connection: AsyncConnection, *, number: int, actor: str, expected_current: int | None) -> None:
    """Make a built version current; an older one is how one rolls back. Repeat: the current one stays current.

    Errors: VersionNotFoundError, NotPublishableError; PublishedMeanwhileError when another publication came between.
    """
    state = (await connection.execute(select(version.c.state).where(version.c.number == number))).scalar_one_or_none()
    if state is None:
        raise VersionNotFoundError
    refuse_unpublishable(state, number=number)
    seen = (await connection.execute(select(tenant_pointer.c.current_version))).scalar_one()
    if expected_current not in (None, seen):
        raise PublishedMeanwhileError
    if seen != number:
        await _move_pointer(connection, seen=seen, number=number, actor=actor)


async def list_documents(connection: AsyncConnection, *, after: str, limit: int) -> list[PublishedDocument]:
    """List the documents of the current version by slug, after one."""
    rows = await connection.execute(text(statements.DOCUMENTS), {"after": after, "limit": limit})
    return [_document(dict(row)) for row in rows.mappings()]


async def withdraw(connection: AsyncConnection, *, tenant: str, slug: str, actor: str) -> datetime | None:
    """Withdraw every text a document has ever had; a corrected text is a new one. Gone from the next question on.

    Repeat: the first time and actor stay. Gives the time, or None when there is no such document.
    """
    await connection.execute(text(statements.WITHDRAW), {"tenant": tenant, "slug": slug, "actor": actor})
    withdrawn = (
        select(func.max(withdrawal.c.withdrawn_at))
        .join(document, document.c.id == withdrawal.c.document)
        .where(document.c.slug == slug)
    )
    return (await connection.execute(withdrawn)).scalar_one()


async def _move_pointer(connection: AsyncConnection, *, seen: int | None, number: int, actor: str) -> None:
    moving = (
        update(tenant_pointer)
        .where(tenant_pointer.c.current_version.is_not_distinct_from(seen))
        .values(current_version=number)
    )
    # A second publisher waits here for the first, then finds another pointer than the one it looked at.
    if (await connection.execute(moving)).rowcount != 1:
        raise PublishedMeanwhileError
    await connection.execute(update(version).where(version.c.number == seen).values(state="RETIRED"))
    published = {"state": "PUBLISHED", "published_by": actor, "published_at": func.clock_timestamp()}
    await connection.execute(update(version).where(version.c.number == number).values(**published))


async def _locked_import(connection: AsyncConnection, import_id: UUID) -> Row[Any]:  # a whole row of the table
    wanted = select(import_job).where(import_job.c.id == import_id).with_for_update()
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        raise ImportNotFoundError
    return row


def _next_number(connection: Connection, tenant: str) -> int:
    first = insert(tenant_pointer).values(tenant=tenant, last_version=1)
    counting = first.on_conflict_do_update(
        index_elements=["tenant"], set_={"last_version": tenant_pointer.c.last_version + 1}
    )
    return int(connection.execute(counting.returning(tenant_pointer.c.last_version)).scalar_one())


def _stored_revision(
    connection: Connection, draft: RevisionDraft, *, tenant: str, pipeline: str, new_id: IdSource
) -> UUID:
    document_id = _document_id(connection, draft.slug, tenant=tenant, new_id=new_id)
    fingerprint = draft.fingerprint(pipeline)
    known = select(revision.c.id).where(revision.c.document == document_id, revision.c.fingerprint == fingerprint)
    found = connection.execute(known).scalar_one_or_none()
    if found is not None:
        return found
    revision_id = new_id()
    record = asdict(draft) | {"tenant": tenant, "id": revision_id, "document": document_id, "fingerprint": fingerprint}
    record["audience_id"] = _audience_id(connection, draft.audience, tenant=tenant)
    del record["slug"], record["audience"]
    connection.execute(insert(revision).values(**record))
    return revision_id


def _document_id(connection: Connection, slug: str, *, tenant: str, new_id: IdSource) -> UUID:
    making = insert(document).values(tenant=tenant, id=new_id(), slug=slug).on_conflict_do_nothing()
    connection.execute(making)
    return connection.execute(select(document.c.id).where(document.c.slug == slug)).scalar_one()


def _audience_id(connection: Connection, segments: Sequence[str], *, tenant: str) -> int:
    key = _SEPARATOR.join(segments)
    connection.execute(insert(audience).values(tenant=tenant, segments=key).on_conflict_do_nothing())
    number = int(connection.execute(select(audience.c.id).where(audience.c.segments == key)).scalar_one())
    members = [{"tenant": tenant, "segment": each, "audience_id": number} for each in segments]
    connection.execute(insert(audience_segment).on_conflict_do_nothing(), members)
    return number


def _finish(connection: Connection, job: Job, values: dict[str, object]) -> None:
    finishing = (
        update(import_job)
        .where(import_job.c.id == job.import_id, import_job.c.lease_token == job.lease_token)
        .values(**values, finished_at=func.clock_timestamp())
    )
    if connection.execute(finishing).rowcount != 1:
        raise LostLeaseError


def _forget_files(connection: Connection, import_id: UUID) -> None:
    # The originals may hold personal data; what is kept is the masked normal form.
    connection.execute(update(import_file).where(import_file.c.import_id == import_id).values(content=None))


def _draft(row: RowMapping) -> RevisionDraft:
    fields: dict[str, Any] = {name: row[name] for name in RevisionDraft.__slots__ if name != "audience"}  # columns
    fields |= {"tags": tuple(row["tags"]), "requires_facts": tuple(row["requires_facts"])}
    return RevisionDraft(**fields, audience=tuple(row["segments"].split(_SEPARATOR)))


def _problem(stored: dict[str, str]) -> Problem:
    return Problem(stored["path"], stored["field"], ProblemCode(stored["code"]), stored["sentence"])


def _document(fields: dict[str, Any]) -> PublishedDocument:  # columns of several types
    segments: str = fields.pop("audience")
    return PublishedDocument(**fields, audience=tuple(segments.split(_SEPARATOR)))
