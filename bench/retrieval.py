"""Measures search on public question sets through the real index: R@1, R@3, MRR@10 and time.

    python bench/retrieval.py --data ../shared/data cmrc2018_trial xquad_en_zh

Every passage of a set is imported as a document, every answerable question is searched, and a question counts by the
rank of the first passage of its document. Vectors are kept outside the checkout (YOUJU_VECTOR_CACHE), so that only
the first run is slow.
"""

import argparse
import asyncio
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import numpy as np

from contracts.ids import uuid7
from knowledge.adapters.embedder import EmbeddingPool, UseEmbedder
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.embedding import Embedder, Vector
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.versions.routing_policy import default_routing_policy
from knowledge.versions.store import imports, releases
from runtime.database import Database, SyncDatabase
from youju.database_urls import Passwords, ServiceDatabase
from youju.embedded.postgres import Postgres
from youju.provisioning import provision

_CACHE: Final = Path(os.environ.get("YOUJU_VECTOR_CACHE", "~/.cache/youju/vectors")).expanduser()
_DAY: Final = datetime.now(UTC).date()
_RANKS: Final = 10


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the documents that answer it."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Result:
    """The rank of the first right passage (0: not among the first), and how long the search took."""

    rank: int
    milliseconds: float


class CachingEmbedder:
    """Fulfils `Embedder` with vectors that outlive the run; several threads may share it."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        """Open the cache of this embedder."""
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(embedder.identity.encode()).hexdigest()[:16]
        self._embedder = embedder
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(folder / f"{name}.sqlite", check_same_thread=False)
        self._rows.execute("CREATE TABLE IF NOT EXISTS vector (text TEXT PRIMARY KEY, vector BLOB)")

    @property
    def identity(self) -> str:
        """Name the embedder behind the cache."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed what is not known yet. Shapes: one float32 vector a text, in order."""
        with self._lock:
            known = {text: vector for text in texts if (vector := self._known(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = dict(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock, self._rows:
            rows = [(text, vector.tobytes()) for text, vector in fresh.items()]
            self._rows.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
        return [(known | fresh)[text] for text in texts]

    def _known(self, text: str) -> Vector | None:
        row = self._rows.execute("SELECT vector FROM vector WHERE text = ?", (text,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)


def main() -> int:
    """Measure the named sets and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", help="names of files in qa/, such as cmrc2018_trial")
    parser.add_argument("--data", type=Path, required=True, help="the folder with passages/ and qa/")
    parser.add_argument("--questions", type=int, default=0, help="at most so many questions a set; 0 takes all")
    arguments = parser.parse_args()
    with _database() as urls:
        asyncio.run(_measure_all(urls, arguments.data, arguments.sets, arguments.questions))
    return 0


async def _measure_all(urls: ServiceDatabase, data: Path, sets: list[str], limit: int) -> None:
    embedder = CachingEmbedder(UseEmbedder(), _CACHE)
    database, worker = Database(urls.app, pool_size=4), SyncDatabase(urls.app, pool_size=4)
    pool = EmbeddingPool(embedder, queue=4)
    print(
        f"{'set':<24}{'passages':>9}{'import s':>9}{'questions':>10}{'R@1':>7}{'R@3':>7}{'MRR@10':>8}{'p50 ms':>8}{'p95 ms':>8}"
    )
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        bench = Bench(database=worker, embedder=embedder, threads=threads, new_id=uuid7, today=_today)
        for name, files, questions in _corpora(data, sets):
            passages, seconds = await _publish(database, bench, name, files)
            asked = questions[:: max(1, len(questions) // limit)][:limit] if limit else questions
            results = [await _ask(DatabaseSearcher(database, pool), name, each) for each in asked]
            print(f"{name:<24}{passages:>9}{seconds:>9.1f}{_summary(results)}", flush=True)
    pool.close()
    worker.close()
    await database.close()


async def _publish(database: Database, bench: Bench, tenant: str, files: list[SourceFile]) -> tuple[int, float]:
    started = time.perf_counter()
    import_id = uuid7()
    async with database.transaction(tenant) as connection:
        await imports.create_import(
            connection,
            tenant=tenant,
            import_id=import_id,
            routing_policy=default_routing_policy(),
            additive=False,
            actor="bench",
        )
        await imports.add_files(connection, tenant=tenant, import_id=import_id, files=files)
        await imports.start_import(connection, import_id)
    while advance_import(bench, tenant=tenant, import_id=import_id):
        pass
    async with database.transaction(tenant) as connection:
        progress = await imports.import_progress(connection, import_id)
        if progress.version is None:
            raise SystemExit(f"{tenant}: {progress.reason} {progress.problems[:3]}")
        await releases.publish(connection, number=progress.version, actor="bench", expected_current=None)
    return progress.passages, time.perf_counter() - started


async def _ask(searcher: DatabaseSearcher, tenant: str, question: Question) -> Result:
    started = time.perf_counter()
    found = await searcher.search(tenant=tenant, segments=(), question=question.text, as_of=_DAY)
    milliseconds = (time.perf_counter() - started) * 1000
    documents = list(dict.fromkeys(each.passage.document for each in found.context.found))[:_RANKS]
    rank = next((place for place, slug in enumerate(documents, 1) if slug in question.gold), 0)
    return Result(rank, milliseconds)


def _summary(results: list[Result]) -> str:
    at = [sum(0 < each.rank <= depth for each in results) / len(results) for depth in (1, 3)]
    reciprocal = sum(1 / each.rank for each in results if each.rank) / len(results)
    times = [each.milliseconds for each in results]
    slow = quantiles(times, n=20)[-1]
    return f"{len(results):>10}{at[0]:>7.3f}{at[1]:>7.3f}{reciprocal:>8.3f}{median(times):>8.1f}{slow:>8.1f}"


def _corpora(data: Path, sets: list[str]) -> Iterator[tuple[str, list[SourceFile], list[Question]]]:
    """Read sets; one with questions in two languages gives one corpus for each pair of languages."""
    for name in sets:
        rows = [row for row in _rows(data / "qa" / f"{name}.jsonl") if row.get("answerable", True)]
        if "passage_id_zh" in rows[0]:
            for asked, read in (("zh", "zh"), ("en", "en"), ("zh", "en")):
                suffix = {"en": "", "zh": "_zh"}
                questions = [
                    _question(row[f"question{suffix[asked]}"], row[f"passage_id{suffix[read]}"]) for row in rows
                ]
                yield f"xquad_{asked}_to_{read}", _files(data, f"xquad_{read}"), questions
        else:
            yield name, _files(data, name), [_question(row["question"], row["passage_id"]) for row in rows]


def _files(data: Path, name: str) -> list[SourceFile]:
    return [
        SourceFile(path=row["passage_id"], content=row["text"].encode(), header=_header(row))
        for row in _rows(data / "passages" / f"{name}.jsonl")
    ]


def _header(row: dict[str, Any]) -> dict[str, object]:  # a row of a data file
    language = "en" if row["lang"] == "en" else "zh"
    return {
        "slug": row["passage_id"],
        "label": "1",
        "language": language,
        "title": row.get("title") or row["passage_id"],
    }


def _question(text: str, passage_id: str) -> Question:
    return Question(text, frozenset({passage_id}))


def _rows(file: Path) -> Iterable[dict[str, Any]]:  # as above
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _today(_tenant: str) -> date:
    return _DAY


@contextmanager
def _database() -> Generator[ServiceDatabase]:
    with tempfile.TemporaryDirectory(prefix="youju-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o711)
        server = Postgres(home, home)
        server.start()
        passwords = Passwords(owner="bench", app="bench", sweeper="bench")
        urls = provision(server.admin_url, "knowledge", database="bench", passwords=passwords)
        environment = os.environ | {"YOUJU_KNOWLEDGE_OWNER_DATABASE_URL": urls.owner}
        subprocess.run([sys.executable, "-m", "knowledge.migrations"], env=environment, check=True, capture_output=True)
        try:
            yield urls
        finally:
            server.stop()


if __name__ == "__main__":
    raise SystemExit(main())
