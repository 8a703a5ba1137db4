"""Give the tests of knowledge a migrated database, a bench to build with, and a searcher over both."""

import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date

import numpy as np
import pytest

from contracts.ids import uuid7
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.analyser import terms
from knowledge.ingestion.embedding import Vector
from knowledge.tasks.building import Bench
from runtime.database import Database, SyncDatabase
from tests.support.databases import OpenDatabase

TODAY = date(2026, 7, 15)


@dataclass(frozen=True, slots=True)
class WordEmbedder:
    """Fulfils `Embedder` with the sum of one fixed direction a word: alike texts have alike vectors."""

    identity: str = "words/512/-"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [_unit(sum((_direction(term) for term in terms(text)), _direction(""))) for text in texts]


@pytest.fixture(scope="session")
def word_embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture(scope="module")
def sync_database(service_database: OpenDatabase) -> Iterator[SyncDatabase]:
    database = SyncDatabase(service_database("knowledge").app, pool_size=4)
    yield database
    database.close()


@pytest.fixture
async def database(service_database: OpenDatabase) -> AsyncIterator[Database]:
    database = Database(service_database("knowledge").app, pool_size=4)
    yield database
    await database.close()


@pytest.fixture
def bench(sync_database: SyncDatabase, word_embedder: WordEmbedder) -> Iterator[Bench]:
    with ThreadPoolExecutor(2) as threads:
        yield Bench(
            database=sync_database, embedder=word_embedder, threads=threads, new_id=uuid7, today=lambda _tenant: TODAY
        )


@pytest.fixture
def searcher(database: Database, word_embedder: WordEmbedder) -> Iterator[DatabaseSearcher]:
    pool = EmbeddingPool(word_embedder, queue=16)
    yield DatabaseSearcher(database, pool)
    pool.close()


def _direction(term: str) -> Vector:
    seed = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "big")
    return np.random.default_rng(seed).standard_normal(512).astype(np.float32)


def _unit(vector: Vector) -> Vector:
    return (vector / np.linalg.norm(vector)).astype(np.float32)
