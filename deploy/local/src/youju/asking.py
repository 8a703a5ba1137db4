"""Ask a question over the customer API, and follow the answer's stream."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import date

import httpx
from httpx_sse import connect_sse

from contracts.customer import Attempt, Conversation, SessionToken
from contracts.stream import ATTEMPT_EVENT, AttemptEvent
from youju.http import checked, parsed, talking


@contextmanager
def guest(url: str, tenant: str) -> Generator[httpx.Client]:
    """Open a client that carries a guest's token. Errors: Trouble when bff refuses or does not answer."""
    with talking(url) as client:
        issued = parsed(client.post("/v1/sessions", json={"tenant": tenant, "channel": "web"}), SessionToken)
        client.headers["Authorization"] = f"Bearer {issued.token}"
        yield client


def question_body(question: str, *, language: str | None, as_of: date | None) -> dict[str, str]:
    """Return the body of an ask; what is left out is left to bff."""
    body = {"question": question}
    if language is not None:
        body["language"] = language
    if as_of is not None:
        body["asOf"] = as_of.isoformat()
    return body


def ask(client: httpx.Client, body: dict[str, str]) -> Attempt:
    """Ask in a conversation of its own and wait for the result. Errors: Trouble when the attempt fails."""
    return parsed(client.post(_attempts(client), json=body), Attempt)


def ask_streaming(client: httpx.Client, body: dict[str, str]) -> Iterator[AttemptEvent]:
    """Ask in a conversation of its own and give every event as it arrives. Errors: Trouble when bff refuses."""
    with connect_sse(client, "POST", _attempts(client), json=body) as source:
        checked(source.response)
        for event in source.iter_sse():
            yield ATTEMPT_EVENT.validate_python({**event.json(), "event": event.event})


def _attempts(client: httpx.Client) -> str:
    opened = parsed(client.post("/v1/conversations"), Conversation)
    return f"/v1/conversations/{opened.conversation_id}/attempts"
