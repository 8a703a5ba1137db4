"""What a worker builds versions with."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date

from contracts.ids import IdSource
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.embedding import Embedder, SecondEmbedder
from knowledge.ingestion.jobs import pipeline
from knowledge.tasks.ahead import Ahead
from knowledge.versions.drafting import Pipeline
from runtime.database import SyncDatabase
from runtime.sealing import KeyRing


def _no_second(_tenant: str) -> SecondEmbedder | None:
    return None


def _keeps(_tenant: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a worker builds with. `today` is the tenant's business day; under `mask_key` masked values are hashed."""

    database: SyncDatabase
    embedder: Embedder
    threads: ThreadPoolExecutor
    new_id: IdSource
    today: Callable[[str], date]
    mask_key: bytes
    second: Callable[[str], SecondEmbedder | None] = _no_second
    """Gives the second arm of a tenant, if it has one."""
    ring: KeyRing | None = None
    """What files that wait, and originals, are encrypted with."""
    keeps_originals: Callable[[str], bool] = _keeps
    """Says whether a tenant's originals are kept."""
    ahead: Ahead = field(default_factory=Ahead)
    """What the threads embed while passages are cut."""

    @property
    def pipeline(self) -> Pipeline:
        """Name what this worker indexes with."""
        name = pipeline(self.embedder.identity)
        return Pipeline(name=name, analyser=ANALYSER, embedder=self.embedder.identity)

    def originals_ring(self, tenant: str) -> KeyRing | None:
        """Give what a tenant's originals are encrypted with, None where they are not kept."""
        return self.ring if self.keeps_originals(tenant) else None
