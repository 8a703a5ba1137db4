"""A customer of the served bff."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
from httpx_sse import EventSource, ServerSentEvent

from contracts.customer import Attempt, Escalation, SessionToken
from contracts.ids import uuid7
from runtime.http import trust

STREAM = {"Accept": "text/event-stream"}
KEY = "Idempotency-Key"


class Customer:
    """One guest with one token."""

    def __init__(self, http: httpx.AsyncClient, tenant: str) -> None:
        self.http = http
        self.tenant = tenant

    async def open_conversation(self) -> str:
        answer = await self.http.post("/v1/conversations")
        assert answer.status_code == 201, answer.text
        return answer.json()["conversationId"]

    async def post_ask(self, question: str, *, conversation: str, key: str | None = None) -> httpx.Response:
        headers = {} if key is None else {KEY: key}
        path = f"/v1/conversations/{conversation}/attempts"
        return await self.http.post(path, json={"question": question}, headers=headers)

    async def ask(self, question: str = "answer", *, conversation: str | None = None) -> Attempt:
        conversation = conversation or await self.open_conversation()
        answer = await self.post_ask(question, conversation=conversation)
        assert answer.status_code in (200, 202), answer.text
        return Attempt.model_validate_json(answer.content)

    async def listen(self, question: str, *, conversation: str | None = None) -> list[ServerSentEvent]:
        conversation = conversation or await self.open_conversation()
        async with self.stream("POST", f"/v1/conversations/{conversation}/attempts", question=question) as events:
            return [event async for event in events]

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        question: str | None = None,
        last: str | None = None,
        key: str | None = None,
    ) -> AsyncGenerator[AsyncIterator[ServerSentEvent]]:
        headers = STREAM | ({} if last is None else {"Last-Event-ID": last}) | ({} if key is None else {KEY: key})
        body = None if question is None else {"question": question}
        async with self.http.stream(method, path, json=body, headers=headers) as response:
            if response.status_code != 200:
                await response.aread()
            response.raise_for_status()
            yield EventSource(response).aiter_sse()

    async def reattach(self, attempt: Attempt, *, last: str | None = None) -> list[ServerSentEvent]:
        async with self.stream("GET", f"{path_of(attempt)}/events", last=last) as events:
            return [event async for event in events]

    async def read(self, attempt: Attempt) -> Attempt:
        answer = await self.http.get(path_of(attempt))
        return Attempt.model_validate_json(answer.raise_for_status().content)

    async def attempts(self, conversation: str) -> list[Attempt]:
        answer = await self.http.get(f"/v1/conversations/{conversation}")
        return [Attempt.model_validate(each) for each in answer.raise_for_status().json()["attempts"]]

    async def post_escalation(self, attempt: Attempt, *, key: str | None = None) -> httpx.Response:
        headers = {KEY: key or uuid7().hex}
        return await self.http.post(f"{path_of(attempt)}/escalations", json={}, headers=headers)

    async def escalate(self, attempt: Attempt) -> Escalation:
        answer = await self.post_escalation(attempt)
        return Escalation.model_validate_json(answer.raise_for_status().content)


@asynccontextmanager
async def open_customer(bff_url: str, tenant: str) -> AsyncGenerator[Customer]:
    """Open a guest session and give the customer who has it."""
    async with httpx.AsyncClient(base_url=bff_url, timeout=60, trust_env=False, verify=trust()) as http:
        answer = await http.post("/v1/sessions", json={"tenant": tenant})
        assert answer.status_code == 201, answer.text
        http.headers["Authorization"] = f"Bearer {SessionToken.model_validate_json(answer.content).token}"
        yield Customer(http, tenant)


async def insist(call: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Call until an overloaded server takes the request, as every client should."""
    while (answer := await call()).status_code == 503:
        pass
    return answer


def path_of(attempt: Attempt) -> str:
    return f"/v1/conversations/{attempt.conversation_id}/attempts/{attempt.attempt_id}"


def logged(events: list[ServerSentEvent]) -> list[tuple[str, str, str]]:
    return [(event.id, event.event, event.data) for event in events if event.event != "heartbeat"]


def names(events: list[ServerSentEvent]) -> list[str]:
    return [event.event for event in events if event.event != "heartbeat"]
