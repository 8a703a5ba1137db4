"""A customer who talks to bff over HTTP, the way a client team would."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse

from contracts.customer import Attempt, Conversation, Escalation, SessionToken
from contracts.ids import uuid7
from runtime.http import trust

TIMEOUT_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Heard:
    """What one reader of a stream heard."""

    events: tuple[ServerSentEvent, ...]

    @property
    def names(self) -> list[str]:
        """Give the event names in order."""
        return [event.event for event in self.events]

    @property
    def logged(self) -> list[tuple[str, str, str]]:
        """Give id, name and data of everything that is numbered: equal for every reader of the attempt."""
        return [(event.id, event.event, event.data) for event in self.events if event.event != "heartbeat"]


class Customer:
    """One customer with one token."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        """Speak through a client that carries the token."""
        self.http = client

    async def open_conversation(self) -> str:
        """Open a conversation and return its id."""
        answer = await self.http.post("/v1/conversations")
        return Conversation.model_validate_json(answer.raise_for_status().content).conversation_id

    async def ask(self, question: str, *, conversation: str | None = None, **body: object) -> Attempt:
        """Ask and wait for the result."""
        conversation = conversation or await self.open_conversation()
        answer = await self.http.post(f"/v1/conversations/{conversation}/attempts", json={"question": question, **body})
        return Attempt.model_validate_json(answer.raise_for_status().content)

    async def listen(self, question: str, *, conversation: str, headers: Mapping[str, str] | None = None) -> Heard:
        """Ask and listen to the whole stream."""
        path = f"/v1/conversations/{conversation}/attempts"
        events = self._events("POST", path, json={"question": question}, headers=dict(headers or {}))
        return Heard(tuple([event async for event in events]))

    async def reattach(self, attempt: Attempt, *, after: str | None = None) -> Heard:
        """Listen to an attempt again, after the given event id."""
        headers = {"Last-Event-ID": after} if after is not None else {}
        return Heard(
            tuple([event async for event in self._events("GET", f"{path_of(attempt)}/events", headers=headers)])
        )

    async def read(self, attempt: Attempt) -> Attempt:
        """Read an attempt's state."""
        answer = await self.http.get(path_of(attempt))
        return Attempt.model_validate_json(answer.raise_for_status().content)

    async def escalate(self, attempt: Attempt, *, key: str | None = None) -> Escalation:
        """Ask for a person."""
        headers = {"Idempotency-Key": key or uuid7().hex}
        answer = await self.http.post(f"{path_of(attempt)}/escalations", json={}, headers=headers)
        return Escalation.model_validate_json(answer.raise_for_status().content)

    async def escalation(self, attempt: Attempt, escalation: Escalation) -> Escalation:
        """Read where an escalation stands."""
        path = f"/v1/conversations/{attempt.conversation_id}/escalations/{escalation.escalation_id}"
        return Escalation.model_validate_json((await self.http.get(path)).raise_for_status().content)

    async def _events(self, method: str, path: str, **request: object) -> AsyncIterator[ServerSentEvent]:
        async with aconnect_sse(self.http, method, path, **request) as source:
            source.response.raise_for_status()
            async for event in source.aiter_sse():
                yield event


def path_of(attempt: Attempt) -> str:
    """Give the path of an attempt in the customer API."""
    return f"/v1/conversations/{attempt.conversation_id}/attempts/{attempt.attempt_id}"


@asynccontextmanager
async def new_customer(bff_url: str, tenant: str = "demo") -> AsyncGenerator[Customer]:
    """Open a guest session and give the customer who has it."""
    async with httpx.AsyncClient(base_url=bff_url, timeout=TIMEOUT_SECONDS, trust_env=False, verify=trust()) as client:
        answer = await client.post("/v1/sessions", json={"tenant": tenant, "channel": "web"})
        token = SessionToken.model_validate_json(answer.raise_for_status().content).token
        client.headers["Authorization"] = f"Bearer {token}"
        yield Customer(client)
