"""Give the tests of knowledge a migrated database, a bench to build with, and a searcher over both."""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from contracts.ids import uuid7
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.tasks.bench import Bench
from runtime.database import Database, SyncDatabase
from runtime.sealing import KeyRing
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, WordEmbedder


@pytest.fixture(scope="module")
def sync_database(service_database: OpenDatabase) -> Iterator[SyncDatabase]:
    """Give the app role's engine of a worker."""
    database = SyncDatabase(service_database("knowledge").app, pool_size=4)
    yield database
    database.close()


@pytest.fixture(scope="module")
async def database(service_database: OpenDatabase) -> AsyncIterator[Database]:
    """Give the app role's engine of an HTTP edge; whoever shares it finds its statements compiled."""
    database = Database(service_database("knowledge").app, pool_size=4)
    yield database
    await database.close()


@pytest.fixture
def bench(sync_database: SyncDatabase) -> Iterator[Bench]:
    """Give what versions are built with, on a fixed day."""
    with ThreadPoolExecutor(2) as threads:
        yield Bench(
            database=sync_database,
            embedder=WordEmbedder(),
            threads=threads,
            new_id=uuid7,
            today=lambda _tenant: date(2026, 7, 15),
            mask_key=bytes(32),
            ring=KeyRing([bytes(32)]),
        )


@pytest.fixture
def importer(database: Database, bench: Bench) -> Importer:
    """Give a short way from texts to a published version."""
    return Importer(database, bench)


@pytest.fixture
def searcher(database: Database) -> Iterator[DatabaseSearcher]:
    """Give the search of the product over an embedder without weights."""
    pool = EmbeddingPool(WordEmbedder(), queue=16)
    yield DatabaseSearcher(database, pool)
    pool.close()
