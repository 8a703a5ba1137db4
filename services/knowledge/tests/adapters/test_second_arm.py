"""The second arm is a model in a wheel or any OpenAI-compatible endpoint; a question never waits for one that is down."""

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from contracts.errors import UnavailableError
from knowledge.adapters import embeddings_endpoint, second_arm
from knowledge.adapters.e5 import E5Embedder, is_e5_installed
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.embeddings_endpoint import EndpointEmbedder, EndpointModel
from knowledge.adapters.second_arm import open_second_arm
from knowledge.settings import KnowledgeSettings
from runtime.settings import SettingsError
from tests.support.knowledge import WordEmbedder
from tests.support.scripted_endpoint import Scripted, scripted_endpoint, trickling


@pytest.fixture
def endpoint() -> Iterator[Scripted]:
    """Give an endpoint that answers as told."""
    with scripted_endpoint() as script:
        yield script


def _embedder(script: Scripted, *, batch: int = 2, seconds: float = 5.0) -> EndpointEmbedder:
    model = EndpointModel(
        base_url=f"{script.url}/v1/", model="m", dimension=384, question_prefix="query: ", passage_prefix="passage: "
    )
    return EndpointEmbedder(model, api_key="secret", batch=batch, seconds=seconds)


def _answer(*places: int) -> tuple[int, object]:
    data = [{"index": index, "embedding": [0.0] * index + [2.0] + [0.0] * (383 - index)} for index in places]
    return 200, {"data": data}


def test_an_endpoint_is_asked_in_batches_with_prefixes_and_key(endpoint: Scripted) -> None:
    endpoint.answers = [_answer(1, 0), _answer(0)]

    vectors = _embedder(endpoint).passages(["甲", "乙", "丙"])

    assert [int(each.argmax()) for each in vectors] == [0, 1, 0]
    assert all(np.linalg.norm(each) == pytest.approx(1) for each in vectors)
    assert [body["input"] for _, _, body in endpoint.asked] == [["passage: 甲", "passage: 乙"], ["passage: 丙"]]
    path, headers, body = endpoint.asked[0]
    assert (path, headers["authorization"], body["model"]) == ("/v1/embeddings", "Bearer secret", "m")


def test_passages_are_asked_again_and_questions_are_not(endpoint: Scripted) -> None:
    endpoint.answers = [(503, {}), _answer(0)]
    assert len(_embedder(endpoint).passages(["甲"])) == 1

    endpoint.answers = [(503, {}), _answer(0)]
    with pytest.raises(UnavailableError):
        _embedder(endpoint).questions(["甲"])
    assert endpoint.asked[-1][2]["input"] == ["query: 甲"]


def _all(number: float) -> tuple[int, object]:
    return 200, {"data": [{"index": 0, "embedding": [number] * 384}]}


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"data": [{"index": 0, "embedding": [1.0]}]}),
        (200, {}),
        _answer(),
        _all(0.0),
        _all(math.nan),
        _all(math.inf),
    ],
)
def test_other_vectors_than_agreed_are_refused(endpoint: Scripted, answer: tuple[int, object]) -> None:
    endpoint.answers = [answer]

    with pytest.raises(UnavailableError):
        _embedder(endpoint).questions(["甲"])


async def test_an_endpoint_that_trickles_is_given_up_in_time() -> None:
    async with trickling() as url:
        model = EndpointModel(base_url=url, model="m", dimension=384, question_prefix="", passage_prefix="")
        slow = EndpointEmbedder(model, api_key=None, batch=2, seconds=0.2)

        with pytest.raises(UnavailableError):
            await asyncio.wait_for(asyncio.to_thread(slow.questions, ["运费"]), timeout=60)
    await asyncio.to_thread(slow.close)


def test_an_endpoint_in_trouble_is_left_alone_for_a_while(endpoint: Scripted) -> None:
    endpoint.answers = [(503, {})]
    embedder = _embedder(endpoint)

    for _ in range(10):
        with pytest.raises(UnavailableError):
            embedder.questions(["甲"])

    assert len(endpoint.asked) == 3
    embedder.close()


def test_an_answer_without_end_is_cut_off(endpoint: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings_endpoint, "_SLACK_BYTES", 0)
    endpoint.answers = [(200, {"data": [], "padding": "x" * 100_000})]

    with pytest.raises(UnavailableError):
        _embedder(endpoint).questions(["甲"])


async def test_closing_the_pool_does_not_hold_up_the_event_loop(endpoint: Scripted) -> None:
    endpoint.answers = [_answer(0)]
    endpoint.go.clear()
    pool = EmbeddingPool(WordEmbedder(), queue=4, second=_embedder(endpoint, seconds=20), second_seconds=0.1)
    await pool.read("运费", with_second=True)

    closing = asyncio.create_task(pool.aclose())
    await asyncio.sleep(0)
    went_on = not closing.done()
    endpoint.go.set()
    await asyncio.wait_for(closing, timeout=60)

    assert went_on


async def test_a_question_does_without_an_endpoint_that_is_too_slow(endpoint: Scripted) -> None:
    endpoint.answers = [_answer(0)]
    endpoint.go.clear()
    pool = EmbeddingPool(WordEmbedder(), queue=4, second=_embedder(endpoint, seconds=0.05))

    read = await pool.read("运费", with_second=True)

    assert (read.second, read.terms) == (None, ("运", "费", "运费"))
    pool.close()


async def test_questions_do_not_wait_behind_each_other_for_a_slow_endpoint(endpoint: Scripted) -> None:
    endpoint.answers = [_answer(0)]
    endpoint.go.clear()
    pool = EmbeddingPool(WordEmbedder(), queue=99, second=_embedder(endpoint, seconds=20), second_seconds=0.1)

    reads = await asyncio.wait_for(
        asyncio.gather(*(pool.read("运费", with_second=True) for _ in range(40))), timeout=60
    )

    assert {each.second for each in reads} == {None}
    endpoint.go.set()
    pool.close()


async def test_a_question_is_read_by_both_arms_when_asked(endpoint: Scripted) -> None:
    endpoint.answers = [_answer(0)]
    pool = EmbeddingPool(WordEmbedder(), queue=4, second=_embedder(endpoint))

    both, one = await pool.read("运费", with_second=True), await pool.read("运费")

    assert both.second is not None
    assert one.second is None
    pool.close()


def test_identities_of_other_prefixes_differ() -> None:
    plain = EndpointModel(base_url="http://a/", model="m", dimension=384, question_prefix="", passage_prefix="")
    prefixed = EndpointModel(base_url="http://b/", model="m", dimension=384, question_prefix="q", passage_prefix="")

    assert plain.identity != prefixed.identity


def test_e5_reads_questions_and_passages_differently() -> None:
    e5 = E5Embedder()
    passages = e5.passages(["七日内可以退货。", "发票在开票后三个工作日内寄出。", ""])
    question = e5.questions(["怎么退货？"])[0]

    cosines = [float(question @ each) for each in passages]
    assert [each.shape for each in passages] == [(384,)] * 3
    assert cosines[0] == max(cosines)
    assert e5.questions([]) == []


def _settings(tmp_path: Path, **flags: object) -> KnowledgeSettings:
    known: dict[str, object] = {"redis_url": "redis://x", "database_url": "postgresql://x"}
    return KnowledgeSettings.model_validate(known | {"keys_directory": tmp_path, "tenants_file": tmp_path} | flags)


def test_settings_choose_the_second_arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"embeddings_base_url": "http://x/v1/", "embeddings_model": "m"}

    assert open_second_arm(_settings(tmp_path, second_arm="off", **named), seconds=1) is None
    assert isinstance(open_second_arm(_settings(tmp_path, **named), seconds=1), EndpointEmbedder)
    assert isinstance(open_second_arm(_settings(tmp_path), seconds=1), E5Embedder) == is_e5_installed()

    monkeypatch.setattr(second_arm, "is_e5_installed", lambda: False)
    assert open_second_arm(_settings(tmp_path), seconds=1) is None
    with pytest.raises(SettingsError):
        open_second_arm(_settings(tmp_path, second_arm="e5"), seconds=1)


@pytest.mark.parametrize("flags", [{"second_arm": "endpoint"}, {"embeddings_base_url": "http://x/"}])
def test_half_an_endpoint_is_no_setting(tmp_path: Path, flags: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        _settings(tmp_path, **flags)
