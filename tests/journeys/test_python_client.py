"""The Python client against the running system: every call, a stream, and a stream that breaks on the way."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.system import System
from youju_client import ProblemError, YoujuClient, open_guest
from youju_client.bodies import Feedback
from youju_client.client import asking
from youju_client.events import CompletedEvent, DeltaEvent, SessionEvent

pytestmark = pytest.mark.journey

REFUND = asking("退款多久到账？", language="zh")


class Breaking(httpx.HTTPTransport):
    """A network that breaks the first stream after its first events."""

    def __init__(self) -> None:
        super().__init__(trust_env=False)
        self.asked: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        response = super().handle_request(request)
        if request.method == "POST" and request.headers["accept"] == "text/event-stream":
            assert isinstance(response.stream, httpx.SyncByteStream)
            response.stream = _Torn(response.stream)
        return response


class _Torn(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield next(iter(self._stream))
        raise httpx.ReadError("torn on purpose")

    def close(self) -> None:
        self._stream.close()


@pytest.fixture
def client(system: System) -> Iterator[YoujuClient]:
    with open_guest(system.bff, "demo") as opened:
        yield opened


def test_a_customer_s_whole_way(client: YoujuClient) -> None:
    conversation = client.open_conversation().conversation_id

    attempt = client.ask(conversation, REFUND)
    passage = client.read_passage(attempt.citations[0])
    client.judge(attempt, Feedback(rating="NOT_HELPFUL", reason_code="OUTDATED"))
    again = client.retry(attempt)
    wish = client.escalate(again, note="请回电")

    assert passage.passage[passage.quote_start : passage.quote_end] == attempt.citations[0].quote
    assert client.read_feedback(attempt).reason_code == "OUTDATED"
    assert again.retry_of_attempt_id == attempt.attempt_id
    assert client.cancel(again).status == "COMPLETED"
    assert client.read_escalation(conversation, wish.escalation_id).escalation_id == wish.escalation_id
    assert len(client.read_conversation(conversation).attempts) == 2
    client.erase_conversation(conversation)
    with pytest.raises(ProblemError) as gone:
        client.read_attempt(conversation, attempt.attempt_id)
    assert gone.value.problem.code == "NOT_FOUND"


def test_a_stream_that_breaks_tells_every_event_once(system: System) -> None:
    network = Breaking()
    with open_guest(system.bff, "demo", wait=lambda _: None, transport=network) as client:
        heard = list(client.ask_streaming(client.open_conversation().conversation_id, REFUND))

        session, completed = heard[0], heard[-1]
        assert isinstance(session, SessionEvent)
        assert isinstance(completed, CompletedEvent)
        attempt = client.read_attempt(session.conversation_id, session.attempt_id)
        whole = list(client.follow(attempt))

    assert "".join(event.text for event in heard if isinstance(event, DeltaEvent)) == attempt.answer
    assert heard == whole
    assert [each.method for each in network.asked if each.url.path.endswith(("attempts", "events"))][:2] == [
        "POST",
        "GET",
    ]


def test_the_same_key_is_the_same_attempt(client: YoujuClient) -> None:
    conversation = client.open_conversation().conversation_id

    first = client.ask(conversation, REFUND, key="one-wish")
    second = client.ask(conversation, REFUND, key="one-wish")

    assert first == second
