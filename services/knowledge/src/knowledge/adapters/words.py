"""Remembers which passages hold the words of large versions: what questions read, and the frequent words beforehand."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from contracts.errors import UnavailableError
from knowledge.retrieval import fusion
from knowledge.retrieval.postings import PostingMemory, Postings
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT
from knowledge.retrieval.store import opening
from runtime.database import Database
from runtime.logging import get_logger

# Twenty bytes a posting: of a hundred thousand passages, every word that between a hundredth and a tenth of them hold.
_MOST_BYTES: Final = 128 * 1024 * 1024
_LEARNED_BYTES: Final = 112 * 1024 * 1024
_POSTING_BYTES: Final = 20
_LEAST_SHARE: Final = 0.01
_NOTHING_MEANT: Final[Mapping[int, int]] = MappingProxyType({})
# So many postings are read in ten milliseconds; then others have their turn.
_SLICE: Final = 20_000
_PAUSE_SECONDS: Final = 0.01

_log = get_logger("words")


class RememberedWords:
    """The postings of one process. A version that serves gets no more, so that nothing here grows old."""

    def __init__(self, database: Database) -> None:
        """Start with nothing."""
        self._database = database
        self._memory = PostingMemory(most_bytes=_MOST_BYTES)
        self._begun: set[tuple[str, int]] = set()
        self._learning: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    def wanted(
        self,
        *,
        tenant: str,
        version: int,
        passages: int,
        terms: Sequence[int],
        meant: Mapping[int, int] = _NOTHING_MEANT,
    ) -> opening.Wanted:
        """Choose the terms whose postings a question should read: as many as lead it, of those that are not known.

        `meant` names for a term the typed one in whose place it may be read.
        """
        if passages <= EXACT_SCAN_LIMIT:
            return opening.NOTHING_WANTED
        known = self._memory.of(tenant, version, (*terms, *meant))
        return opening.Wanted(
            terms=[each for each in terms if each not in known],
            meant={each: typed for each, typed in meant.items() if each not in known and typed not in known},
            most=_most(passages),
            budget=fusion.MOST_LED,
        )

    def keep(
        self, *, tenant: str, version: int, fresh: Mapping[int, Postings], terms: Sequence[int]
    ) -> dict[int, Postings]:
        """Remember what a question has read, and give what is known of its terms."""
        self._memory.keep(tenant, version, fresh)
        return self._memory.of(tenant, version, terms) | dict(fresh)

    def learn(self, *, tenant: str, version: int, passages: int) -> None:
        """Begin to read the frequent words of a large version, beside everything else. Repeat: once a version."""
        if passages <= EXACT_SCAN_LIMIT or (tenant, version) in self._begun:
            return
        self._begun.add((tenant, version))
        task = asyncio.create_task(self._learn(tenant, version, passages))
        self._learning.add(task)
        task.add_done_callback(self._learning.discard)

    async def settle(self) -> None:
        """Wait until everything that was begun is learned."""
        await asyncio.gather(*self._learning)

    async def aclose(self) -> None:
        """Stop learning."""
        for task in self._learning:
            task.cancel()
        await asyncio.gather(*self._learning, return_exceptions=True)

    async def _learn(self, tenant: str, version: int, passages: int) -> None:
        try:
            async with self._turn:
                await self._learn_all(tenant, version, passages)
        except UnavailableError as trouble:
            self._begun.discard((tenant, version))
            _log.warning("words_not_learned", tenant=tenant, version=version, reason=trouble.detail)

    async def _learn_all(self, tenant: str, version: int, passages: int) -> None:
        async with self._database.snapshot(tenant) as connection:
            frequent = await opening.frequent_terms(
                connection,
                tenant=tenant,
                version=version,
                least=int(passages * _LEAST_SHARE),
                most=_most(passages),
                postings=_LEARNED_BYTES // _POSTING_BYTES,
            )
        for terms in _slices(frequent):
            wanted = opening.Wanted(terms=terms, most=_most(passages), budget=sum(frequent.values()))
            asks = opening.opening_asks(tenant=tenant, version=version, segments=(), wanted=wanted)
            async with self._database.asking(tenant, asks) as (_, answers):
                found = opening.opening_of(answers)
            if found.row is None:
                return
            self._memory.keep(tenant, version, found.postings)
            await asyncio.sleep(_PAUSE_SECONDS)


def _most(passages: int) -> int:
    return int(passages * fusion.COMMON_SHARE)


def _slices(frequent: Mapping[int, int]) -> Iterator[list[int]]:
    """Put terms together that have so many postings at most; one that has more stands alone."""
    part: list[int] = []
    size = 0
    for term, passages in frequent.items():
        if part and size + passages > _SLICE:
            yield part
            part, size = [], 0
        part.append(term)
        size += passages
    if part:
        yield part
