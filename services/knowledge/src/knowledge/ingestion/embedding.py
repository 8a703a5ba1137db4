"""What is embedded, and what an embedder is."""

import hashlib
from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge.ingestion.script import simplified

Vector = NDArray[np.float32]

# Beyond this the encoder's attention thins out and its time grows with the square; a passage is never this long.
LONGEST_TEXT: Final = 2_000


class Embedder(Protocol):
    """Turns texts into vectors of length one."""

    @property
    def identity(self) -> str:
        """Name model, dimension and prefix: vectors of different identities are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts that went through `embedded_form`. Shapes: one float32 vector a text, in order."""
        ...


class SecondEmbedder(Protocol):
    """A second opinion on what is alike: it reads questions in another way than passages."""

    @property
    def identity(self) -> str:
        """Name model, dimension and prefixes: vectors of different identities are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Say how long a vector is: 384, 768, 1024 or 1536, for which there are tables."""
        ...

    @property
    def is_remote(self) -> bool:
        """Say whether it is asked over a network, and no session may be held meanwhile."""
        ...

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Embed questions that went through `embedded_form`. Shapes: one float32 vector of length one a text."""
        ...

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embed passages that went through `embedded_form`. Shapes: one float32 vector of length one a text."""
        ...


def embedded_form(text: str) -> str:
    """Give the exact string that is embedded: simplified characters, one space between words, bounded."""
    clean = text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")
    return simplified(" ".join(clean.split()))[:LONGEST_TEXT]


def embedded_hash(form: str) -> str:
    """Name an embedded string in the vector cache."""
    return hashlib.sha256(form.encode()).hexdigest()
