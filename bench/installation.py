"""A Postgres of our own for one run, set as `youju up` sets it, with knowledge's index and search on top."""

import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from contracts.ids import uuid7
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.embedding import Embedder, SecondEmbedder
from knowledge.tasks.bench import Bench
from runtime.database import Database, SyncDatabase
from runtime.sealing import KeyRing
from tests.support.knowledge import Importer
from youju.database_urls import Passwords, ServiceDatabase, for_psycopg
from youju.embedded.postgres import Postgres
from youju.provisioning import provision

TODAY: Final = datetime.now(UTC).date()
_NAME: Final = "bench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The database of knowledge; `admin` is the superuser's address of it, for psycopg, `data` where its files are."""

    urls: ServiceDatabase
    admin: str
    data: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """Index and search of one installation."""

    database: Database
    importer: Importer
    searcher: DatabaseSearcher
    pool: EmbeddingPool


@contextmanager
def installation(home: Path | None = None) -> Generator[Installation]:
    """Start a migrated database and stop it at the end; in a named folder it stays and serves the next run again."""
    if home is not None:
        home.mkdir(parents=True, exist_ok=True)
        yield from _started(home)
        return
    with tempfile.TemporaryDirectory(prefix="youju-", ignore_cleanup_errors=True) as folder:
        yield from _started(Path(folder))


@asynccontextmanager
async def knowledge(
    urls: ServiceDatabase, embedder: Embedder, second: SecondEmbedder | None = None
) -> AsyncGenerator[Knowledge]:
    """Open index and search with one embedder or two; everything is closed at the end."""
    database, worker = Database(urls.app, pool_size=4), SyncDatabase(urls.app, pool_size=4)
    pool = EmbeddingPool(embedder, queue=64, second=second)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        bench = make_bench(worker, threads, embedder=embedder, second=second)
        try:
            yield Knowledge(
                database=database,
                importer=Importer(database=database, bench=bench),
                searcher=DatabaseSearcher(database, pool),
                pool=pool,
            )
        finally:
            pool.close()
            worker.close()
            await database.close()


def make_bench(
    worker: SyncDatabase, threads: ThreadPoolExecutor, *, embedder: Embedder, second: SecondEmbedder | None
) -> Bench:
    """Put together what versions are built with, in this process."""
    return Bench(
        database=worker,
        embedder=embedder,
        threads=threads,
        new_id=uuid7,
        today=lambda _tenant: TODAY,
        mask_key=bytes(32),
        ring=KeyRing([bytes(32)]),
        second=lambda _tenant: second,
    )


def _started(home: Path) -> Generator[Installation]:
    # The server's account must be able to reach its folder.
    home.chmod(0o711)
    server = Postgres(home, home)
    server.start()
    try:
        passwords = Passwords(owner=_NAME, app=_NAME, sweeper=_NAME)
        urls = provision(server.admin_url, "knowledge", database=_NAME, passwords=passwords)
        environment = os.environ | {"YOUJU_KNOWLEDGE_OWNER_DATABASE_URL": urls.owner}
        subprocess.run([sys.executable, "-m", "knowledge.migrations"], env=environment, check=True, capture_output=True)
        yield Installation(urls=urls, admin=for_psycopg(server.admin_url, _NAME), data=home)
    finally:
        server.stop()
