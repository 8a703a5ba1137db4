"""One method a call. What can be repeated is repeated: a POST with the key of its wish, after a lost answer or a full server."""

import secrets
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Final, TypeVar

import httpx

from youju_client.bodies import (
    Attempt,
    Body,
    CitationView,
    CitedPassage,
    Conversation,
    Escalation,
    Feedback,
    SessionToken,
)
from youju_client.errors import ConnectionLostError, ProblemError, problem_of
from youju_client.events import Event
from youju_client.patience import MOST_TRIES, pause_seconds
from youju_client.streams import Opening, follow

# An answer as JSON may take the attempt's thirty seconds, and a repeat waits as long again.
TIMEOUT_SECONDS: Final = 70.0
_STREAM: Final = {"Accept": "text/event-stream"}

BodyT = TypeVar("BodyT", bound=Body)


class YoujuClient:
    """A customer's client. Every method raises ProblemError when the answer is no, ConnectionLostError when none comes."""

    def __init__(self, http: httpx.Client, *, wait: Callable[[float], None] = time.sleep) -> None:
        """Speak through an httpx client that has the base address and the token; `wait` pauses between tries."""
        self.http = http
        self._wait = wait

    def open_conversation(self) -> Conversation:
        """Open a conversation."""
        return self._read(Conversation, "POST", "/v1/conversations", key=new_key())

    def read_conversation(self, conversation_id: str) -> Conversation:
        """Read a conversation with all its attempts."""
        return self._read(Conversation, "GET", f"/v1/conversations/{conversation_id}")

    def erase_conversation(self, conversation_id: str) -> None:
        """Erase a conversation with all that was said in it."""
        self._send("DELETE", f"/v1/conversations/{conversation_id}")

    def ask(self, conversation_id: str, question: Mapping[str, object], *, key: str | None = None) -> Attempt:
        """Ask and wait for the end; `question` is a body of `asking`. A failed attempt is a ProblemError."""
        path = f"/v1/conversations/{conversation_id}/attempts"
        return self._read(Attempt, "POST", path, body=question, key=key or new_key())

    def ask_streaming(
        self, conversation_id: str, question: Mapping[str, object], *, key: str | None = None
    ) -> Iterator[Event]:
        """Ask and give every event once as it arrives, over as many connections as it takes."""
        path = f"/v1/conversations/{conversation_id}/attempts"
        return self._stream(path, body=question, key=key)

    def retry(self, attempt: Attempt, *, key: str | None = None) -> Attempt:
        """Answer the question again as a new attempt, and wait for its end."""
        return self._read(Attempt, "POST", f"{path_of(attempt)}/retry", key=key or new_key())

    def retry_streaming(self, attempt: Attempt, *, key: str | None = None) -> Iterator[Event]:
        """Answer again, and give every event as with `ask_streaming`."""
        return self._stream(f"{path_of(attempt)}/retry", key=key)

    def follow(self, attempt: Attempt, *, after: str = "") -> Iterator[Event]:
        """Give the events of an attempt from the first, or from the one after the given id."""
        headers = _STREAM | ({"Last-Event-ID": after} if after else {})
        return follow(self.http, Opening(method="GET", path=f"{path_of(attempt)}/events", headers=headers), self._wait)

    def read_attempt(self, conversation_id: str, attempt_id: str) -> Attempt:
        """Read where an attempt stands."""
        return self._read(Attempt, "GET", f"/v1/conversations/{conversation_id}/attempts/{attempt_id}")

    def cancel(self, attempt: Attempt) -> Attempt:
        """Stop an attempt that runs; one that has ended stays as it is."""
        return self._read(Attempt, "POST", f"{path_of(attempt)}/cancel", key=new_key())

    def judge(self, attempt: Attempt, feedback: Feedback) -> Feedback:
        """Judge a completed attempt, or correct the judgement."""
        said = feedback.model_dump(mode="json", exclude_none=True)
        return self._read(Feedback, "PUT", f"{path_of(attempt)}/feedback", body=said)

    def read_feedback(self, attempt: Attempt) -> Feedback:
        """Read the judgement back."""
        return self._read(Feedback, "GET", f"{path_of(attempt)}/feedback")

    def read_passage(self, citation: CitationView) -> CitedPassage:
        """Read the whole passage of a citation."""
        return self._read(CitedPassage, "GET", citation.detail_url)

    def escalate(self, attempt: Attempt, *, note: str | None = None, key: str | None = None) -> Escalation:
        """Ask for a person; the open wish of the conversation is given when there is one."""
        body = {} if note is None else {"note": note}
        return self._read(Escalation, "POST", f"{path_of(attempt)}/escalations", body=body, key=key or new_key())

    def read_escalation(self, conversation_id: str, escalation_id: str) -> Escalation:
        """Read where the wish for a person stands."""
        return self._read(Escalation, "GET", f"/v1/conversations/{conversation_id}/escalations/{escalation_id}")

    def _stream(self, path: str, *, body: Mapping[str, object] | None = None, key: str | None) -> Iterator[Event]:
        headers = _STREAM | {"Idempotency-Key": key or new_key()}
        opening = Opening(method="POST", path=path, headers=headers, body=None if body is None else dict(body))
        return follow(self.http, opening, self._wait)

    def _read(
        self,
        kind: type[BodyT],
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        key: str | None = None,
    ) -> BodyT:
        return kind.model_validate_json(self._send(method, path, body=body, key=key).content)

    def _send(
        self, method: str, path: str, *, body: Mapping[str, object] | None = None, key: str | None = None
    ) -> httpx.Response:
        headers = {"Accept": "application/json"} | ({} if key is None else {"Idempotency-Key": key})
        lost: Exception | None = None
        for failures in range(1, MOST_TRIES + 1):
            wish = None
            try:
                response = self.http.request(method, path, json=body, headers=headers)
                if response.is_success:
                    return response
                raise problem_of(response)
            except httpx.TransportError as broken:
                lost = broken
            except ProblemError as no:
                if not no.is_passing or failures == MOST_TRIES:
                    raise
                wish = no.retry_after_seconds
            if failures < MOST_TRIES:
                self._wait(pause_seconds(failures, wish))
        raise ConnectionLostError(f"Nothing came back: {lost or 'the connection broke'}.") from lost


def asking(
    question: str,
    *,
    language: str | None = None,
    as_of: date | None = None,
    facts: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """Write the body of a question; what is left out is left to the server."""
    body: dict[str, object] = {"question": question}
    if language is not None:
        body["language"] = language
    if as_of is not None:
        body["asOf"] = as_of.isoformat()
    if facts:
        body["facts"] = dict(facts)
    return body


def new_key() -> str:
    """Make a key that names one wish, so that repeating the call cannot double it."""
    return secrets.token_hex(16)


def path_of(attempt: Attempt) -> str:
    """Give the path of an attempt."""
    return f"/v1/conversations/{attempt.conversation_id}/attempts/{attempt.attempt_id}"


@contextmanager
def open_client(
    url: str, token: str, *, wait: Callable[[float], None] = time.sleep, transport: httpx.BaseTransport | None = None
) -> Generator[YoujuClient]:
    """Open a client with a customer's own token."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(
        base_url=url, headers=headers, timeout=TIMEOUT_SECONDS, trust_env=False, transport=transport
    ) as http:
        yield YoujuClient(http, wait=wait)


@contextmanager
def open_guest(
    url: str,
    tenant: str,
    *,
    channel: str = "web",
    wait: Callable[[float], None] = time.sleep,
    transport: httpx.BaseTransport | None = None,
) -> Generator[YoujuClient]:
    """Open a guest session of a tenant and give its client."""
    with open_client(url, "", wait=wait, transport=transport) as client:
        del client.http.headers["Authorization"]
        answer = client.http.post("/v1/sessions", json={"tenant": tenant, "channel": channel})
        if not answer.is_success:
            raise problem_of(answer)
        token = SessionToken.model_validate_json(answer.content).token
        client.http.headers["Authorization"] = f"Bearer {token}"
        yield client
