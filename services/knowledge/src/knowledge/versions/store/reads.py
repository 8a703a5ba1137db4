"""Files on their way to revisions: waiting, read, linked. Every write can be repeated."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from contracts.ids import IdSource
from knowledge.ingestion.importing import RevisionDraft, SourceFile
from knowledge.ingestion.linking import Entry
from knowledge.ingestion.originals import SealedOriginal
from knowledge.ingestion.problems import Problem
from knowledge.tables.imports import archive_part, import_file, import_problem, read_draft
from knowledge.tables.versions import tenant_pointer
from knowledge.versions.store.originals import hold_originals
from knowledge.versions.store.waiting import Waiting

_SEPARATOR: Final = ","  # a segment holds neither white space nor a comma
_AT_ONCE: Final = 1_000

# What a draft has of a revision as it is; audience, text and hashes differ.
_RECORD: Final = (
    "label, title, language, owner, area, tags, priority, review_date, effective_from, declared_to, superseded_by,"
    " applies_to, requires_facts, decision, public, source_url, content_sha256"
)
_OF_REVISION: Final = ", ".join(f"revision.{name.strip()}" for name in _RECORD.split(","))

# The rows of a batch travel as one JSON, whose keys are the columns.
_DRAFT: Final = (
    f"tenant, import_id, id, slug, path, segments, effective_to, {_RECORD}, origin_sha256, source, text_of, kept,"
    " page_lines, masks"
)
_FRESH: Final = text(f"""
    INSERT INTO read_draft ({_DRAFT})
    SELECT {_DRAFT} FROM json_populate_recordset(CAST(NULL AS read_draft), CAST(:rows AS json))
""")  # noqa: S608 - names above

_FILES: Final = text("""
    SELECT path, content, key_id, header FROM import_file
    WHERE import_id = :import_id AND path = ANY(CAST(:paths AS text[]))
    ORDER BY ordinal, path
""")
_FORGET: Final = text("""
    UPDATE import_file SET content = NULL WHERE import_id = :import_id AND path = ANY(CAST(:paths AS text[]))
""")
_KNOWN: Final = text("""
    SELECT revision.origin_sha256, revision.id
    FROM revision
    JOIN version_revision ON version_revision.revision = revision.id
    JOIN tenant_pointer ON tenant_pointer.current_version = version_revision.version
    WHERE revision.origin_sha256 = ANY(CAST(:origins AS text[]))
""")

_SHARE: Final = text(f"""
    INSERT INTO read_draft (tenant, import_id, id, text_of, kept, path, origin_sha256, slug, segments, {_RECORD})
    SELECT :tenant, :import_id, listed.id, revision.id, :kept, coalesce(listed.path, revision.path),
           revision.origin_sha256, document.slug, audience.segments, {_OF_REVISION}
    FROM unnest(CAST(:ids AS uuid[]), CAST(:revisions AS uuid[]), CAST(:paths AS text[]))
        AS listed (id, revision, path)
    JOIN revision ON revision.id = listed.revision
    JOIN document ON document.id = revision.document
    JOIN audience ON audience.id = revision.audience_id
""")  # noqa: S608 - names above

_ENTRIES: Final = select(
    read_draft.c.id.label("draft_id"),
    read_draft.c.path,
    read_draft.c.slug,
    read_draft.c.label,
    read_draft.c.effective_from,
    read_draft.c.declared_to,
    read_draft.c.superseded_by,
    read_draft.c.kept,
)

_CURRENT: Final = text("""
    SELECT revision.id, revision.path, document.slug, revision.label, revision.effective_from, revision.declared_to,
           revision.superseded_by
    FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    WHERE version_revision.version = :version
    ORDER BY revision.id
""")

_CLOSE: Final = text("""
    UPDATE read_draft SET effective_to = listed.day
    FROM unnest(CAST(:ids AS uuid[]), CAST(:days AS date[])) AS listed (id, day)
    WHERE read_draft.tenant = :tenant AND read_draft.import_id = :import_id AND read_draft.id = listed.id
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """A file that was read now."""

    draft_id: UUID
    draft: RevisionDraft
    origin_sha256: str
    original: SealedOriginal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A draft with record and text of a revision; without a path it keeps the revision's."""

    draft_id: UUID
    revision_id: UUID
    path: str | None


def next_files(connection: Connection, waits: Waiting, *, limit: int, size_bytes: int) -> list[SourceFile]:
    """Give files that wait to be read, in the order they came: the first always, more while all are this small.

    Those that were there when a step failed come last, and each by itself.
    """
    columns = import_file.c
    waiting = (
        select(columns.path, columns.size_bytes, columns.failures)
        .where(columns.import_id == waits.import_id, columns.content.is_not(None))
        .order_by(columns.failures, columns.ordinal, columns.path)
        .limit(limit)
    )
    paths: list[str] = []
    taken = 0
    for row in connection.execute(waiting):
        if paths and (row.failures or taken + row.size_bytes > size_bytes):
            break
        paths.append(row.path)
        taken += row.size_bytes
    files = connection.execute(_FILES, {"import_id": waits.import_id, "paths": paths})
    return [
        SourceFile(path=row.path, content=waits.read(row.content, row.key_id, row.path), header=row.header)
        for row in files
    ]


def count_failure(connection: Connection, import_id: UUID, paths: Sequence[str]) -> int:
    """Note that a step failed while it read these files; give how often one has failed by now, at most."""
    columns = import_file.c
    counting = (
        update(import_file)
        .where(columns.import_id == import_id, columns.path.in_(paths))
        .values(failures=columns.failures + 1)
        .returning(columns.failures)
    )
    return max(connection.execute(counting).scalars(), default=0)


def known_origins(connection: Connection, origins: Sequence[str]) -> dict[str, UUID]:
    """Find revisions of the current version that were read from equal files."""
    rows = connection.execute(_KNOWN, {"origins": list(origins)})
    return {row.origin_sha256: row.id for row in rows}


def store_fresh(connection: Connection, *, tenant: str, import_id: UUID, fresh: Sequence[Fresh]) -> None:
    """Keep what was read until it is linked, with its original where there is one."""
    rows = [_row(each) | {"tenant": tenant, "import_id": import_id} for each in fresh]
    if rows:
        connection.execute(_FRESH, {"rows": json.dumps(rows, ensure_ascii=False, default=str)})
    originals = {each.draft_id: each.original for each in fresh if each.original is not None}
    hold_originals(connection, tenant=tenant, import_id=import_id, originals=originals)


def store_shared(connection: Connection, *, tenant: str, import_id: UUID, shared: Sequence[Shared], kept: bool) -> None:
    """Take records of revisions over; their texts stay where they are."""
    parameters: dict[str, Any] = {"tenant": tenant, "import_id": import_id, "kept": kept}  # arrays and scalars
    parameters |= {
        "ids": [each.draft_id for each in shared],
        "revisions": [each.revision_id for each in shared],
        "paths": [each.path for each in shared],
    }
    if shared:
        connection.execute(_SHARE, parameters)


def current_entries(connection: Connection, *, new_id: IdSource) -> tuple[int | None, dict[Entry, UUID]]:
    """Give the current version's number, None before the first publication, and its revisions as kept entries."""
    number = connection.execute(select(tenant_pointer.c.current_version)).scalar_one_or_none()
    rows = connection.execute(_CURRENT, {"version": number})
    _, *names = rows.keys()
    return number, {
        Entry(draft_id=new_id(), kept=True, **dict(zip(names, record, strict=True))): revision_id
        for revision_id, *record in rows
    }


def forget_content(connection: Connection, import_id: UUID, paths: Sequence[str]) -> None:
    """Forget the bytes of files: they may hold personal data; what is kept is the masked normal form."""
    connection.execute(_FORGET, {"import_id": import_id, "paths": list(paths)})


def forget_import(connection: Connection, import_id: UUID) -> None:
    """Forget all bytes and drafts of an import that has ended."""
    unread = update(import_file).where(import_file.c.import_id == import_id, import_file.c.content.is_not(None))
    connection.execute(unread.values(content=None))
    for table in (archive_part, read_draft):
        connection.execute(delete(table).where(table.c.import_id == import_id))


def tell_problems(
    connection: Connection, *, tenant: str, import_id: UUID, problems: Sequence[Problem], slug: str | None = None
) -> None:
    """Add to the problems of an import; `slug` is the document they keep from being imported."""
    rows = [asdict(each) | {"tenant": tenant, "import_id": import_id, "slug": slug} for each in problems]
    if rows:
        connection.execute(insert(import_problem), rows)


def faulty_documents(connection: Connection, import_id: UUID) -> frozenset[str]:
    """Give the documents of which a file could not be read."""
    columns = import_problem.c
    named = select(columns.slug).where(columns.import_id == import_id, columns.slug.is_not(None)).distinct()
    return frozenset(connection.execute(named).scalars())


def count_problems(connection: Connection, import_id: UUID) -> int:
    """Count the problems of an import."""
    counted = select(func.count()).where(import_problem.c.import_id == import_id)
    return int(connection.execute(counted).scalar_one())


def entries_of(connection: Connection, import_id: UUID) -> list[Entry]:
    """Give all revisions of an import as their neighbours see them, by path."""
    rows = connection.execute(_ENTRIES.where(read_draft.c.import_id == import_id).order_by(read_draft.c.path))
    # Rows that are mappings make their list of names anew, each for itself.
    names = list(rows.keys())
    return [Entry(**dict(zip(names, row, strict=True))) for row in rows]


def apply_links(
    connection: Connection,
    *,
    tenant: str,
    import_id: UUID,
    ends: Mapping[UUID, date | None],
    left_out: frozenset[UUID],
) -> None:
    """Give every draft its last day in force, and drop those that are left out. Repeat: nothing changes."""
    listed = list(ends.items())
    for at in range(0, len(listed), _AT_ONCE):
        ids, days = zip(*listed[at : at + _AT_ONCE], strict=True)
        parameters = {"tenant": tenant, "import_id": import_id, "ids": list(ids), "days": list(days)}
        connection.execute(_CLOSE, parameters)
    dropped = list(left_out)
    for at in range(0, len(dropped), _AT_ONCE):
        ids = dropped[at : at + _AT_ONCE]
        connection.execute(delete(read_draft).where(read_draft.c.import_id == import_id, read_draft.c.id.in_(ids)))


def _row(fresh: Fresh) -> dict[str, Any]:  # columns of several types
    record = {name: getattr(fresh.draft, name) for name in _record_names()}
    return record | {
        "id": fresh.draft_id,
        "segments": _SEPARATOR.join(fresh.draft.audience),
        "origin_sha256": fresh.origin_sha256,
        "source": fresh.draft.source,
        "text_of": None,
        "kept": False,
        "page_lines": list(fresh.draft.page_lines),
        "masks": [asdict(each) for each in fresh.draft.masks],
    }


def _record_names() -> tuple[str, ...]:
    return ("slug", "path", "effective_to", *(name.strip() for name in _RECORD.split(",")))
