"""The browser's own EventSource reads an attempt with a stream token, and hears what every other reader hears."""

from typing import Final

import pytest
from playwright.async_api import Page

from contracts.customer import StreamToken
from tests.support.customer import new_customer, path_of
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
