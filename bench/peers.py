"""Compare search with other packages' own, each with its defaults, on the same sets in the same run.

    python -m bench.peers --data ../shared/data
    python -m bench.peers --data ../shared/data --questions 300 xquad_en_zh

The packages are locked in requirements/peers.lock. They are installed once into a virtual environment in the cache
folder (YOUJU_BENCH_CACHE), never beside ours; a peer runs in a process of its own there and is given passages and
questions as JSON lines. It is told not to download anything. Ours is BM25 with the universal sentence encoder.
Ends with 1 when a peer is not behind.
"""

import argparse
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from bench.installation import Knowledge, installation, knowledge
from bench.retrieval import SETS, Quality, ask_all, quality
from bench.sets import Corpus, read_corpora
from bench.vectors import CachingEmbedder, cache_folder
from knowledge.adapters.embedder import UseEmbedder
from youju.database_urls import ServiceDatabase

_PEERS: Final = ("haystack", "llama-index", "langchain", "txtai")
_OURS: Final = "youju"
_ROOT: Final = Path(__file__).resolve().parent.parent
_LOCK: Final = _ROOT / "requirements" / "peers.lock"
_OFFLINE: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGCHAIN_TRACING_V2": "false",
    "PYTHONUTF8": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one searcher reached on one set."""

    corpus: str
    searcher: str
    reached: Quality
    milliseconds: float


def main() -> int:
    """Ask everybody the same questions, print the table, and say whether ours is ahead on every set."""
    options = _options()
    python = _environment()
    with installation() as opened:
        rows = asyncio.run(_measure(opened.urls, python, options))
    not_behind = [row for row in rows if row.searcher != _OURS and not _is_behind(row, _ours(rows, row.corpus))]
    for row in not_behind:
        print(f"not behind on {row.corpus}: {row.searcher}")
    if not not_behind:
        print("ahead of every peer on every set, by R@3 and by MRR@10")
    return 1 if not_behind else 0


async def _measure(urls: ServiceDatabase, python: Path, options: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    print(f"{'set':<20}{'searcher':<14}{'R@1':>7}{'R@3':>7}{'MRR@10':>8}{'mean ms':>9}")
    async with knowledge(urls, CachingEmbedder(UseEmbedder())) as opened:
        for corpus in read_corpora(options.data, options.sets, most_questions=options.questions):
            rows.append(_shown(await _ask_ours(opened, corpus)))
            rows += [_shown(_ask_peer(python, peer, corpus)) for peer in options.peers]
    return rows


async def _ask_ours(opened: Knowledge, corpus: Corpus) -> Row:
    ranked = await ask_all(opened, corpus)
    reached = quality(corpus.questions, [each.documents for each in ranked])
    spent = fmean(each.milliseconds for each in ranked)
    return Row(corpus=corpus.name, searcher=_OURS, reached=reached, milliseconds=spent)


def _ask_peer(python: Path, peer: str, corpus: Corpus) -> Row:
    questions = {str(number): question.text for number, question in enumerate(corpus.questions)}
    with tempfile.TemporaryDirectory(prefix="youju-peer-") as folder:
        place = Path(folder)
        _write(place / "passages.jsonl", corpus.texts)
        _write(place / "questions.jsonl", questions)
        command = [python, "-P", _ROOT / "bench" / "peer_rankings.py", peer, place]
        run = subprocess.run(command, env=_peer_variables(), capture_output=True, text=True, check=False)  # noqa: S603 - our own script
        if run.returncode != 0:
            raise SystemExit(f"{peer} failed on {corpus.name}:\n{run.stderr[-2_000:]}")
        rows = [json.loads(line) for line in (place / "rankings.jsonl").read_text(encoding="utf-8").splitlines()]
    reached = quality(corpus.questions, [row["ranking"] for row in rows])
    spent = fmean(row["milliseconds"] for row in rows)
    return Row(corpus=corpus.name, searcher=peer, reached=reached, milliseconds=spent)


def _environment() -> Path:
    """Give the Python of the peers' environment, made anew when the lock has changed."""
    digest = hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:12]
    home = cache_folder() / "peers" / f"{sys.version_info.major}.{sys.version_info.minor}-{digest}"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    complete = home / "installed"
    if not complete.exists():
        print(f"installing {_LOCK.name} into {home}", flush=True)
        venv.create(home, clear=True, with_pip=True)
        # The lock is complete but for what requirements/peers.overrides leaves out, so nothing is looked for beside it.
        install = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
        subprocess.run([*install, "--require-hashes", "--requirement", _LOCK], check=True)  # noqa: S603 - our own lock
        complete.touch()
    return python


def _peer_variables() -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "YOUJU", "VIRTUAL_ENV"))
    }
    return kept | _OFFLINE


def _write(file: Path, texts: dict[str, str]) -> None:
    lines = (json.dumps({"id": key, "text": text}, ensure_ascii=False) for key, text in texts.items())
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _ours(rows: Sequence[Row], corpus: str) -> Row:
    return next(row for row in rows if row.corpus == corpus and row.searcher == _OURS)


def _is_behind(peer: Row, ours: Row) -> bool:
    """Tell whether a peer is worse by the mean of its ranks and no better within the first three."""
    return peer.reached.reciprocal < ours.reached.reciprocal and peer.reached.recall_3 <= ours.reached.recall_3


def _shown(row: Row) -> Row:
    reached = row.reached
    figures = f"{reached.recall_1:>7.3f}{reached.recall_3:>7.3f}{reached.reciprocal:>8.3f}{row.milliseconds:>9.1f}"
    print(f"{row.corpus:<20}{row.searcher:<14}{figures}", flush=True)
    return row


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help=f"names of files in qa/; without any: {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, required=True, help="the folder with passages/ and qa/")
    parser.add_argument("--questions", type=int, default=0, help="at most so many questions a set; 0 takes all")
    parser.add_argument("--peers", nargs="+", choices=_PEERS, default=_PEERS, help="compare with these alone")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
