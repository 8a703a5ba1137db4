"""The weights are loaded when the first text needs them, whichever thread brings it."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from knowledge.adapters import embedder
from knowledge.adapters.embedder import UseEmbedder


class CountedModel:
    """Counts what it is asked, in the place of the real weights."""

    def __init__(self, threads: int) -> None:
        del threads
        self.calls: list[list[str]] = []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.calls.append(texts)
        return np.ones((len(texts), 512), dtype=np.float32)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> list[CountedModel]:
    """Give every model that is made from here on."""
    made: list[CountedModel] = []

    def make(threads: int) -> CountedModel:
        made.append(CountedModel(threads))
        return made[-1]

    monkeypatch.setattr(embedder, "USE", make)
    monkeypatch.setattr(embedder, "shared_model", cache(embedder.shared_model.__wrapped__))
    return made


def test_nothing_is_loaded_before_the_first_text(models: list[CountedModel]) -> None:
    opened = UseEmbedder()

    assert opened.embed([]) == []
    assert models == []


def test_the_weights_are_loaded_once_whichever_thread_comes_first(models: list[CountedModel]) -> None:
    opened, another = UseEmbedder(), UseEmbedder()
    another.load()

    with ThreadPoolExecutor(4) as threads:
        vectors = list(threads.map(opened.embed, [["茶壶"]] * 8))

    assert [len(each) for each in vectors] == [1] * 8
    assert [each.calls for each in models] == [[["."], *([["茶壶"]] * 8)]]
