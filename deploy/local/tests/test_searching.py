"""A search in the terminal shows scores and fates side by side."""

import json
from collections.abc import Callable

import httpx
import pytest

from youju.searching import arm_lines, open_search, search_table

pytestmark = pytest.mark.unit

_SCORES = {"bm25": 3.0, "bm25Share": 0.5, "cosine": 0.4, "bestSentence": 0.6, "second": None, "fused": 3.25,
           "strength": 2.0}  # fmt: skip
_PASSAGE: dict[str, object] = {"rank": 1, "document": "fee", "section": "A > B", "text": "运费由\n商家承担。", "scores": _SCORES,
            "fates": ["other_audience", "withdrawn"]}  # fmt: skip
_BODY: dict[str, object] = {
    "version": 3,
    "asOf": "2026-07-15",
    "terms": {"运费": 1.5},
    "arms": [
        {"name": "words", "builtWith": "a-1", "isUsed": True, "candidates": [{"passageId": "x", "score": 1.0}]},
        {"name": "first", "builtWith": "old", "isUsed": False, "candidates": []},
        {"name": "second", "builtWith": None, "isUsed": False, "candidates": []},
    ],
    "passages": [_PASSAGE, _PASSAGE | {"rank": 2}],
}


def _client(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.Client:
    return httpx.Client(base_url="http://knowledge", transport=httpx.MockTransport(answer))


def test_only_what_was_given_is_asked_and_the_table_shows_all_of_it() -> None:
    asked: list[dict[str, object]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content))
        return httpx.Response(200, json=_BODY)

    with _client(answer) as client:
        opened = open_search(client, "运费", version=None, as_of=None, segments=["vip"])
        open_search(client, "运费", version=3, as_of=opened.as_of, segments=[])

    assert asked == [
        {"question": "运费", "segments": ["vip"]},
        {"question": "运费", "segments": [], "version": 3, "asOf": "2026-07-15"},
    ]
    head, line = search_table(opened, limit=1)
    assert len(head) == len(line)
    assert line == (
        "1", "3.25", "2.00", "0.50", "0.40", "0.60", "-", "other_audience, withdrawn", "fee", "运费由 商家承担。",
    )  # fmt: skip
    assert arm_lines(opened) == [
        "words: a-1, 1 candidates",
        "first: old, left out because something else runs here; import again to use it",
    ]
