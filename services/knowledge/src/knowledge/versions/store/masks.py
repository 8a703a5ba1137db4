"""Masks and allowances: what was masked in the revisions of a version, and what an owner lets stay."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.placed_masks import MaskedField, PlacedMask
from knowledge.tables.personal_data import mask, mask_allowance
from knowledge.tables.versions import version
from knowledge.versions.acts import Acting
from knowledge.versions.store.audit import record_act
from knowledge.versions.version import VersionNotFoundError

_CONTEXT: Final = 40  # characters of the masked text on either side

# Every column of the order is named, because a page begins after one row of it.
_MASKS: Final = text("""
    SELECT document.slug, revision.label, revision.id AS revision, mask.field, mask.kind, mask.source_start,
           mask.source_end, mask.value_hash, mask_allowance.value_hash IS NOT NULL AS is_allowed,
           substring(CASE mask.field WHEN 'title' THEN revision.title WHEN 'applies_to' THEN revision.applies_to
                                     WHEN 'area' THEN revision.area WHEN 'tags' THEN array_to_string(revision.tags, ', ')
                                     ELSE revision.source END
                     FROM greatest(mask.source_start - :context, 0) + 1
                     FOR mask.source_end + :context - greatest(mask.source_start - :context, 0)) AS context
    FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    JOIN mask ON mask.revision = revision.id
    LEFT JOIN mask_allowance ON mask_allowance.value_hash = mask.value_hash
    WHERE version_revision.version = :version
      AND (CAST(:slug AS text) IS NULL OR (document.slug, revision.id, mask.field, mask.source_start)
           > (:slug, CAST(:revision AS uuid), :field, CAST(:source_start AS integer)))
    ORDER BY document.slug, revision.id, mask.field, mask.source_start
    LIMIT :limit
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskPlace:
    """After which mask a page begins."""

    slug: str
    revision: UUID
    field: MaskedField
    source_start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMask:
    """A mask as an owner sees it: where it stands, and the masked text around it."""

    slug: str
    label: str
    revision: UUID
    field: MaskedField
    kind: str
    source_start: int
    source_end: int
    value_hash: str
    is_allowed: bool
    context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """A value that may stay, by the hash that masks of it have."""

    value_hash: str
    allowed_by: str
    allowed_at: datetime


def store_masks(connection: Connection, *, tenant: str, revision_id: UUID, masks: Sequence[PlacedMask]) -> None:
    """Keep what was masked in a revision. Repeat: a text that comes again may hold other values; the newest are kept."""
    if not masks:
        return
    rows = [
        {
            "tenant": tenant,
            "revision": revision_id,
            "field": each.field,
            "source_start": each.start,
            "source_end": each.end,
            "kind": each.kind,
            "value_hash": each.value_hash,
        }
        for each in masks
    ]
    adding = insert(mask)
    connection.execute(
        adding.on_conflict_do_update(
            index_elements=["tenant", "revision", "field", "source_start"],
            set_={name: adding.excluded[name] for name in ("source_end", "kind", "value_hash")},
        ),
        rows,
    )


def allowed_hashes(connection: Connection) -> frozenset[str]:
    """Give the hashes of what the tenant's owners let stay."""
    return frozenset(connection.execute(select(mask_allowance.c.value_hash)).scalars())


async def list_masks(
    connection: AsyncConnection, *, version_number: int, after: MaskPlace | None, limit: int
) -> list[ListedMask]:
    """List the masks of a version by document and place. Errors: VersionNotFoundError."""
    known = select(version.c.number).where(version.c.number == version_number)
    if (await connection.execute(known)).scalar_one_or_none() is None:
        raise VersionNotFoundError
    bound: dict[str, Any] = {  # parameters of several types
        "slug": after.slug if after else None,
        "revision": after.revision if after else None,
        "field": after.field if after else None,
        "source_start": after.source_start if after else None,
    }
    rows = await connection.execute(_MASKS, {**bound, "version": version_number, "limit": limit, "context": _CONTEXT})
    return [ListedMask(**row) for row in rows.mappings()]


async def list_allowances(connection: AsyncConnection, *, after: str, limit: int) -> list[Allowance]:
    """List what may stay, by hash, after one."""
    columns = mask_allowance.c
    listing = select(columns.value_hash, columns.allowed_by, columns.allowed_at).where(columns.value_hash > after)
    rows = await connection.execute(listing.order_by(columns.value_hash).limit(limit))
    return [Allowance(**row) for row in rows.mappings()]


async def allow(connection: AsyncConnection, acting: Acting, *, value_hash: str) -> Allowance:
    """Let a value stay from the next import on. Repeat: who allowed it first, and when, stay."""
    columns = mask_allowance.c
    adding = insert(mask_allowance).values(tenant=acting.tenant, value_hash=value_hash, allowed_by=acting.actor)
    added = await connection.execute(adding.on_conflict_do_nothing().returning(columns.value_hash))
    if added.scalar_one_or_none() is not None:
        await record_act(connection, acting, "MASK_ALLOWED", subject=mask_subject(value_hash))
    kept = select(columns.value_hash, columns.allowed_by, columns.allowed_at).where(columns.value_hash == value_hash)
    return Allowance(**(await connection.execute(kept)).mappings().one())


async def end_allowance(connection: AsyncConnection, acting: Acting, *, value_hash: str) -> None:
    """Mask a value again from the next import on. Repeat: nothing changes."""
    ending = delete(mask_allowance).where(mask_allowance.c.value_hash == value_hash)
    if (await connection.execute(ending)).rowcount:
        await record_act(connection, acting, "MASK_ALLOWANCE_ENDED", subject=mask_subject(value_hash))


def mask_subject(value_hash: str) -> str:
    """Name a masked value in the audit trail."""
    return f"mask:{value_hash}"
