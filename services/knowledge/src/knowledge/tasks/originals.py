"""Encrypts the originals of what an import reads, and encrypts them anew when keys were exchanged."""

from collections.abc import Callable
from functools import partial
from typing import Final
from uuid import UUID

from knowledge.ingestion.originals import SealedOriginal, hash_original, original_place
from knowledge.tasks.bench import Bench
from knowledge.versions.originals import OriginalSealedError
from knowledge.versions.store import originals
from personal_data.masking import tenant_key
from runtime.database import Database
from runtime.logging import get_logger
from runtime.pulse import run_for_each_row
from runtime.sealing import KeyRing

Keep = Callable[[UUID, bytes], SealedOriginal | None]

_BATCH: Final = 100

_log = get_logger("originals")


def keeper(bench: Bench, tenant: str) -> Keep:
    """Give what encrypts an original for the draft that is read from it; None where a tenant keeps none."""
    ring = bench.originals_ring(tenant)
    hash_key = tenant_key(bench.mask_key, tenant)

    def keep(draft_id: UUID, content: bytes) -> SealedOriginal | None:
        if ring is None:
            return None
        sealed = ring.seal(content, *original_place(tenant, draft_id))
        return SealedOriginal(
            content_hash=hash_original(content, key=hash_key),
            size_bytes=len(content),
            key_id=sealed.key_id,
            content=sealed.content,
        )

    return keep


async def seal_stale(app: Database, sweeper: Database, ring: KeyRing) -> int:
    """Encrypt originals of older keys with the newest one, and say how many.

    Repeat: each is taken under a lock, so several pulses share the work. One that does not open is told and left.
    """
    if not ring.older:
        return 0
    async with sweeper.sweep() as connection:
        stale = await originals.stale_originals(connection, older=ring.older, limit=_BATCH)
    return await run_for_each_row(stale, partial(_seal_anew, app, ring))


async def _seal_anew(app: Database, ring: KeyRing, tenant: str, revision_id: UUID) -> int:
    try:
        async with app.transaction(tenant) as connection:
            return await originals.seal_anew(connection, tenant=tenant, revision_id=revision_id, ring=ring)
    except OriginalSealedError:
        _log.warning("original_unopened", revision_id=str(revision_id))
        return 0
