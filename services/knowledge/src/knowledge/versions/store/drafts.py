"""Versions as a worker makes them: read, drafted, staged or failed."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, RowMapping, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from contracts.ids import IdSource
from knowledge.ingestion.importing import RevisionDraft, SourceFile
from knowledge.ingestion.jobs import Job, LostLeaseError, VersionSize
from knowledge.ingestion.problems import Problem
from knowledge.tables.documents import audience, audience_segment, document, revision
from knowledge.tables.imports import import_file, import_job
from knowledge.tables.versions import tenant_pointer, version, version_revision
from knowledge.versions.drafting import (
    Pipeline,
    Staged,
)

_SEPARATOR: Final = ","  # a segment holds neither white space nor a comma

_KEPT: Final = text("""
    SELECT document.slug, revision.label, revision.title, revision.language, revision.owner, revision.area,
           audience.segments, revision.tags, revision.priority, revision.review_date, revision.effective_from,
           revision.effective_to, revision.declared_to, revision.superseded_by, revision.applies_to,
           revision.requires_facts, revision.decision, revision.public, revision.source_url, revision.path,
           revision.source, revision.content_sha256
    FROM tenant_pointer
    JOIN version_revision ON version_revision.version = tenant_pointer.current_version
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    JOIN audience ON audience.id = revision.audience_id
""")

_SIZE: Final = text("""
    SELECT count(*) AS passages, count(*) FILTER (WHERE passage.in_force_until > :day) AS servable
    FROM version_revision JOIN passage ON passage.revision = version_revision.revision
    WHERE version_revision.version = :version
""")


def read_files(connection: Connection, import_id: UUID) -> list[SourceFile]:
    """Give the files of an import in the order they came."""
    columns = import_file.c
    files = select(columns.path, columns.content, columns.header).where(columns.import_id == import_id)
    rows = connection.execute(files.order_by(columns.ordinal, columns.path))
    return [SourceFile(path=row.path, content=row.content or b"", header=row.header) for row in rows]


def current_revisions(connection: Connection) -> list[RevisionDraft]:
    """Give what the current version holds, as it would be imported again; empty before the first publication."""
    return [_draft(row) for row in connection.execute(_KEPT).mappings()]


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
    row = connection.execute(_SIZE, {"version": version, "day": day}).one()
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
