"""Measures an import from files to a staged version: passages a second, beside the bare embedder, and memory.

    python -m bench.imports --files 10000
    python -m bench.imports --files 1000 --embedder use

Every file is Markdown with front matter and one passage of about 200 characters. Without an embedder the vectors are
made up, which leaves parsing, masking, analysis and storing; memory is this process's peak, which does the work of the
worker, after a tenth of the files and after all; CPU is this process's, without the database. With the embedder the same texts are embedded bare right before and
right after each import, and the mean of both paces counts. The vectors of sentences follow a staged version and are timed by themselves.
"""

import argparse
import asyncio
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from bench.installation import Knowledge, installation, knowledge
from knowledge.adapters.embedder import UseEmbedder
from knowledge.ingestion.embedding import Embedder, Vector, embedded_form
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks.building import advance_import
from knowledge.tasks.embedding import shorten_turns
from knowledge.versions.store import imports
from personal_data.masking import load_recognizers
from youju.database_urls import ServiceDatabase

_FILES_A_REQUEST: Final = 500
_CHARACTERS: Final = 200
_TEXTS_A_CALL: Final = 24
_SYLLABLES: Final = ("ka", "lo", "mi", "ter", "san", "vor", "el", "di", "pre", "nu", "so", "chi", "ban", "ur", "ge")
_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class MadeUp:
    """Fulfils `Embedder` with vectors that cost nothing."""

    identity: str = "made-up/512/-"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector of length one a text."""
        vectors = np.random.default_rng(len(texts)).standard_normal((len(texts), 512)).astype(np.float32)
        return list(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Measured:
    """One import: how much, how long, and the highest memory until its end."""

    files: int
    passages: int
    seconds: float
    cpu_seconds: float
    peak_megabytes: float
    by_step: dict[str, float]
    sentence_seconds: float


def main() -> int:
    """Measure and print one line an import."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--sentences", type=int, default=1, help="so many a passage")
    parser.add_argument("--embedder", choices=("none", "use"), default="none")
    arguments = parser.parse_args()
    # The first text of a process loads the recognisers of personal data, which is no part of a pace.
    load_recognizers()
    # As in a worker.
    shorten_turns()
    with tempfile.TemporaryDirectory() as folder, installation() as started:
        write_files(Path(folder), arguments.files, arguments.sentences)
        embedder = UseEmbedder() if arguments.embedder == "use" else MadeUp()
        asyncio.run(_measure(started.urls, Path(folder), arguments.files, embedder))
    return 0


def write_files(folder: Path, count: int, sentences: int) -> None:
    """Write so many policies of one passage each, no two alike."""
    for number in range(count):
        rolled = random.Random(number)  # noqa: S311 - no secret
        body = " ".join(_sentence(rolled, _CHARACTERS // sentences) for _ in range(sentences))
        head = f"---\nslug: policy-{number}\nlabel: '1'\nlanguage: en\ntitle: Policy {number}\n---\n"
        (folder / f"{number:06}.md").write_text(f"{head}{body}\n", encoding="utf-8")


async def _measure(urls: ServiceDatabase, folder: Path, files: int, embedder: Embedder) -> None:
    print(
        f"{'files':>8}{'passages':>10}{'seconds':>9}{'passages/s':>12}{'CPU ms each':>12}{'peak MB':>9}  seconds by step"
    )
    async with knowledge(urls, embedder) as opened:
        for count in (max(1, int(files * _SHARE)), files):
            before = _bare(embedder, folder, files)
            done = await _import(opened, f"bench-{count}", folder, count)
            after = _bare(embedder, folder, files)
            pace = done.passages / done.seconds
            steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in done.by_step.items())
            each = done.cpu_seconds / done.passages * 1000
            print(
                f"{done.files:>8}{done.passages:>10}{done.seconds:>9.1f}{pace:>12.0f}{each:>12.2f}{done.peak_megabytes:>9.0f}  {steps}",
                flush=True,
            )
            if isinstance(embedder, UseEmbedder):
                share = pace / ((before + after) / 2)
                print(
                    f"         the bare embedder takes {before:.0f} and {after:.0f} passages/s; "
                    f"the import reaches {share:.0%} of it"
                )
            print(f"         the sentences followed in {done.sentence_seconds:.1f} s", flush=True)


async def _import(opened: Knowledge, tenant: str, folder: Path, count: int) -> Measured:
    importer = opened.importer
    import_id = await importer.open(tenant)
    for batch in _batches(folder, count):
        async with opened.database.transaction(tenant) as connection:
            await imports.add_files(connection, tenant=tenant, import_id=import_id, files=batch)
    async with opened.database.transaction(tenant) as connection:
        await imports.start_import(connection, import_id)
    by_step: dict[str, float] = {}
    began, cpu_began = time.perf_counter(), time.process_time()
    more = True
    while more:
        step = importer.step_of(tenant, import_id)
        step_began = time.perf_counter()
        more = advance_import(importer.bench, tenant=tenant, import_id=import_id)
        by_step[step] = by_step.get(step, 0.0) + time.perf_counter() - step_began
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    progress = await importer.progress(tenant, import_id)
    if progress.state != "STAGED":
        raise SystemExit(f"{progress.reason} {progress.problems[:3]}")
    followed = time.perf_counter()
    await importer.embed_all_sentences(tenant, import_id)
    sentence_seconds = time.perf_counter() - followed
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(count, progress.passages, seconds, cpu_seconds, peak, by_step, sentence_seconds)


def _bare(embedder: Embedder, folder: Path, count: int) -> float:
    """Embed the passages as an import does, with nothing else around it; give passages a second."""
    paths = [folder / f"{number:06}.md" for number in range(min(count, 1_000))]
    texts = [embedded_form(path.read_text(encoding="utf-8").rpartition("---\n")[2]) for path in paths]
    calls = [texts[at : at + _TEXTS_A_CALL] for at in range(0, len(texts), _TEXTS_A_CALL)]
    embedder.embed(texts[:1])
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        began = time.perf_counter()
        list(threads.map(embedder.embed, calls))
        return len(texts) / (time.perf_counter() - began)


def _batches(folder: Path, count: int) -> Iterator[list[SourceFile]]:
    for first in range(0, count, _FILES_A_REQUEST):
        names = [f"{number:06}.md" for number in range(first, min(first + _FILES_A_REQUEST, count))]
        yield [SourceFile(path=name, content=(folder / name).read_bytes(), header=None) for name in names]


def _sentence(rolled: random.Random, characters: int) -> str:
    words: list[str] = []
    while sum(map(len, words)) + len(words) < characters:
        words.append("".join(rolled.choices(_SYLLABLES, k=rolled.randint(1, 4))))
    return f"{' '.join(words).capitalize()}."


if __name__ == "__main__":
    raise SystemExit(main())
