"""A reranker behind HTTP, with the body that Cohere, Jina and TEI understand."""

import asyncio
import ssl
from collections.abc import Sequence
from functools import cache
from typing import Final

import httpx
from pydantic import BaseModel, FiniteFloat, RootModel, ValidationError

from knowledge.settings import KnowledgeSettings
from runtime.http import CONNECT_SECONDS
from runtime.logging import get_logger

_LONGEST_TEXT: Final = 4_000
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

    async def judge(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """See `Reranker.judge`."""
        passages = [text[:_LONGEST_TEXT] for text in texts]
        # Cohere and Jina call the passages documents, TEI calls them texts; each leaves the other's name alone.
        body = {"model": self._model, "query": question, "documents": passages, "texts": passages}
        try:
            async with (
                # The time-outs of the client begin anew with every byte.
                asyncio.timeout(self._seconds),
                httpx.AsyncClient(
                    timeout=self._timeout, headers=self._headers, trust_env=False, verify=_trust()
                ) as client,
            ):
                answer = await client.post(self._url, json=body | {"top_n": len(passages)})
            answer.raise_for_status()
            return _scores(_Answer.model_validate(answer.json()), len(passages))
        except (httpx.HTTPError, ValueError, ValidationError, TimeoutError) as trouble:
            _log.warning("rerank_left_out", kind=type(trouble).__name__)
            return None


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


@cache
def _trust() -> ssl.SSLContext:
    # Loading the certificates holds up the event loop for longer than anything else here; they are always the same.
    return httpx.create_ssl_context(trust_env=False)


def _scores(answer: _Answer, expected: int) -> list[float]:
    """Put the scores in the order of the texts. Errors: ValueError when one is missing."""
    listed = answer.root.results if isinstance(answer.root, _Listed) else answer.root
    by_place = {each.index: each.relevance_score if each.relevance_score is not None else each.score for each in listed}
    scores = [by_place.get(place) for place in range(expected)]
    if any(score is None for score in scores):
        raise ValueError("a text was not judged")
    return [score for score in scores if score is not None]
