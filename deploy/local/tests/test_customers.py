"""What is held about customers is read to the last page, and exported as the service gives it."""

import json

import httpx
import pytest

from youju.customers import erase, export, export_judgements, list_judgements
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


def _answer(request: httpx.Request) -> httpx.Response:
    path, query = request.url.path, request.url.params
    match request.method, path.removeprefix("/v1/staff/"):
        case "GET", "customers/export":
            assert query["customer"] == "auth0|1/2"
            following = None if "cursor" in query else "next"
            return httpx.Response(200, json={"items": [{"at": query.get("cursor")}], "nextCursor": following})
        case "POST", "customers/erasures":
            assert json.loads(request.content) == {"customer": "auth0|1/2"}
            return httpx.Response(200, json={"conversations": 2, "attempts": 5})
        case "GET", "feedback":
            assert (query["document"], query["limit"]) == ("returns", "100")
            return httpx.Response(200, json={"items": [], "nextCursor": None})
        case "GET", "feedback/export" if query["format"] == "csv":
            return httpx.Response(200, content=b'"comment"\r\n')
        case _:
            return httpx.Response(403, json={"detail": "This needs the role operator."})


@pytest.fixture
def client() -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(_answer), base_url="http://bff")


def test_every_page_of_a_customer_is_exported(client: httpx.Client) -> None:
    assert list(export(client, "auth0|1/2")) == [{"at": None}, {"at": "next"}]


def test_an_erasure_says_what_is_gone(client: httpx.Client) -> None:
    erased = erase(client, "auth0|1/2")

    assert (erased.conversations, erased.attempts) == (2, 5)


def test_judgements_are_listed_and_exported_as_wanted(client: httpx.Client) -> None:
    assert list(list_judgements(client, {"document": "returns"})) == []
    assert b"".join(export_judgements(client, {}, "csv")) == b'"comment"\r\n'


def test_a_refusal_is_said(client: httpx.Client) -> None:
    with pytest.raises(Trouble, match="operator"):
        list(export_judgements(client, {}, "jsonl"))
