"""The scripted bff speaks the contract, and the Python client comes through everything it does."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from clients.conformance.scripted_bff import BEHAVIOURS, TRANSCRIPTS, scripted_bff
from contracts.stream import grammar_fault
from tests.support.allow_list import Recorder, leaks
from youju_client import YoujuClient, open_guest
from youju_client.bodies import Feedback
from youju_client.client import asking
from youju_client.events import KINDS, CompletedEvent, Event, HeartbeatEvent, SessionEvent

pytestmark = pytest.mark.unit

NAMES = sorted(file.stem for file in TRANSCRIPTS.glob("*.sse"))


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Leave the signals to pytest."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = _Server(uvicorn.Config(scripted_bff(), port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=asyncio.run, args=(server.serve(),), daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def client(url: str) -> Iterator[YoujuClient]:
    with open_guest(url, "demo", wait=lambda _: None) as opened:
        yield opened


def heard(client: YoujuClient, question: str) -> list[Event]:
    return list(client.ask_streaming(client.open_conversation().conversation_id, asking(question)))


def names(events: list[Event]) -> list[str]:
    by_kind = {kind: name for name, kind in KINDS.items()}
    return [by_kind[type(event)] for event in events]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("name", NAMES)
def test_every_outcome_is_heard_once_whatever_happens(client: YoujuClient, name: str, behaviour: str) -> None:
    events = heard(client, f"{name} + {behaviour}" if behaviour else name)

    plain = [event for event in events if not isinstance(event, HeartbeatEvent)]
    recorded = (TRANSCRIPTS / f"{name}.sse").read_text(encoding="utf-8").count("\nevent: ")
    assert grammar_fault(names(events), closed=True) is None
    assert len(plain) == recorded
    assert (len(events) > len(plain)) == (behaviour == "heartbeats")
    session, closing = events[0], events[-1]
    assert isinstance(session, SessionEvent)
    attempt = client.read_attempt(session.conversation_id, session.attempt_id)
    assert (attempt.status == "COMPLETED") == isinstance(closing, CompletedEvent)


def test_what_follows_an_answer_is_there(client: YoujuClient) -> None:
    conversation = client.open_conversation().conversation_id
    attempt = client.ask(conversation, asking("answer"))

    passage = client.read_passage(attempt.citations[0])
    client.judge(attempt, Feedback(rating="HELPFUL"))
    wish = client.escalate(attempt)
    again = client.retry(attempt)

    assert passage.passage[passage.quote_start : passage.quote_end] == passage.quote
    assert client.read_feedback(attempt).rating == "HELPFUL"
    assert client.read_escalation(conversation, wish.escalation_id) == wish
    assert again.retry_of_attempt_id == attempt.attempt_id


async def test_it_says_only_what_the_contract_names(url: str) -> None:
    recorder = Recorder()
    async with httpx.AsyncClient(base_url=url, transport=recorder, trust_env=False) as http:
        await http.post("/v1/sessions", json={"tenant": "demo"})
        for name in NAMES:
            conversation = (await http.post("/v1/conversations")).json()["conversationId"]
            path = f"/v1/conversations/{conversation}/attempts"
            await http.post(path, json={"question": name})
            await http.post(path, json={"question": name}, headers={"Accept": "text/event-stream"})
            await http.get(f"/v1/conversations/{conversation}")

    assert [leak for taken in recorder.taken for leak in leaks(taken)] == []


def test_each_behaviour_is_on_the_page_for_integrators() -> None:
    page = (Path(__file__).parents[2] / "docs" / "integrating.md").read_text(encoding="utf-8")

    assert [name for name in (*NAMES, *BEHAVIOURS) if name and f"`{name}`" not in page] == []
