"""Build a large tenant by a real import, with the graphs of vectors made in one go at the end instead of row by row."""

import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final
from uuid import UUID

import psycopg
from psycopg.sql import SQL, Identifier

from bench.corpus import Document, Mimic, as_file, copies, measured_noise, real_documents
from bench.installation import Installation, Knowledge
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks.building import advance_import
from knowledge.versions.store import imports, releases, upkeep
from tests.support.knowledge import publisher

REAL_CHARACTERS: Final = 1_600_000
_FILES_A_CALL: Final = 500
_BUILD_MEMORY: Final = "2GB"
_GRAPHS: Final = """
    SELECT indexname, replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes
    JOIN pg_class ON pg_class.relname = indexname
    WHERE pg_class.relkind = 'I' AND indexdef LIKE '%USING hnsw%'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What building took: seconds by the step of the import, and for each graph by its name."""

    steps: dict[str, float]
    graphs: dict[str, float]


def corpus_of(data: Path, mimic: Mimic, *, passages: int) -> list[SourceFile]:
    """Make as many documents as give so many passages: real ones first, then copies."""
    originals = real_documents(data, characters=REAL_CHARACTERS)
    mimic.noise = measured_noise(originals, mimic.embedder)
    files: list[SourceFile] = []
    made = 0
    for number, document in enumerate(_as_many(originals, mimic)):
        if made >= passages:
            break
        files.append(as_file(document, number))
        made += len(document.forms)
    return files


def is_filled(opened: Installation, tenant: str) -> bool:
    """Tell whether this tenant was filled by an earlier run."""
    with psycopg.connect(opened.admin) as admin:
        found = admin.execute("SELECT FROM version WHERE tenant = %s AND state = 'PUBLISHED'", (tenant,))
        return found.fetchone() is not None


async def fill(opened: Installation, built_with: Knowledge, tenant: str, files: list[SourceFile]) -> Built:
    """Import the files with the product's own steps and publish them."""
    import_id = await begin(built_with, tenant, files)
    graphs: dict[str, float] = {}
    with _without_graphs(opened.admin, graphs):
        steps = await advance(built_with, tenant, import_id)
    await make_current(built_with, tenant, import_id)
    with psycopg.connect(opened.admin, autocommit=True) as admin:
        admin.execute("VACUUM (ANALYZE)")
    return Built(steps=steps, graphs=graphs)


async def begin(built_with: Knowledge, tenant: str, files: list[SourceFile]) -> UUID:
    """Open an import, hand the files over in parts, and start it."""
    first, rest = files[:_FILES_A_CALL], files[_FILES_A_CALL:]
    import_id = await built_with.importer.open(tenant, first)
    for at in range(0, len(rest), _FILES_A_CALL):
        async with built_with.database.transaction(tenant) as connection:
            part = rest[at : at + _FILES_A_CALL]
            await imports.add_files(connection, tenant=tenant, import_id=import_id, files=part)
    async with built_with.database.transaction(tenant) as connection:
        await imports.start_import(connection, import_id)
    return import_id


async def advance(built_with: Knowledge, tenant: str, import_id: UUID) -> dict[str, float]:
    """Take an import to its end, with the sentences of its version, and say how many seconds each step took."""
    seconds: defaultdict[str, float] = defaultdict(float)
    is_running = True
    while is_running:
        step = (await built_with.importer.progress(tenant, import_id)).step
        started = time.perf_counter()
        is_running = advance_import(built_with.importer.bench, tenant=tenant, import_id=import_id)
        seconds[step] += time.perf_counter() - started
    started = time.perf_counter()
    await built_with.importer.embed_all_sentences(tenant, import_id)
    seconds["SENTENCES"] = time.perf_counter() - started
    return dict(seconds)


async def make_current(built_with: Knowledge, tenant: str, import_id: UUID) -> None:
    """Approve and publish what an import built. Errors: AssertionError with its progress when it failed."""
    progress = await built_with.importer.progress(tenant, import_id)
    if progress.version is None:
        raise AssertionError(progress)
    async with built_with.database.transaction(tenant) as connection:
        await releases.approve(connection, publisher(tenant), number=progress.version)
        await releases.publish(connection, publisher(tenant), number=progress.version, expected_current=None)


def warm(built_with: Knowledge, tenant: str, vectors: tuple[str, ...]) -> None:
    """Load into memory what the product loads after a publication."""
    with built_with.importer.bench.database.transaction(tenant) as connection:
        upkeep.warm(connection, tenant=tenant, vectors=vectors)


def _as_many(originals: list[Document], mimic: Mimic) -> Iterator[Document]:
    return chain(originals, copies(originals, mimic))


@contextmanager
def _without_graphs(admin_url: str, seconds: dict[str, float]) -> Generator[None]:
    """Drop the graphs and make them again at the end, which gives the same rows in a twentieth of the time."""
    with psycopg.connect(admin_url, autocommit=True) as admin:
        graphs = admin.execute(_GRAPHS).fetchall()
        for name, _ in graphs:
            admin.execute(SQL("DROP INDEX {}").format(Identifier(name)))
        yield
        admin.execute(SQL("SET maintenance_work_mem = {}").format(_BUILD_MEMORY))
        for name, definition in graphs:
            started = time.perf_counter()
            admin.execute(definition.encode())
            seconds[name] = time.perf_counter() - started
