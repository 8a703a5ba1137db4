"""Compares claims with quotes in another language through the pool that reads questions."""

from collections.abc import Sequence
from itertools import islice

from knowledge.adapters.embedder import EmbeddingPool
from knowledge.ingestion.embedding import Vector
from knowledge.validation.agreeing import Pair


class PoolAgreement:
    """Fulfils `Compare` with the first embedder, which is built in: no text leaves the installation."""

    def __init__(self, pool: EmbeddingPool) -> None:
        """Take the pool; its queue bounds what waits."""
        self._pool = pool

    async def __call__(self, pairs: Sequence[Pair], /) -> list[float]:
        """Give the cosine of each claim and the nearest of its quotes. Errors: UnavailableError when too much waits."""
        vectors = iter(await self._pool.vectors([text for claim, quotes in pairs for text in (claim, *quotes)]))
        return [_nearest(next(vectors), list(islice(vectors, len(quotes)))) for _, quotes in pairs]


def _nearest(claim: Vector, quotes: Sequence[Vector]) -> float:
    return max((float(claim @ quote) for quote in quotes), default=0.0)
