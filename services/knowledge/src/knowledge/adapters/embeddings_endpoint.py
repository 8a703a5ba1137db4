"""Any OpenAI-compatible embeddings endpoint as the second arm."""

import asyncio
import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import httpx
import numpy as np
from pydantic import BaseModel

from contracts.errors import TryAgainError, UnavailableError
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.own_loop import OwnLoop
from knowledge.ingestion.embedding import Vector
from runtime.http import trust
from runtime.logging import get_logger

_CONNECT_SECONDS: Final = 2.0
_TRIES: Final = 3
_STRANGE: Final = "The embeddings endpoint does not answer as it should."
# A number in JSON with sign, point, exponent and blank; an answer has little besides.
_BYTES_A_NUMBER: Final = 40
_SLACK_BYTES: Final = 1_000_000

_log = get_logger("embeddings_endpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointModel:
    """What is asked for: the model, how long its vectors are, and what it wants in front of a text."""

    base_url: str
    model: str
    dimension: int
    question_prefix: str
    passage_prefix: str

    @property
    def identity(self) -> str:
        """Name everything that decides what a vector says. Endpoints of one model give the same vectors."""
        prefixes = hashlib.sha256(f"{self.question_prefix}\0{self.passage_prefix}".encode()).hexdigest()[:8]
        return f"endpoint-{self.model}/{self.dimension}/{prefixes}"


class EndpointEmbedder:
    """Fulfils `SecondEmbedder` over HTTP; several threads may share one object."""

    def __init__(self, model: EndpointModel, *, api_key: str | None, batch: int, seconds: float) -> None:
        """Prepare a client; nothing connects yet. Proxies of the environment are ignored."""
        self._model = model
        self._batch = batch
        self._seconds = seconds
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        timeout = httpx.Timeout(seconds, connect=_CONNECT_SECONDS)
        # The clients' time-outs begin anew with every byte; on a loop a call is cancelled when its time is over.
        self._loop = OwnLoop("embeddings-endpoint")
        self._client = httpx.AsyncClient(
            base_url=model.base_url, headers=headers, timeout=timeout, trust_env=False, verify=trust()
        )
        self._breaker = Breaker(seconds=monotonic, show_open=_tell)
        self._most_bytes = _SLACK_BYTES + batch * model.dimension * _BYTES_A_NUMBER
        self.identity = model.identity
        self.is_remote = True
        self.dimension = model.dimension

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.questions`. One try: a customer waits. Errors: UnavailableError."""
        return [vector for batch in self._batches(texts, self._model.question_prefix) for vector in self._ask(batch)]

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.passages`. Errors: UnavailableError after several tries."""
        return [vector for batch in self._batches(texts, self._model.passage_prefix) for vector in self._insist(batch)]

    def close(self) -> None:
        """Give the connections back."""
        self._loop.run(self._client.aclose())
        self._loop.close()

    def _batches(self, texts: Sequence[str], prefix: str) -> Iterator[list[str]]:
        for at in range(0, len(texts), self._batch):
            yield [prefix + text for text in texts[at : at + self._batch]]

    def _insist(self, texts: list[str]) -> list[Vector]:
        for _ in range(_TRIES - 1):
            try:
                return self._ask(texts)
            except UnavailableError:
                continue
        return self._ask(texts)

    def _ask(self, texts: list[str]) -> list[Vector]:
        listed = self._loop.run(self._listed(texts))
        vectors = [_unit(each.embedding) for each in sorted(listed, key=lambda each: each.index)]
        if [len(each) for each in vectors] != [self.dimension] * len(texts):
            raise UnavailableError(f"The embeddings endpoint gives other vectors than {self.dimension} numbers a text.")
        return vectors

    async def _listed(self, texts: list[str]) -> list["_Embedding"]:
        """Ask once, unless the endpoint was in trouble just now. Errors: UnavailableError."""
        try:
            with self._breaker.guarded():
                return await self._answer(texts)
        except TryAgainError as trouble:
            raise UnavailableError(trouble.detail) from trouble

    async def _answer(self, texts: list[str]) -> list["_Embedding"]:
        body = {"model": self._model.model, "input": texts, "encoding_format": "float"}
        try:
            async with asyncio.timeout(self._seconds), self._client.stream("POST", "embeddings", json=body) as answer:
                answer.raise_for_status()
                content = bytearray()
                async for part in answer.aiter_bytes():
                    content += part
                    if len(content) > self._most_bytes:
                        raise TryAgainError(_STRANGE)
            return _Answer.model_validate_json(bytes(content)).data
        except (httpx.HTTPError, ValueError, TimeoutError) as refused:
            raise TryAgainError(_STRANGE) from refused


class _Embedding(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Embedding]


def _unit(numbers: list[float]) -> Vector:
    """Bring a vector to length one. Errors: UnavailableError for one without a direction: it is like nothing at all."""
    vector: Any = np.asarray(numbers, dtype=np.float64)  # numpy's division loses the type
    length = float(np.linalg.norm(vector))
    if not (math.isfinite(length) and length > 0):
        raise UnavailableError("The embeddings endpoint gives a vector without a direction.")
    return (vector / length).astype(np.float32)


def _tell(is_open: bool) -> None:  # noqa: FBT001 - a change, told by its new state
    _log.warning("embeddings_endpoint_left_alone" if is_open else "embeddings_endpoint_answers_again")
