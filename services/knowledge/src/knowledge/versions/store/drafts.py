"""Versions as a worker makes them: opened, filled, staged or failed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, RowMapping, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from contracts.ids import IdSource, printed
from knowledge.ingestion.importing import Record
from knowledge.ingestion.jobs import Job, LostLeaseError, Progress, VersionSize
from knowledge.ingestion.placed_masks import PlacedMask
from knowledge.tables.documents import audience, audience_segment
from knowledge.tables.imports import import_job, read_draft
from knowledge.tables.versions import tenant_pointer, version
from knowledge.versions.acts import Acting, Fact, import_subject, version_subject
from knowledge.versions.drafting import Pipeline, Scaled
from knowledge.versions.store.audit import record_act_sync
from knowledge.versions.store.masks import store_masks
from knowledge.versions.store.originals import keep_originals
from knowledge.versions.store.reads import count_problems, forget_import
from runtime.sealing import KeyRing

_SEPARATOR: Final = ","  # a segment holds neither white space nor a comma

_COLUMNS: Final = (
    "label, title, language, owner, area, tags, priority, review_date, effective_from, effective_to, declared_to,"
    " superseded_by, applies_to, requires_facts, decision, public, source_url, path, content_sha256, origin_sha256"
)
_OF_DRAFT: Final = ", ".join(f"read_draft.{name.strip()}" for name in _COLUMNS.split(","))
_LISTED: Final = """
    FROM unnest(CAST(:ids AS uuid[]), CAST(:fingerprints AS text[])) AS listed (id, fingerprint)
    JOIN read_draft ON read_draft.import_id = :import_id AND read_draft.id = listed.id
    JOIN document ON document.slug = read_draft.slug
"""

# Tables that an import fills have no statistics yet: the planner would pair every row of a batch with every row there is.
_BY_HASH: Final = text("SET LOCAL enable_nestloop = off")
_AS_BEFORE: Final = text("SET LOCAL enable_nestloop = on")

_DOCUMENTS: Final = text("""
    INSERT INTO document (tenant, id, slug)
    SELECT :tenant, listed.id, listed.slug
    FROM unnest(CAST(:ids AS uuid[]), CAST(:slugs AS text[])) AS listed (id, slug)
    ON CONFLICT DO NOTHING
""")

# A revision that is there already learns what it was read from, so that the next import need not read it.
_REVISIONS: Final = text(f"""
    INSERT INTO revision (tenant, id, document, audience_id, fingerprint, source, page_lines, {_COLUMNS})
    SELECT :tenant, read_draft.id, document.id, audience.id, listed.fingerprint,
           coalesce(read_draft.source, shared.source), coalesce(shared.page_lines, read_draft.page_lines), {_OF_DRAFT}
    {_LISTED}
    JOIN audience ON audience.segments = read_draft.segments
    LEFT JOIN revision AS shared ON shared.id = read_draft.text_of
    ORDER BY read_draft.id
    ON CONFLICT (tenant, document, fingerprint) DO UPDATE SET origin_sha256 = excluded.origin_sha256
    WHERE revision.origin_sha256 IS DISTINCT FROM excluded.origin_sha256 AND excluded.origin_sha256 IS NOT NULL
""")  # noqa: S608 - names above

_MEMBERS: Final = text(f"""
    INSERT INTO version_revision (tenant, version, revision)
    SELECT :tenant, :version, revision.id
    {_LISTED}
    JOIN revision ON revision.document = document.id AND revision.fingerprint = listed.fingerprint
    ON CONFLICT DO NOTHING
""")

_MASKED: Final = text(f"""
    SELECT revision.id, read_draft.masks
    {_LISTED}
    JOIN revision ON revision.document = document.id AND revision.fingerprint = listed.fingerprint
    WHERE read_draft.masks <> '[]'
""")

# A text that another pipeline indexes becomes another revision with the same masks.
_SHARED_MASKS: Final = text(f"""
    INSERT INTO mask (tenant, revision, field, source_start, source_end, kind, value_hash)
    SELECT mask.tenant, revision.id, mask.field, mask.source_start, mask.source_end, mask.kind, mask.value_hash
    {_LISTED}
    JOIN revision ON revision.document = document.id AND revision.fingerprint = listed.fingerprint
    JOIN mask ON mask.revision = read_draft.text_of
    WHERE revision.id <> read_draft.text_of
    ON CONFLICT DO NOTHING
""")

_SIZE: Final = text("""
    SELECT count(*) AS passages, count(*) FILTER (WHERE passage.in_force_until > :day) AS servable
    FROM version_revision JOIN passage ON passage.revision = version_revision.revision
    WHERE version_revision.version = :version
""")

# What a version holds never changes, so that whoever lists versions need not count it again.
_STAGE: Final = text("""
    UPDATE version SET state = 'STAGED', staged_at = clock_timestamp(), documents = held.documents,
                       revisions = held.revisions, masks = held.masks
    FROM (SELECT count(DISTINCT revision.document) AS documents, count(*) AS revisions,
                 coalesce(sum(masked.masks), 0) AS masks
          FROM version_revision
          JOIN revision ON revision.id = version_revision.revision
          LEFT JOIN (SELECT mask.revision, count(*) AS masks FROM mask GROUP BY mask.revision) AS masked
                 ON masked.revision = revision.id
          WHERE version_revision.version = :version) AS held
    WHERE version.number = :version AND version.state = 'DRAFT'
    RETURNING version.passages
""")

_HELD: Final = text("""
    SELECT count(*) AS passages, count(*) FILTER (WHERE passage.indexed) AS vectors
    FROM version_revision JOIN passage ON passage.revision = version_revision.revision
    WHERE version_revision.version = :version
""")

# Per document the set of its revisions here and in the current version; a shared revision is the same row.
_CHANGES: Final = text("""
    WITH held AS (
        SELECT version_revision.version, revision.document, array_agg(revision.id ORDER BY revision.id) AS revisions
        FROM version_revision JOIN revision ON revision.id = version_revision.revision
        WHERE version_revision.version IN (:version, (SELECT current_version FROM tenant_pointer))
        GROUP BY version_revision.version, revision.document
    )
    SELECT count(*) FILTER (WHERE old.document IS NULL) AS added,
           count(*) FILTER (WHERE old.revisions <> new.revisions) AS changed,
           count(*) FILTER (WHERE new.document IS NULL) AS removed,
           count(*) FILTER (WHERE old.revisions = new.revisions) AS unchanged
    FROM (SELECT * FROM held WHERE version = :version) AS new
    FULL JOIN (SELECT * FROM held WHERE version <> :version) AS old ON old.document = new.document
""")


def open_version(connection: Connection, job: Job, *, tenant: str, pipeline: Pipeline, base_version: int | None) -> int:
    """Open the draft version of an import and number it. `base_version` is what an additive import builds on."""
    number = _next_number(connection, tenant)
    connection.execute(
        insert(version).values(
            tenant=tenant,
            number=number,
            state="DRAFT",
            routing_policy=job.routing_policy,
            analyser=pipeline.analyser,
            embedder=pipeline.embedder,
            problems=count_problems(connection, job.import_id),
            base_version=base_version,
            import_id=job.import_id,
            created_by=job.created_by,
        )
    )
    connection.execute(update(import_job).where(import_job.c.id == job.import_id).values(version=number))
    return number


def next_drafts(connection: Connection, import_id: UUID, *, limit: int) -> dict[UUID, Record]:
    """Give records that wait to be stored, without their texts."""
    columns = [column for column in read_draft.c if column.name not in {"source", "masks"}]
    waiting = select(*columns).where(read_draft.c.import_id == import_id).order_by(read_draft.c.id).limit(limit)
    return {row["id"]: _record(row) for row in connection.execute(waiting).mappings()}


def store_revisions(  # noqa: PLR0913 - a job, its revisions, and what they are stored with
    connection: Connection,
    job: Job,
    drafts: Mapping[UUID, Record],
    *,
    tenant: str,
    pipeline: str,
    new_id: IdSource,
    ring: KeyRing | None,
) -> None:
    """Make revisions of drafts and members of the version, with `ring` their originals. Repeat: known ones are shared."""
    connection.execute(_BY_HASH)
    slugs = sorted({record.slug for record in drafts.values()})
    connection.execute(_DOCUMENTS, {"tenant": tenant, "ids": [new_id() for _ in slugs], "slugs": slugs})
    for segments in sorted({record.audience for record in drafts.values()}):
        _make_audience(connection, segments, tenant=tenant)
    listed: dict[str, Any] = {"tenant": tenant, "import_id": job.import_id, "ids": list(drafts)}  # arrays and scalars
    listed["fingerprints"] = [record.fingerprint(pipeline) for record in drafts.values()]
    connection.execute(_REVISIONS, listed)
    connection.execute(_MEMBERS, listed | {"version": job.version})
    for row in connection.execute(_MASKED, listed):
        store_masks(connection, tenant=tenant, revision_id=row.id, masks=[PlacedMask(**each) for each in row.masks])
    connection.execute(_SHARED_MASKS, listed)
    keep_originals(connection, listed, tenant=tenant, ring=ring)
    done = delete(read_draft).where(read_draft.c.import_id == job.import_id, read_draft.c.id.in_(list(drafts)))
    connection.execute(done)


def note_changes(connection: Connection, *, version_number: int) -> Progress:
    """Count how the version differs from the current one, and give what of it is built already."""
    connection.execute(_BY_HASH)
    changes = connection.execute(_CHANGES, {"version": version_number}).mappings().one()
    connection.execute(update(version).where(version.c.number == version_number).values(changes=dict(changes)))
    held = connection.execute(_HELD, {"version": version_number}).one()
    connection.execute(_AS_BEFORE)
    return Progress(passages=held.passages, vectors=held.vectors)


def size_of(connection: Connection, *, version: int, day: date) -> VersionSize:
    """Count the passages of a version, and those that can serve on or after a day."""
    connection.execute(_BY_HASH)
    row = connection.execute(_SIZE, {"version": version, "day": day}).one()
    connection.execute(_AS_BEFORE)
    return VersionSize(passages=row.passages, servable=row.servable, day=day)


def scale(connection: Connection, scaled: Scaled, *, number: int) -> None:
    """Give a draft version its size and its scale. Repeat: the newer one stays."""
    connection.execute(
        update(version)
        .where(version.c.number == number, version.c.state == "DRAFT")
        .values(
            passages=scaled.passages,
            servable_passages=scaled.servable,
            hot=scaled.hot,
            calibration=asdict(scaled.calibration),
        )
    )


def stage(connection: Connection, job: Job, *, tenant: str) -> None:
    """Call a version built, with what it holds counted, and its import done.

    Errors: LostLeaseError, which rolls this back.
    """
    _finish(connection, job, {"state": "STAGED", "step": "DONE"})
    connection.execute(_BY_HASH)
    passages = connection.execute(_STAGE, {"version": job.version}).scalar_one_or_none()
    acting = Acting(tenant=tenant, actor=job.created_by)
    told: dict[str, Fact] = {"import": printed("job", job.import_id), "passages": passages}
    record_act_sync(connection, acting, "VERSION_STAGED", subject=version_subject(job.version or 0), detail=told)


def fail(connection: Connection, job: Job, *, tenant: str, reason: str) -> None:
    """End an import and its draft version as FAILED with the reason; nothing that is visible changes."""
    _finish(connection, job, {"state": "FAILED", "reason": reason})
    connection.execute(
        update(version)
        .where(version.c.number == job.version, version.c.state == "DRAFT")
        .values(state="FAILED", reason=reason)
    )
    acting = Acting(tenant=tenant, actor=job.created_by)
    told: dict[str, Fact] = {"step": job.step.value, "version": job.version}
    record_act_sync(connection, acting, "IMPORT_FAILED", subject=import_subject(job.import_id), detail=told)
    forget_import(connection, job.import_id)


def _next_number(connection: Connection, tenant: str) -> int:
    first = insert(tenant_pointer).values(tenant=tenant, last_version=1)
    counting = first.on_conflict_do_update(
        index_elements=["tenant"], set_={"last_version": tenant_pointer.c.last_version + 1}
    )
    return int(connection.execute(counting.returning(tenant_pointer.c.last_version)).scalar_one())


def _make_audience(connection: Connection, segments: Sequence[str], *, tenant: str) -> None:
    key = _SEPARATOR.join(segments)
    known = select(audience.c.id).where(audience.c.segments == key)
    if connection.execute(known).scalar_one_or_none() is not None:
        return
    connection.execute(insert(audience).values(tenant=tenant, segments=key).on_conflict_do_nothing())
    number = int(connection.execute(known).scalar_one())
    members = [{"tenant": tenant, "segment": each, "audience_id": number} for each in segments]
    connection.execute(insert(audience_segment).on_conflict_do_nothing(), members)


def _finish(connection: Connection, job: Job, values: dict[str, object]) -> None:
    finishing = (
        update(import_job)
        .where(import_job.c.id == job.import_id, import_job.c.lease_token == job.lease_token)
        .values(**values, finished_at=func.clock_timestamp())
    )
    if connection.execute(finishing).rowcount != 1:
        raise LostLeaseError


def _record(row: RowMapping) -> Record:
    fields: dict[str, Any] = {name: row[name] for name in Record.__slots__ if name != "audience"}  # columns
    fields |= {"tags": tuple(row["tags"]), "requires_facts": tuple(row["requires_facts"])}
    return Record(**fields, audience=tuple(row["segments"].split(_SEPARATOR)))
