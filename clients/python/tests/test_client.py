"""What the client does when answers are lost, streams break or the server is full."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from youju_client import ConnectionLostError, ProblemError, YoujuClient, bodies, events
from youju_client.bodies import Body
from youju_client.client import asking
from youju_client.events import CompletedEvent, DeltaEvent, HeartbeatEvent, SessionEvent

pytestmark = pytest.mark.unit

CONTRACT: dict[str, Any] = yaml.safe_load(  # an OpenAPI document is JSON
    (Path(__file__).parents[3] / "openapi" / "customer-bff-v1.yaml").read_text(encoding="utf-8")
)["components"]["schemas"]

SESSION = 'id: 1\nevent: session\ndata: {"conversationId":"cnv_1","attemptId":"att_1","retryOfAttemptId":null}\n\n'
DELTA = 'id: 2\nevent: delta\ndata: {"kind":"statement","text":"a","citations":[],"newCitations":[],"more":1}\n\n'
HEARTBEAT = "event: heartbeat\ndata: {}\n\n"
COMPLETED = (
    'id: 3\nevent: completed\ndata: {"answer":"a","parts":[],"coverage":"full","refused":false,"refusalReason":null,'
    '"reasonCode":null,"missingFacts":[],"handoff":"none","suggestions":[]}\n\n'
)
CONVERSATION: dict[str, object] = {"conversationId": "cnv_1", "attempts": [], "escalation": None}


class Broken(httpx.SyncByteStream):
    """A body that breaks after what it says."""

    def __init__(self, said: str) -> None:
        self._said = said

    def __iter__(self) -> Iterator[bytes]:
        yield self._said.encode()
        raise httpx.ReadError("reset")


@dataclass
class Server:
    """Answers in the order it was told to, and remembers what was asked and how long the client waited."""

    answers: list[httpx.Response | Exception]
    asked: list[httpx.Request] = field(default_factory=list[httpx.Request])
    waits: list[float] = field(default_factory=list[float])

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self) -> YoujuClient:
        http = httpx.Client(base_url="http://bff.example", transport=httpx.MockTransport(self))
        return YoujuClient(http, wait=self.waits.append)


def streamed(text: str) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=text.encode())


def cut(text: str) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Broken(text))


def refused(status: int, code: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers=headers, json={"status": status, "code": code, "detail": "No."})


def ask_as_json(client: YoujuClient) -> None:
    client.ask("cnv_1", asking("问"))


def ask_as_stream(client: YoujuClient) -> None:
    list(client.ask_streaming("cnv_1", asking("问")))


def kinds(heard: Iterator[events.Event]) -> list[type]:
    return [type(event) for event in heard]


def test_a_broken_stream_goes_on_behind_the_last_event() -> None:
    server = Server([cut(SESSION + DELTA), streamed(DELTA + HEARTBEAT + COMPLETED)])

    heard = kinds(server.client().ask_streaming("cnv_1", asking("问")))

    assert heard == [SessionEvent, DeltaEvent, HeartbeatEvent, CompletedEvent]
    assert [(each.method, each.url.path) for each in server.asked] == [
        ("POST", "/v1/conversations/cnv_1/attempts"),
        ("GET", "/v1/conversations/cnv_1/attempts/att_1/events"),
    ]
    assert server.asked[1].headers["last-event-id"] == "2"
    assert "idempotency-key" not in server.asked[1].headers


def test_a_question_whose_answer_was_lost_is_asked_again_with_its_key() -> None:
    server = Server([httpx.ConnectError("no"), cut(""), streamed(SESSION + COMPLETED)])

    heard = kinds(server.client().ask_streaming("cnv_1", asking("问")))

    assert heard == [SessionEvent, CompletedEvent]
    assert len({each.headers["idempotency-key"] for each in server.asked}) == 1
    assert server.waits == [0.5, 1.0]


def test_a_stopping_server_says_how_soon_to_attach_again() -> None:
    server = Server([streamed(SESSION + "retry: 2000\n" + DELTA), streamed(COMPLETED)])

    assert kinds(server.client().ask_streaming("cnv_1", asking("问")))[-1] is CompletedEvent
    assert server.waits == [2.0]


def test_a_stream_that_never_closes_is_lost_after_six_tries() -> None:
    server = Server([streamed("") for _ in range(6)])

    with pytest.raises(ConnectionLostError):
        list(server.client().ask_streaming("cnv_1", asking("问")))
    assert len(server.asked) == 6


def test_unknown_events_are_passed_over() -> None:
    server = Server([streamed(SESSION + 'id: 2\nevent: applause\ndata: {"x":1}\n\n' + COMPLETED)])

    assert kinds(server.client().ask_streaming("cnv_1", asking("问"))) == [SessionEvent, CompletedEvent]


def test_a_full_server_is_asked_again_when_it_says() -> None:
    answers: list[httpx.Response | Exception] = [
        refused(429, "RATE_LIMITED", **{"Retry-After": "3"}),
        refused(503, "UNAVAILABLE"),
        httpx.Response(201, json=CONVERSATION),
    ]
    server = Server(answers)

    assert server.client().open_conversation().conversation_id == "cnv_1"
    assert server.waits == [3.0, 1.0]
    assert len({each.headers["idempotency-key"] for each in server.asked}) == 1


@pytest.mark.parametrize(
    "call",
    [ask_as_json, ask_as_stream],
)
@pytest.mark.parametrize(("status", "code"), [(409, "ATTEMPT_PENDING"), (503, "KNOWLEDGE_UNAVAILABLE"), (502, "X")])
def test_a_no_is_told_and_not_repeated(call: Callable[[YoujuClient], object], status: int, code: str) -> None:
    server = Server([refused(status, code)])

    with pytest.raises(ProblemError) as no:
        call(server.client())

    assert (no.value.problem.code, no.value.problem.status) == (code, status)
    assert len(server.asked) == 1


def test_an_answer_that_is_no_problem_document_is_a_problem_all_the_same() -> None:
    server = Server([httpx.Response(418, text="<html>")])

    with pytest.raises(ProblemError) as no:
        server.client().open_conversation()

    assert no.value.problem.code == "HTTP_418"


def test_the_bodies_have_the_fields_of_the_contract() -> None:
    ours: dict[str, type[Body]] = {
        name: kind
        for module in (bodies, events)
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, Body) and name in CONTRACT
    }

    for name, kind in ours.items():
        fields = {field.alias or key for key, field in kind.model_fields.items()}
        assert fields == set(CONTRACT[name]["properties"]) - {"event"}, name
    assert {"Attempt", "CompletedEvent", "Problem", "CitedPassage", "Escalation"} <= set(ours)
