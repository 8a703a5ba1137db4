"""Versions and documents are read page by page and moved in knowledge's own words."""

import json
from collections.abc import Iterator, Mapping
from contextlib import nullcontext

import httpx
import pytest
from typer.testing import CliRunner

from youju import releasing
from youju.commands import releases
from youju.http import checked
from youju.main import app
from youju.releasing import (
    DocumentChange,
    attach_evaluation,
    compare_versions,
    current_version,
    has_published_version,
    newest_waiting,
    publish_version,
    published_before,
    restore_document,
    version_or_newest,
    wait_for_sentences,
    withdraw_document,
)
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


def _version(number: int, state: str, published: str | None = None) -> dict[str, object]:
    return {"number": number, "state": state, "publishedAt": published, "createdAt": "2026-07-01T00:00:00Z"}


_VERSIONS = [
    _version(6, "FAILED"),
    _version(5, "EVALUATED"),
    _version(4, "STAGED"),
    _version(3, "PUBLISHED", "2026-07-03T00:00:00Z"),
    _version(2, "RETIRED", "2026-07-01T00:00:00Z"),
    _version(1, "RETIRED", "2026-07-02T00:00:00Z"),
]
_CHANGES: list[dict[str, object]] = [{"slug": slug, "kind": "added", "revisions": []} for slug in ("a", "b", "c")]


def _page(listed: list[dict[str, object]], cursor: str | None) -> dict[str, object]:
    """Give pages of one each."""
    at = 0 if cursor is None else int(cursor)
    return {"items": listed[at : at + 1], "nextCursor": str(at + 1) if at + 1 < len(listed) else None}


class FakeKnowledge:
    """The staff API of versions, remembering what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.attached: dict[str, object] = {}
        self.gate: dict[str, object] = {
            "standing": "PASSED",
            "open": True,
            "sentences": ["Every threshold is reached."],
        }

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Serve one request, as a transport would."""
        path = request.url.path.removeprefix("/v1/staff/")
        cursor = request.url.params.get("cursor")
        known = {f"versions/{each['number']}": each for each in _VERSIONS} | {"versions/3/gate": self.gate}
        if request.method == "GET" and path == "versions":
            return httpx.Response(200, json=_page(_VERSIONS, cursor))
        if request.method == "GET" and path == "versions/2/differences":
            behind = [{"field": "routing_policy.mode", "before": None, "after": "whole"}] if cursor is None else []
            return httpx.Response(200, json={"behind": behind, **_page(_CHANGES, cursor)})
        if request.method == "GET" and path in known:
            return httpx.Response(200, json=known[path])
        if request.method == "PUT" and path == "versions/3/evaluation":
            self.attached = json.loads(request.content)
            return httpx.Response(200)
        if request.method == "POST" and not path.startswith("versions/9"):
            self.done.append(path)
            return httpx.Response(200, json={"answers": 3})
        return httpx.Response(404, json={"detail": "There is nothing here.", "errors": []})


@pytest.fixture
def knowledge() -> FakeKnowledge:
    return FakeKnowledge()


@pytest.fixture
def client(knowledge: FakeKnowledge) -> Iterator[httpx.Client]:
    transport = httpx.MockTransport(knowledge.answer)
    with httpx.Client(transport=transport, base_url="http://knowledge") as made:
        yield made


def test_the_newest_that_waits_is_the_highest_number(client: httpx.Client) -> None:
    assert newest_waiting(client) == 5


def test_the_version_to_look_at_is_the_newest_that_may_answer(client: httpx.Client) -> None:
    assert version_or_newest(client, None, tenant="t") == 5
    assert version_or_newest(client, 6, tenant="t") == 6


def test_the_current_version_is_found_on_a_later_page(client: httpx.Client) -> None:
    assert has_published_version(client)
    assert current_version(client) == 3


def test_the_version_before_is_the_one_that_was_published_last(client: httpx.Client) -> None:
    assert published_before(client) == 1


@pytest.mark.parametrize(
    ("number", "done"),
    [
        (4, ["versions/4/approve", "versions/4/publish"]),
        (5, ["versions/5/approve", "versions/5/publish"]),
        (2, ["versions/2/publish"]),
    ],
)
def test_publishing_approves_what_nobody_has(
    knowledge: FakeKnowledge, client: httpx.Client, number: int, done: list[str]
) -> None:
    publish_version(client, number)

    assert knowledge.done == done


def test_a_refusal_of_knowledge_is_shown_in_its_own_words(client: httpx.Client) -> None:
    with pytest.raises(Trouble, match="There is nothing here"):
        publish_version(client, 9)


def test_a_fault_that_is_the_whole_refusal_is_said_once() -> None:
    first, second = ({"field": f"body.{name}", "message": "is missing"} for name in ("one", "two"))
    told = httpx.Response(400, json={"detail": "body.one: is missing.", "errors": [first, second]})

    with pytest.raises(Trouble) as refused:
        checked(told)

    assert (str(refused.value), refused.value.details) == ("body.one: is missing.", ("body.two: is missing",))


def test_all_pages_of_a_difference_are_read(client: httpx.Client) -> None:
    assert [
        each.slug if isinstance(each, DocumentChange) else each.field for each in compare_versions(client, 1, 2)
    ] == ["routing_policy.mode", "a", "b", "c"]


def test_single_questions_stay_here_when_an_evaluation_is_attached(
    knowledge: FakeKnowledge, client: httpx.Client
) -> None:
    attach_evaluation(client, 3, {"total": {}, "missedBars": [], "groups": [], "questions": [{"question": "?"}]})

    assert knowledge.attached == {"total": {}, "missedBars": [], "groups": []}


@pytest.mark.parametrize("slug", ["returns", "basecamp/refund", "退货 政策", "what?#"])
def test_a_slug_arrives_as_it_was_typed(knowledge: FakeKnowledge, client: httpx.Client, slug: str) -> None:
    assert withdraw_document(client, slug) == 3
    restore_document(client, slug)

    assert knowledge.done == [f"documents/{slug}/withdraw", f"documents/{slug}/restore"]


def test_whoever_waits_for_sentences_sees_how_many_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releasing, "_POLL_SECONDS", 0.0)
    left = iter((7, 3, 0))
    seen: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/staff/versions/4"
        return httpx.Response(200, json=_version(4, "STAGED") | {"sentencesPending": next(left)})

    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://knowledge.test") as client:
        wait_for_sentences(client, 4, seen.append)

    assert seen == [7, 3]


@pytest.mark.parametrize(("standing", "is_told"), [("OUTDATED", True), ("PASSED", False)])
def test_who_goes_back_is_told_what_would_hold_up_the_next_start(
    knowledge: FakeKnowledge, client: httpx.Client, monkeypatch: pytest.MonkeyPatch, standing: str, *, is_told: bool
) -> None:
    changed = ["prompt"] * is_told
    told = ["It was measured otherwise."]
    knowledge.gate = {"standing": standing, "open": not is_told, "sentences": told, "settings": changed}

    def staff(settings: Mapping[str, str], tenant: str) -> nullcontext[httpx.Client]:
        del settings, tenant
        return nullcontext(client)

    monkeypatch.setattr(releases, "staff", staff)

    said = CliRunner().invoke(app, ["rollback", "3", "--tenant", "t"]).output

    assert "Version 3 answers again." in said
    assert ("It was measured otherwise." in said) is is_told
    assert ("youju eval --gate --tenant t --version 3" in said) is is_told
