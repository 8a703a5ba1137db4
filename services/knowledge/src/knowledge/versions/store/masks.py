"""Masks and allowances: what was masked in the revisions of a version, and what an owner lets stay."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.masking import Mask
from knowledge.tables.personal_data import mask, mask_allowance
from knowledge.tables.versions import version

_CONTEXT: Final = 40  # characters of the masked text on either side

# Every column of the order is named, because a page begins after one row of it.
_MASKS: Final = text("""
    SELECT document.slug, revision.label, revision.id AS revision, mask.kind, mask.source_start, mask.source_end,
           mask.value_hash, mask_allowance.value_hash IS NOT NULL AS is_allowed,
           substring(revision.source FROM greatest(mask.source_start - :context, 0) + 1
                                     FOR mask.source_end + :context - greatest(mask.source_start - :context, 0))
               AS context
    FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    JOIN mask ON mask.revision = revision.id
    LEFT JOIN mask_allowance ON mask_allowance.value_hash = mask.value_hash
    WHERE version_revision.version = :version
      AND (CAST(:slug AS text) IS NULL OR (document.slug, revision.id, mask.source_start)
           > (:slug, CAST(:revision AS uuid), CAST(:source_start AS integer)))
    ORDER BY document.slug, revision.id, mask.source_start
    LIMIT :limit
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskPlace:
    """After which mask a page begins."""

    slug: str
    revision: UUID
    source_start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMask:
    """A mask as an owner sees it: where it stands, and the masked text around it."""

    slug: str
    label: str
    revision: UUID
    kind: str
    source_start: int
    source_end: int
    value_hash: str
    is_allowed: bool
    context: str


def store_masks(connection: Connection, *, tenant: str, revision_id: UUID, masks: Sequence[Mask]) -> None:
    """Keep what was masked in a revision. Repeat: a text that comes again may hold other values; the newest are kept."""
    if not masks:
        return
    rows = [
        {
            "tenant": tenant,
            "revision": revision_id,
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
            index_elements=["tenant", "revision", "source_start"],
            set_={name: adding.excluded[name] for name in ("source_end", "kind", "value_hash")},
        ),
        rows,
    )


def allowed_hashes(connection: Connection) -> frozenset[str]:
    """Give the hashes of what the tenant's owners let stay."""
    return frozenset(connection.execute(select(mask_allowance.c.value_hash)).scalars())


async def list_masks(
    connection: AsyncConnection, *, version_number: int, after: MaskPlace | None, limit: int
) -> list[ListedMask] | None:
    """List the masks of a version by document and place; None when there is no such version."""
    known = select(version.c.number).where(version.c.number == version_number)
    if (await connection.execute(known)).scalar_one_or_none() is None:
        return None
    bound: dict[str, Any] = {  # parameters of several types
        "slug": after.slug if after else None,
        "revision": after.revision if after else None,
        "source_start": after.source_start if after else None,
    }
    rows = await connection.execute(_MASKS, {**bound, "version": version_number, "limit": limit, "context": _CONTEXT})
    return [ListedMask(**row) for row in rows.mappings()]


async def allow(connection: AsyncConnection, *, tenant: str, value_hash: str, actor: str) -> None:
    """Let a value stay from the next import on. Repeat: who allowed it first stays."""
    adding = insert(mask_allowance).values(tenant=tenant, value_hash=value_hash, allowed_by=actor)
    await connection.execute(adding.on_conflict_do_nothing())


async def disallow(connection: AsyncConnection, *, value_hash: str) -> None:
    """Mask a value again from the next import on. Repeat: nothing changes."""
    await connection.execute(delete(mask_allowance).where(mask_allowance.c.value_hash == value_hash))
