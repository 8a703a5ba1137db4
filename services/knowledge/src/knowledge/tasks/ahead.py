"""Vectors that are computed before they are asked for, so that no core idles while a worker reads, cuts and stores.

They live in this process alone: whoever asks for one that is not here computes it.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Final
from uuid import UUID

from knowledge.ingestion.embedding import Vector

# Two kilobytes each.
_MOST: Final = 8_000
# The threads are busy with so many until a worker comes by again.
_MOST_WAITING: Final = 1_000
_IMPORTS: Final = 4

Coming = tuple[Future[list[Vector]], int]
"""A call of an embedder, and the place of a vector among those it gives."""


class Ahead:
    """Calls of an embedder that are under way, by import and by what names each string that they embed."""

    __slots__ = ("_imports",)

    def __init__(self) -> None:
        """Begin with none."""
        self._imports: dict[UUID, dict[str, Coming]] = {}

    def room(self, import_id: UUID) -> int:
        """Say how many more may be computed ahead for an import. Shapes: never below zero."""
        coming = self._imports.get(import_id, {})
        waiting = sum(not called.done() for called, _ in coming.values())
        return max(min(_MOST - len(coming), _MOST_WAITING - waiting), 0)

    def lacking(self, import_id: UUID, names: Iterable[str]) -> list[str]:
        """Give what nobody has begun to compute for an import, in order."""
        coming = self._imports.get(import_id, {})
        return [name for name in names if name not in coming]

    def put(self, import_id: UUID, names: Sequence[str], called: Future[list[Vector]]) -> None:
        """Remember a call by what it embeds, in its order; what the oldest of too many imports left is forgotten."""
        coming = self._imports.setdefault(import_id, {})
        coming.update((name, (called, place)) for place, name in enumerate(names))
        for oldest in list(self._imports)[:-_IMPORTS]:
            self._imports.pop(oldest, None)

    def take(self, import_id: UUID, names: Iterable[str]) -> dict[str, Coming]:
        """Give what embeds these, as far as it is under way, and forget it."""
        coming = self._imports.get(import_id, {})
        return {name: taken for name in names if (taken := coming.pop(name, None)) is not None}

    def forget(self, import_id: UUID) -> None:
        """Forget what nobody asked for. Repeat: nothing happens."""
        self._imports.pop(import_id, None)
