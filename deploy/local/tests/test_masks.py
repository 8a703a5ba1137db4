"""Masks are read to the last page, and a value is allowed by its hash."""

import httpx
import pytest

from youju.masks import allow_value, end_allowance, list_masks
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_HASHES = ("a" * 64, "b" * 64)


def _mask(value_hash: str) -> dict[str, object]:
    return {
        "slug": "contact", "label": "1", "kind": "phone", "start": 3, "end": 10, "hash": value_hash, "allowed": False,
        "context": "电话 [phone]。",
    }  # fmt: skip


def _answer(request: httpx.Request) -> httpx.Response:
    match (request.method, request.url.path.removeprefix("/v1/staff/")):
        case ("GET", "versions/3/masks"):
            at = int(request.url.params.get("cursor", "0"))
            following = str(at + 1) if at + 1 < len(_HASHES) else None
            return httpx.Response(200, json={"items": [_mask(_HASHES[at])], "nextCursor": following})
        case ("PUT", path) if path == f"mask-allowances/{_HASHES[0]}":
            return httpx.Response(200, json={})
        case ("DELETE", path) if path == f"mask-allowances/{_HASHES[0]}":
            return httpx.Response(204)
        case _:
            return httpx.Response(400, json={"detail": "value_hash: not a hash.", "errors": []})


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def client(asked: list[str]) -> httpx.Client:
    def note_and_answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        return _answer(request)

    return httpx.Client(transport=httpx.MockTransport(note_and_answer), base_url="http://knowledge")


def test_every_page_of_masks_is_read(client: httpx.Client) -> None:
    assert [each.hash for each in list_masks(client, 3)] == list(_HASHES)


def test_a_value_is_allowed_and_forbidden_by_its_hash(client: httpx.Client, asked: list[str]) -> None:
    allow_value(client, _HASHES[0])
    end_allowance(client, _HASHES[0])

    place = f"/v1/staff/mask-allowances/{_HASHES[0]}"
    assert asked == [f"PUT {place}", f"DELETE {place}"]


def test_what_is_no_hash_is_told(client: httpx.Client) -> None:
    with pytest.raises(Trouble, match="not a hash"):
        allow_value(client, "15800002605")
