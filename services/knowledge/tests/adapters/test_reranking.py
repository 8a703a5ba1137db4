"""A reranker behind HTTP orders the best passages; whatever goes wrong, the order of the search stays."""

import asyncio
from collections.abc import Iterator

import pytest

from knowledge.adapters.reranking import EndpointReranker
from tests.support.scripted_endpoint import Scripted, scripted_endpoint, trickling


@pytest.fixture
def endpoint() -> Iterator[Scripted]:
    """Give an endpoint that answers as told."""
    with scripted_endpoint() as script:
        yield script


def _reranker(script: Scripted, seconds: float = 60.0) -> EndpointReranker:
    return EndpointReranker(f"{script.url}/rerank", model="m", api_key="secret", seconds=seconds)


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]},
        [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}],
    ],
)
async def test_scores_come_in_the_order_of_the_texts(endpoint: Scripted, answer: object) -> None:
    endpoint.answers = [(200, answer)]

    assert await _reranker(endpoint).judge("运费", ["甲", "乙"]) == [0.1, 0.9]

    _, headers, body = endpoint.asked[0]
    assert headers["authorization"] == "Bearer secret"
    assert (body["query"], body["documents"], body["texts"]) == ("运费", ["甲", "乙"], ["甲", "乙"])


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}),
        (200, {"results": [{"index": 0, "relevance_score": 1}]}),
        (200, [{"index": 0, "score": 1}, {"index": 1, "score": float("nan")}]),
        (200, "what?"),
        (200, {}),
    ],
)
async def test_an_answer_that_does_not_fit_is_left_out(endpoint: Scripted, answer: tuple[int, object]) -> None:
    endpoint.answers = [answer]

    assert await _reranker(endpoint).judge("运费", ["甲", "乙"]) is None


async def test_a_slow_reranker_is_left_out(endpoint: Scripted) -> None:
    endpoint.answers = [(200, [])]
    endpoint.go.clear()

    assert await _reranker(endpoint, seconds=0.05).judge("运费", ["甲"]) is None


async def test_a_reranker_that_trickles_is_left_out() -> None:
    async with trickling() as url:
        slow = EndpointReranker(f"{url}rerank", model="m", api_key=None, seconds=0.2)

        assert await asyncio.wait_for(slow.judge("运费", ["甲"]), timeout=60) is None


async def test_a_reranker_in_trouble_is_left_alone_for_a_while(endpoint: Scripted) -> None:
    endpoint.answers = [(500, {})]
    reranker = _reranker(endpoint)

    judged = [await reranker.judge("运费", ["甲"]) for _ in range(10)]

    assert (judged, len(endpoint.asked)) == ([None] * 10, 3)


async def test_a_reranker_that_is_down_is_left_out() -> None:
    nowhere = EndpointReranker("http://127.0.0.1:9/rerank", model="m", api_key=None, seconds=1.0)

    assert await nowhere.judge("运费", ["甲"]) is None
