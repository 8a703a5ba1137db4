"""Ask questions without a pause while a whole new version is imported and published beside them.

    python -m bench.publishing --data ../shared/data --passages 100000
    python -m bench.publishing --data ../shared/data --passages 3000 --quiet-seconds 20

A tenant of that size is answering; every passage of the next version is new, so each one is read, masked, split,
embedded by the real model, indexed and counted by a process of its own at low priority. One client asks the next
question as soon as the last one is answered. Bars: no question fails, and the slowest of a hundred takes at most three
times as long as in the quiet before. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Final
from uuid import UUID

from bench.corpus import MANY, Mimic, as_file, copies, real_documents
from bench.filling import REAL_CHARACTERS, begin, corpus_of, fill, make_current, warm
from bench.installation import TODAY, Installation, Knowledge, installation, knowledge
from bench.measures import Bar, at_most, print_bars, times
from bench.questions import mixed_questions
from bench.vectors import CachingEmbedder
from contracts.errors import YoujuError
from knowledge.adapters.embedder import UseEmbedder
from knowledge.ingestion.importing import SourceFile

_TENANT: Final = "publishing"
_QUESTIONS: Final = 600
_QUIET: Final = "quiet"
_PUBLISHED: Final = "published"
_TIMES_AS_SLOW: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: during which step of the import, how long it took, and whether it failed."""

    step: str
    milliseconds: float
    has_failed: bool


def main() -> int:
    """Fill, measure quiet, import and publish under questions, and print what they took step by step."""
    options = _options()
    with installation() as opened:
        asked = asyncio.run(_run(opened, options))
    _print_steps(asked)
    return 0 if print_bars(_bars(asked)) else 1


async def _run(opened: Installation, options: argparse.Namespace) -> list[Asked]:
    mimic = Mimic(CachingEmbedder(UseEmbedder()))
    async with knowledge(opened.urls, mimic) as building:
        files = corpus_of(options.data, mimic, passages=options.passages)
        await fill(opened, building, _TENANT, files)
        warm(building, _TENANT, ("passage_vector",))
        following = _following(options.data, len(files))
    questions = mixed_questions(options.data, _QUESTIONS)
    async with knowledge(opened.urls, UseEmbedder()) as answering:
        await _ask_until(answering, questions, step=lambda: _QUIET, is_over=_after(options.quiet_seconds / 4))
        asked = await _ask_until(answering, questions, step=lambda: _QUIET, is_over=_after(options.quiet_seconds))
        import_id = await begin(answering, _TENANT, following)
        asked += await _ask_beside(opened, answering, questions, import_id)
        await make_current(answering, _TENANT, import_id)
        over = _after(options.quiet_seconds)
        return asked + await _ask_until(answering, questions, step=lambda: _PUBLISHED, is_over=over)


async def _ask_beside(
    opened: Installation, answering: Knowledge, questions: Sequence[str], import_id: UUID
) -> list[Asked]:
    """Ask until the worker has ended. Errors: SystemExit when it failed."""
    command = ("-m", "bench.importing_worker", opened.urls.app, _TENANT, str(import_id))
    worker = await asyncio.create_subprocess_exec(sys.executable, *command, env=os.environ)
    seen = ["UNPACK"]

    async def watch() -> None:
        while worker.returncode is None:
            seen[0] = (await answering.importer.progress(_TENANT, import_id)).step
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    asked = await _ask_until(answering, questions, step=lambda: seen[0], is_over=lambda: worker.returncode is not None)
    await watching
    if worker.returncode != 0:
        raise SystemExit("the import failed")
    return asked


async def _ask_until(
    answering: Knowledge, questions: Sequence[str], *, step: Callable[[], str], is_over: Callable[[], bool]
) -> list[Asked]:
    asked: list[Asked] = []
    for question in cycle(questions):
        if is_over():
            break
        started, during, has_failed = time.perf_counter(), step(), False
        try:
            await answering.searcher.search(tenant=_TENANT, segments=(MANY,), question=question, as_of=TODAY)
        except YoujuError:
            has_failed = True
        milliseconds = (time.perf_counter() - started) * 1000
        asked.append(Asked(step=during, milliseconds=milliseconds, has_failed=has_failed))
    return asked


def _following(data: Path, count: int) -> list[SourceFile]:
    """Make the documents of the next version: those of the first with other words, under the same names."""
    originals = real_documents(data, characters=REAL_CHARACTERS)
    made = islice(copies(originals, Mimic(UseEmbedder()), seed=2), count)
    return [as_file(document, number) for number, document in enumerate(made)]


def _after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _print_steps(asked: Sequence[Asked]) -> None:
    print(f"\n{'while':<12}{'questions':>10}{'failed':>8}{'p50 ms':>9}{'p99 ms':>9}")
    for step in dict.fromkeys(each.step for each in asked):
        members = [each for each in asked if each.step == step]
        took = times([each.milliseconds for each in members])
        failed = sum(each.has_failed for each in members)
        print(f"{step:<12}{len(members):>10}{failed:>8}{took.p50:>9.1f}{took.p99:>9.1f}")


def _bars(asked: Sequence[Asked]) -> list[Bar]:
    quiet = times([each.milliseconds for each in asked if each.step == _QUIET])
    beside = times([each.milliseconds for each in asked if each.step not in {_QUIET, _PUBLISHED}])
    failed = sum(each.has_failed for each in asked)
    return [
        at_most("questions that failed", failed, 0),
        at_most("p99 ms while a version is built", beside.p99, _TIMES_AS_SLOW * quiet.p99),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with passages/ and qa/")
    parser.add_argument("--passages", type=int, default=100_000, help="how large both versions are")
    parser.add_argument("--quiet-seconds", type=float, default=60, help="how long questions are asked before and after")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
