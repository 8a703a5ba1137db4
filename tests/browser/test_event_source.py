"""The browser's own EventSource reads an attempt with a stream token, and hears what every other reader hears."""

import asyncio
from typing import Final

import pytest
from playwright.async_api import Page

from contracts.customer import Attempt, Conversation, StreamToken
from tests.support.customer import Customer, new_customer, path_of
from tests.support.system import System

pytestmark = pytest.mark.browser

QUESTION: Final = "能退吗，运费谁承担？"
# An EventSource attaches again after every end; the answer to that, 204, is what closes it.
LISTEN: Final = """
address => new Promise((done) => {
  const heard = []
  const source = new EventSource(address)
  for (const name of ["session", "metadata", "delta", "citation", "completed"])
    source.addEventListener(name, (event) => heard.push([event.lastEventId, name, event.data]))
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) done(heard)
  })
})
"""


async def test_an_event_source_hears_every_event_once_and_comes_to_rest(page: Page, system: System) -> None:
    async with new_customer(system.bff) as customer:
        attempt = await customer.ask(QUESTION)
        answer = await customer.http.post(f"{path_of(attempt)}/stream-token")
        token = StreamToken.model_validate_json(answer.raise_for_status().content).token
        whole = await customer.reattach(attempt)
    await page.goto(system.bff)

    heard = await page.evaluate(LISTEN, f"{path_of(attempt)}/events?streamToken={token}")

    assert [tuple(each) for each in heard] == whole.logged
    assert whole.names[-1] == "completed"


async def test_an_event_source_hears_an_answer_while_it_is_made(page: Page, system: System) -> None:
    await page.goto(system.bff)
    async with new_customer(system.bff) as customer:
        conversation = await customer.open_conversation()
        # Knowledge stands still until the browser listens.
        system.freeze("knowledge")
        try:
            asking = asyncio.create_task(customer.ask(QUESTION, conversation=conversation))
            attempt = await pending_attempt(customer, conversation)
            answer = await customer.http.post(f"{path_of(attempt)}/stream-token")
            token = StreamToken.model_validate_json(answer.raise_for_status().content).token
            address = f"{path_of(attempt)}/events?streamToken={token}"
            async with page.expect_request(lambda request: "streamToken" in request.url):
                listening = asyncio.create_task(page.evaluate(LISTEN, address))
        finally:
            system.thaw("knowledge")
        heard = await listening
        await asking
        whole = await customer.reattach(attempt)

    assert [tuple(each) for each in heard] == whole.logged
    assert whole.names[-1] == "completed"


async def pending_attempt(customer: Customer, conversation: str) -> Attempt:
    async with asyncio.timeout(60):
        while True:
            found = await customer.http.get(f"/v1/conversations/{conversation}")
            if attempts := Conversation.model_validate_json(found.raise_for_status().content).attempts:
                return attempts[0]
