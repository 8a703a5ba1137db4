"""Keep vectors between runs, outside the checkout, so that only the first run computes them."""

import hashlib
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from knowledge.ingestion.embedding import Embedder, SecondEmbedder, Vector

Embed = Callable[[Sequence[str]], list[Vector]]


class VectorCache:
    """Remembers the vectors of one embedder in a file; several threads may share it."""

    def __init__(self, folder: Path, identity: str) -> None:
        """Open the file of this identity."""
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(identity.encode()).hexdigest()[:16]
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(folder / f"{name}.sqlite", check_same_thread=False)
        self._rows.execute("CREATE TABLE IF NOT EXISTS vector (text TEXT PRIMARY KEY, vector BLOB)")

    def embed(self, texts: Sequence[str], compute: Embed) -> list[Vector]:
        """Compute what is not known yet. Shapes: one float32 vector a text, in order."""
        with self._lock:
            known = {text: vector for text in texts if (vector := self._known(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = dict(zip(missing, compute(missing), strict=True))
        with self._lock, self._rows:
            rows = [(text, vector.tobytes()) for text, vector in fresh.items()]
            self._rows.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
        return [(known | fresh)[text] for text in texts]

    def _known(self, text: str) -> Vector | None:
        row = self._rows.execute("SELECT vector FROM vector WHERE text = ?", (text,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)


class CachingEmbedder:
    """Fulfils `Embedder` with vectors that outlive the run."""

    def __init__(self, embedder: Embedder) -> None:
        """Open the cache of this embedder."""
        self._embedder = embedder
        self._cache = VectorCache(vectors_folder(), embedder.identity)
        self.identity = embedder.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """See `Embedder.embed`."""
        return self._cache.embed(texts, self._embedder.embed)


class CachingSecond:
    """Fulfils `SecondEmbedder` with vectors that outlive the run."""

    def __init__(self, embedder: SecondEmbedder) -> None:
        """Open the caches of this embedder, one for questions and one for passages."""
        self._embedder = embedder
        self._questions = VectorCache(vectors_folder(), f"{embedder.identity}/questions")
        self._passages = VectorCache(vectors_folder(), f"{embedder.identity}/passages")
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.is_remote = embedder.is_remote

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.questions`."""
        return self._questions.embed(texts, self._embedder.questions)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.passages`."""
        return self._passages.embed(texts, self._embedder.passages)


def cache_folder() -> Path:
    """Say where benches keep what they need again: YOUJU_BENCH_CACHE, or a folder of ours where this platform caches."""
    wanted = os.environ.get("YOUJU_BENCH_CACHE")
    if wanted:
        return Path(wanted).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "youju"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "youju"


def vectors_folder() -> Path:
    """Say where the vectors are."""
    return cache_folder() / "vectors"
