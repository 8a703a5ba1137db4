"""Any OpenAI-compatible embeddings endpoint as the second arm."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx
import numpy as np
from pydantic import BaseModel, ValidationError

from contracts.errors import UnavailableError
from knowledge.ingestion.embedding import Vector

_CONNECT_SECONDS: Final = 2.0
_TRIES: Final = 3


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
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        timeout = httpx.Timeout(seconds, connect=_CONNECT_SECONDS)
        self._client = httpx.Client(base_url=model.base_url, headers=headers, timeout=timeout, trust_env=False)
        self.identity = model.identity
        self.dimension = model.dimension

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.questions`. One try: a customer waits. Errors: UnavailableError."""
        return [vector for batch in self._batches(texts, self._model.question_prefix) for vector in self._ask(batch)]

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """See `SecondEmbedder.passages`. Errors: UnavailableError after several tries."""
        return [vector for batch in self._batches(texts, self._model.passage_prefix) for vector in self._insist(batch)]

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

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
        body = {"model": self._model.model, "input": texts, "encoding_format": "float"}
        try:
            answer = self._client.post("embeddings", json=body)
            answer.raise_for_status()
            listed = _Answer.model_validate(answer.json()).data
        except (httpx.HTTPError, ValueError, ValidationError) as refused:
            raise UnavailableError("The embeddings endpoint does not answer as it should.") from refused
        vectors = [_unit(each.embedding) for each in sorted(listed, key=lambda each: each.index)]
        if [len(each) for each in vectors] != [self.dimension] * len(texts):
            raise UnavailableError(f"The embeddings endpoint gives other vectors than {self.dimension} numbers a text.")
        return vectors


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
