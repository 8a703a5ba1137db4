"""The ledger is read to the last page, and what waits is moved by its id."""

import json

import httpx
import pytest

from youju.ticket_ledger import attach, list_ledger, list_parked, measure_queues, read_ledger, replay, requeue
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_IDS = ("tic_1", "tic_2")


def _ticket(ticket_id: str, **other: object) -> dict[str, object]:
    return {
        "ticketId": ticket_id, "ticketKey": f"demo:{ticket_id}", "state": "NEEDS_ATTENTION", "isOpen": True,
        "helpdesk": "acme", "ticketNumber": None, "status": "DELAYED", "receivedAt": "2026-03-01T09:30:00Z", **other,
    }  # fmt: skip


def _answer(request: httpx.Request) -> httpx.Response:
    path = request.url.path.removeprefix("/v1/staff/")
    body = _read(path, request.url.params) if request.method == "GET" else _moved(path, request.content)
    if body is None:
        return httpx.Response(404, json={"detail": "There is nothing here, or nothing of yours."})
    return httpx.Response(200, json=body)


def _read(path: str, query: httpx.QueryParams) -> dict[str, object] | None:
    tried = {"helpdesk": "acme", "step": "create", "startedAt": "2026-03-01T09:30:00Z", "outcome": None}
    at = int(query.get("cursor", "0"))
    found: dict[str, dict[str, object]] = {
        "queues": {"items": [{"name": "PARKED", "depth": 2, "oldestSeconds": 61.5}]},
        "ledger": {
            "items": [_ticket(_IDS[at], state=query.get("state"))],
            "nextCursor": str(at + 1) if at + 1 < len(_IDS) else None,
        },
        "ledger/tic_1": {"ticket": _ticket("tic_1"), "tries": [{**tried, "latencyMs": None, "detail": None}]},
        "parked": {"items": [_parked()], "nextCursor": None},
    }
    return found.get(path)


def _moved(path: str, content: bytes) -> dict[str, object] | None:
    body: dict[str, object] = json.loads(content or b"{}")
    moved = {
        "ledger/tic_1/requeue": _ticket("tic_1", isOpen=not body.get("isSurelyAbsent")),
        "ledger/tic_1/attach": _ticket("tic_1", ticketNumber=body.get("number")),
        "parked/msg_1/replay": _parked(),
    }
    return moved.get(path)


def _parked() -> dict[str, object]:
    return {"parkedId": "msg_1", "type": "t", "reason": "POISON", "detail": "d", "parkedAt": "2026-03-01T09:30:00Z"}


@pytest.fixture
def client() -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(_answer), base_url="http://ticketing")


def test_queues_are_read(client: httpx.Client) -> None:
    assert [(queue.name, queue.depth, queue.oldest_seconds) for queue in measure_queues(client)] == [
        ("PARKED", 2, 61.5)
    ]


def test_every_page_of_the_ledger_is_read(client: httpx.Client) -> None:
    assert [each.ticket_id for each in list_ledger(client, "NEEDS_ATTENTION")] == list(_IDS)


def test_a_try_that_was_cut_off_has_no_outcome(client: httpx.Client) -> None:
    assert [each.outcome for each in read_ledger(client, "tic_1").tries] == [None]


def test_a_ticket_is_requeued_with_what_a_person_saw(client: httpx.Client) -> None:
    assert [requeue(client, "tic_1", is_surely_absent=absent).is_open for absent in (True, False)] == [False, True]


def test_a_ticket_opened_by_hand_is_attached(client: httpx.Client) -> None:
    assert attach(client, "tic_1", external_id="88", number="#88").ticket_number == "#88"


def test_parked_messages_are_listed_and_replayed(client: httpx.Client) -> None:
    assert [replay(client, each.parked_id).reason for each in list_parked(client)] == ["POISON"]


def test_an_unknown_ticket_is_told(client: httpx.Client) -> None:
    with pytest.raises(Trouble, match="nothing of yours"):
        read_ledger(client, "tic_9")
