"""What waits is shown in lines that a person can read, whichever service put it aside, and one command helps it on."""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest
from typer.testing import CliRunner

from youju.commands import tickets
from youju.home import Home
from youju.main import app

pytestmark = pytest.mark.unit

Staff = Callable[[Mapping[str, str], str], AbstractContextManager[httpx.Client]]


def _parked(parked_id: str, kind: str) -> dict[str, object]:
    return {
        "parkedId": parked_id, "messageId": "m", "type": kind, "attemptId": None, "reason": "POISON",
        "detail": "Its handling failed 3 times, at last with KeyError.", "parkedAt": "2026-03-01T09:30:00Z",
    }  # fmt: skip


class Services:
    """Both services with one parked message each; remembers what was sent through again."""

    def __init__(self) -> None:
        self.replayed: list[str] = []
        self.lists: dict[str, list[dict[str, object]]] = {
            "/v1/staff/parked": [_parked("msg_1", "youju.create_ticket.v1")],
            "/v1/staff/parked-news": [_parked("msg_2", "youju.ticket_changed.v1")],
        }

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path == "/v1/staff/queues":
            waiting = {"name": "RETRYING", "depth": 2, "oldestSeconds": 3_725.4}
            return httpx.Response(200, json={"items": [waiting, {"name": "PARKED", "depth": 1, "oldestSeconds": None}]})
        if path in self.lists:
            return httpx.Response(200, json={"items": self.lists[path], "nextCursor": None})
        place, _, rest = path.removesuffix("/replay").rpartition("/")
        found = [each for each in self.lists.get(place, []) if each["parkedId"] == rest]
        if not found:
            return httpx.Response(404, json={"detail": "There is nothing here, or nothing of yours."})
        self.replayed.append(path)
        return httpx.Response(200, json=found[0])

    def staff(self) -> Staff:
        """Give what opens a client to them."""

        @contextmanager
        def opened(_settings: Mapping[str, str], _tenant: str) -> Generator[httpx.Client]:
            with httpx.Client(transport=httpx.MockTransport(self.answer), base_url="http://staff") as client:
                yield client

        return opened


def _no_settings(_home: Home) -> dict[str, str]:
    return {}


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Services:
    served = Services()
    monkeypatch.setattr(tickets, "settings_of", _no_settings)
    for name in ("desk_staff", "customer_staff"):
        monkeypatch.setattr(tickets, name, served.staff())
    return served


def _said(*words: str) -> list[str]:
    run = CliRunner().invoke(app, list(words))
    assert run.exit_code == 0, run.output
    return run.output.splitlines()


def test_queues_show_depth_and_age_and_what_bff_put_aside(services: Services) -> None:
    assert services
    assert [line.split() for line in _said("queues")] == [
        ["RETRYING", "2", "1:02:05"],
        ["PARKED", "1", "–"],
        ["PARKED_AT_BFF", "1", "–"],
    ]


def test_parked_messages_of_both_services_are_listed_with_their_reason(services: Services) -> None:
    assert services
    lines = _said("parked")

    assert [line.split() for line in lines[::2]] == [
        ["msg_1", "2026-03-01", "09:30", "POISON", "youju.create_ticket.v1", "to", "ticketing"],
        ["msg_2", "2026-03-01", "09:30", "POISON", "youju.ticket_changed.v1", "to", "bff"],
    ]
    assert {line.strip() for line in lines[1::2]} == {"Its handling failed 3 times, at last with KeyError."}


@pytest.mark.parametrize(
    ("parked_id", "path"),
    [("msg_1", "/v1/staff/parked/msg_1/replay"), ("msg_2", "/v1/staff/parked-news/msg_2/replay")],
)
def test_a_message_is_sent_through_again_where_it_was_put_aside(services: Services, parked_id: str, path: str) -> None:
    assert _said("parked", "replay", parked_id) == ["  ✓ The message is on its way again."]
    assert services.replayed == [path]
