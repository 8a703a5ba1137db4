"""A reranker behind HTTP, with the body that Cohere, Jina and TEI understand."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final

import httpx
from pydantic import BaseModel, FiniteFloat, RootModel

from contracts.errors import TryAgainError
from knowledge.adapters.breaker import Breaker, BreakerOpenError
from knowledge.settings import KnowledgeSettings
from runtime.http import CONNECT_SECONDS, trust
from runtime.logging import get_logger

_LONGEST_TEXT: Final = 4_000
# Twenty scores are two kilobytes, and some send the texts back with them.
_LONGEST_ANSWER_BYTES: Final = 2_000_000
_log = get_logger("reranking")


class EndpointReranker:
    """Fulfils `Reranker`."""

    def __init__(self, url: str, *, model: str, api_key: str | None, seconds: float) -> None:
        """Remember whom to ask; a connection lives as long as one call, because the caller has no moment to close."""
        self._url = url
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._seconds = seconds
        self._timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        self._breaker = Breaker(seconds=monotonic, show_open=_tell)

    async def judge(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """See `Reranker.judge`. One that was in trouble again and again is left alone for a while, at no cost."""
        passages = [text[:_LONGEST_TEXT] for text in texts]
        try:
            with self._breaker.guarded():
                return await self._ask(question, passages)
        except BreakerOpenError:
            return None
        except TryAgainError as trouble:
            _log.warning("rerank_left_out", kind=trouble.detail)
            return None

    async def _ask(self, question: str, passages: list[str]) -> list[float]:
        """Ask once. Errors: TryAgainError naming the kind of trouble."""
        # Cohere and Jina call the passages documents, TEI calls them texts; each leaves the other's name alone.
        body = {"model": self._model, "query": question, "documents": passages, "texts": passages}
        try:
            async with (
                # The time-outs of the client begin anew with every byte.
                asyncio.timeout(self._seconds),
                httpx.AsyncClient(
                    timeout=self._timeout, headers=self._headers, trust_env=False, verify=trust()
                ) as client,
                client.stream("POST", self._url, json=body | {"top_n": len(passages)}) as answer,
            ):
                answer.raise_for_status()
                content = bytearray()
                async for part in answer.aiter_bytes():
                    content += part
                    if len(content) > _LONGEST_ANSWER_BYTES:
                        raise TryAgainError("too long")
            return _scores(_Answer.model_validate_json(bytes(content)), len(passages))
        except (httpx.HTTPError, ValueError, TimeoutError) as trouble:
            raise TryAgainError(type(trouble).__name__) from trouble


class _Judged(BaseModel):
    index: int
    relevance_score: FiniteFloat | None = None
    score: FiniteFloat | None = None


class _Listed(BaseModel):
    results: list[_Judged]


class _Answer(RootModel[_Listed | list[_Judged]]):
    pass


def open_reranker(settings: KnowledgeSettings) -> EndpointReranker | None:
    """Give the reranker of an installation, if one is named."""
    if settings.rerank_url is None:
        return None
    key = settings.rerank_api_key
    return EndpointReranker(
        settings.rerank_url,
        model=settings.rerank_model,
        api_key=key.get_secret_value() if key else None,
        seconds=settings.rerank_seconds,
    )


def _scores(answer: _Answer, expected: int) -> list[float]:
    """Put the scores in the order of the texts. Errors: ValueError when one is missing."""
    listed = answer.root.results if isinstance(answer.root, _Listed) else answer.root
    by_place = {each.index: each.relevance_score if each.relevance_score is not None else each.score for each in listed}
    scores = [by_place.get(place) for place in range(expected)]
    if any(score is None for score in scores):
        raise ValueError("a text was not judged")
    return [score for score in scores if score is not None]


def _tell(is_open: bool) -> None:  # noqa: FBT001 - a change, told by its new state
    _log.warning("reranker_left_alone" if is_open else "reranker_answers_again")
