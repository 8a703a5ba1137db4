"""Originals: kept with the revisions of an import, listed, fetched and deleted by owners, sealed anew when keys change."""

import contextlib
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, RowMapping, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.ids import printed
from knowledge.ingestion.originals import SealedOriginal, original_place
from knowledge.tables.originals import draft_original, original
from knowledge.versions.acts import Acting, revision_subject
from knowledge.versions.originals import FetchedOriginal, ListedOriginal, OriginalNotFoundError, OriginalSealedError
from knowledge.versions.store.audit import record_act
from runtime.sealing import KeyRing, Sealed, UnopenedError

# What an owner deleted does not come back while the revision that it belonged to is there.
_NOT_DELETED: Final = """
    NOT EXISTS (SELECT FROM original AS gone WHERE gone.content_hash = held.content_hash AND gone.content IS NULL)
"""

# Bytes in an array would travel as text, so those of all originals travel as one.
_HOLD: Final = text("""
    INSERT INTO draft_original (tenant, import_id, draft, content_hash, size_bytes, key_id, content)
    SELECT :tenant, :import_id, listed.draft, listed.content_hash, listed.size_bytes, listed.key_id,
           substring(CAST(:contents AS bytea) FROM listed.start FOR listed.length)
    FROM unnest(CAST(:drafts AS uuid[]), CAST(:hashes AS text[]), CAST(:sizes AS integer[]), CAST(:key_ids AS text[]),
                CAST(:starts AS integer[]), CAST(:lengths AS integer[]))
        AS listed (draft, content_hash, size_bytes, key_id, start, length)
""")

_KEEP: Final = text(f"""
    INSERT INTO original (tenant, revision, content_hash, size_bytes, key_id, content)
    SELECT held.tenant, held.draft, held.content_hash, held.size_bytes, held.key_id, held.content
    FROM draft_original AS held JOIN revision ON revision.id = held.draft
    WHERE held.import_id = :import_id AND held.draft = ANY(:ids) AND {_NOT_DELETED}
    ON CONFLICT DO NOTHING
""")  # noqa: S608 - a condition above

_LISTED: Final = """
    FROM unnest(CAST(:ids AS uuid[]), CAST(:fingerprints AS text[])) AS listed (id, fingerprint)
    JOIN read_draft ON read_draft.import_id = :import_id AND read_draft.id = listed.id
    JOIN document ON document.slug = read_draft.slug
    JOIN revision ON revision.document = document.id AND revision.fingerprint = listed.fingerprint
"""

# A revision that was there already, whose text other bytes were read to now; and one that shares the text of another.
_ELSEWHERE: Final = text(f"""
    SELECT revision.id AS revision, held.draft, CAST(NULL AS uuid) AS other {_LISTED}
    JOIN draft_original AS held ON held.import_id = :import_id AND held.draft = listed.id
    LEFT JOIN original ON original.revision = revision.id
    WHERE revision.id <> held.draft AND original.content_hash IS DISTINCT FROM held.content_hash
      AND original.deleted_at IS NULL AND {_NOT_DELETED}
    UNION ALL
    SELECT revision.id, NULL, held.revision {_LISTED}
    JOIN original AS held ON held.revision = read_draft.text_of
    WHERE revision.id <> held.revision AND held.content IS NOT NULL AND {_NOT_DELETED}
      AND NOT EXISTS (SELECT FROM original WHERE original.revision = revision.id)
""")  # noqa: S608 - joins and a condition above

_PAGE: Final = text("""
    SELECT original.revision AS revision_id, document.slug, revision.label, revision.path, original.size_bytes,
           original.kept_at, original.deleted_at, original.deleted_by
    FROM original
    JOIN revision ON revision.id = original.revision
    JOIN document ON document.id = revision.document
    WHERE (CAST(:slug AS text) IS NULL OR document.slug = :slug)
      AND (CAST(:after AS text) IS NULL OR (document.slug, revision.id) > (:after, CAST(:after_revision AS uuid)))
    ORDER BY document.slug, revision.id
    LIMIT :limit
""")

_ONE: Final = text("""
    SELECT revision.path, original.key_id, original.content
    FROM original JOIN revision ON revision.id = original.revision
    WHERE original.revision = :revision AND original.content IS NOT NULL
""")

# Copies of the bytes stand under every revision that was read from them.
_DELETE: Final = text("""
    UPDATE original
    SET content = NULL, key_id = '', deleted_at = clock_timestamp(), deleted_by = :actor
    WHERE content IS NOT NULL
      AND content_hash = (SELECT content_hash FROM original WHERE revision = :revision)
    RETURNING revision
""")


def hold_originals(
    connection: Connection, *, tenant: str, import_id: UUID, originals: Mapping[UUID, SealedOriginal]
) -> None:
    """Keep originals beside the drafts that were read from them, until these are stored."""
    if not originals:
        return
    held = originals.values()
    lengths = [len(each.content) for each in held]
    listed = {
        "drafts": list(originals),
        "hashes": [each.content_hash for each in held],
        "sizes": [each.size_bytes for each in held],
        "key_ids": [each.key_id for each in held],
        "starts": list(accumulate(lengths[:-1], initial=1)),
        "lengths": lengths,
    }
    contents = b"".join(each.content for each in held)
    connection.execute(_HOLD, {"tenant": tenant, "import_id": import_id, "contents": contents, **listed})


def keep_originals(
    connection: Connection, listed: Mapping[str, Any], *, tenant: str, ring: KeyRing | None
) -> None:  # arrays and scalars, as drafts are listed
    """Give revisions the originals of their drafts, or nothing without keys.

    A revision that is there already gets the newest bytes it was read from. What does not open is not taken along.
    Repeat: nothing changes. Memory: one original at a time.
    """
    if ring is None:
        return
    connection.execute(_KEEP, {"import_id": listed["import_id"], "ids": listed["ids"]})
    for row in connection.execute(_ELSEWHERE, listed).all():
        source = _of_draft(listed["import_id"], row.draft) if row.draft else _of_revision(row.other)
        held = connection.execute(source).mappings().one()
        with contextlib.suppress(OriginalSealedError):
            _move(connection, held, tenant=tenant, ring=ring, origin=row.draft or row.other, revision_id=row.revision)


async def list_originals(
    connection: AsyncConnection, *, slug: str | None, after: tuple[str, UUID] | None, limit: int
) -> list[ListedOriginal]:
    """List originals by document and revision, after one; those of one document when it is named."""
    place, revision_id = after or (None, None)
    bound = {"slug": slug, "after": place, "after_revision": revision_id, "limit": limit}
    return [ListedOriginal(**row) for row in (await connection.execute(_PAGE, bound)).mappings()]


async def fetch_original(
    connection: AsyncConnection, acting: Acting, *, revision_id: UUID, ring: KeyRing | None
) -> FetchedOriginal:
    """Decrypt an original and put that on record. Errors: OriginalNotFoundError, OriginalSealedError."""
    row = (await connection.execute(_ONE, {"revision": revision_id})).one_or_none()
    if row is None:
        raise OriginalNotFoundError
    sealed = Sealed(row.key_id, bytes(row.content))
    content = _opened(sealed, ring, original_place(acting.tenant, revision_id))
    detail = {"bytes": len(content)}
    await record_act(connection, acting, "ORIGINAL_FETCHED", subject=revision_subject(revision_id), detail=detail)
    return FetchedOriginal(path=row.path, content=content)


async def delete_original(connection: AsyncConnection, acting: Acting, *, revision_id: UUID) -> None:
    """Delete an original and every copy of its bytes, and put that on record. Repeat: nothing changes.

    Errors: OriginalNotFoundError when there was none.
    """
    known = select(original.c.revision).where(original.c.revision == revision_id)
    if (await connection.execute(known)).one_or_none() is None:
        raise OriginalNotFoundError
    gone = (await connection.execute(_DELETE, {"revision": revision_id, "actor": acting.actor})).scalars().all()
    if gone:
        detail = {"revisions": sorted(printed("rev", each) for each in gone)}
        await record_act(connection, acting, "ORIGINAL_DELETED", subject=revision_subject(revision_id), detail=detail)


async def stale_originals(connection: AsyncConnection, *, older: Sequence[str], limit: int) -> list[tuple[str, UUID]]:
    """List originals that older keys open, as (tenant, revision): for the sweeper."""
    columns = original.c
    stale = select(columns.tenant, columns.revision).where(columns.key_id.in_(older)).limit(limit)
    return [(row.tenant, row.revision) for row in await connection.execute(stale)]


async def seal_anew(connection: AsyncConnection, *, tenant: str, revision_id: UUID, ring: KeyRing) -> bool:
    """Encrypt an original with the newest key; False when somebody else has it at hand or it is gone.

    Errors: OriginalSealedError.
    """
    columns = original.c
    mine = (columns.revision == revision_id, columns.key_id.in_(ring.older))
    wanted = select(columns.key_id, columns.content).where(*mine).with_for_update(skip_locked=True)
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        return False
    place = original_place(tenant, revision_id)
    sealed = ring.seal(_opened(Sealed(row.key_id, bytes(row.content)), ring, place), *place)
    renewed = {"key_id": sealed.key_id, "content": sealed.content}
    await connection.execute(update(original).where(columns.revision == revision_id).values(**renewed))
    return True


def _of_draft(import_id: UUID, draft_id: UUID) -> Any:  # a SELECT of four columns
    columns = draft_original.c
    wanted = select(columns.content_hash, columns.size_bytes, columns.key_id, columns.content)
    return wanted.where(columns.import_id == import_id, columns.draft == draft_id)


def _of_revision(revision_id: UUID) -> Any:  # as above
    columns = original.c
    wanted = select(columns.content_hash, columns.size_bytes, columns.key_id, columns.content)
    return wanted.where(columns.revision == revision_id)


def _move(  # noqa: PLR0913 - a row, where it comes from and where it goes
    connection: Connection, held: RowMapping, *, tenant: str, ring: KeyRing, origin: UUID, revision_id: UUID
) -> None:
    """Seal bytes for another revision: those of its own would not open there."""
    content = _opened(Sealed(held["key_id"], bytes(held["content"])), ring, original_place(tenant, origin))
    sealed = ring.seal(content, *original_place(tenant, revision_id))
    values = {"content_hash": held["content_hash"], "size_bytes": held["size_bytes"], "key_id": sealed.key_id}
    values |= {"content": sealed.content, "kept_at": func.clock_timestamp(), "deleted_at": None, "deleted_by": None}
    adding = insert(original).values(tenant=tenant, revision=revision_id, **values)
    connection.execute(adding.on_conflict_do_update(index_elements=["tenant", "revision"], set_=values))


def _opened(sealed: Sealed, ring: KeyRing | None, place: Sequence[str]) -> bytes:
    if ring is None:
        raise OriginalSealedError
    try:
        return ring.open(sealed, *place)
    except UnopenedError as unopened:
        raise OriginalSealedError from unopened
