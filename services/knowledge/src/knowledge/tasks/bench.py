"""What a worker builds versions with."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date

from contracts.ids import IdSource
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.embedding import Embedder, SecondEmbedder
from knowledge.ingestion.jobs import pipeline
from knowledge.versions.drafting import Pipeline
from runtime.database import SyncDatabase


def _no_second(_tenant: str) -> SecondEmbedder | None:
    return None


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

    @property
    def pipeline(self) -> Pipeline:
        """Name what this worker indexes with."""
        name = pipeline(self.embedder.identity)
        return Pipeline(name=name, analyser=ANALYSER, embedder=self.embedder.identity)
