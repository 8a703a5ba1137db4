"""What a service cannot follow is put aside where a person sees it at the terminal, and can be sent through again."""

from datetime import UTC, datetime

import pytest

from contracts.ids import uuid7
from contracts.messages import TICKET_CHANGED, Envelope
from runtime.queue import make_celery, publish
from tests.support.customer import Customer
from tests.support.system import System

pytestmark = pytest.mark.journey


async def test_news_that_bff_cannot_follow_are_listed_counted_and_sent_through_again(
    system: System, customer: Customer
) -> None:
    attempt = await customer.ask("能退吗，运费谁承担？")
    news = Envelope(
        id=str(uuid7()),
        source="ticketing",
        type=TICKET_CHANGED,
        subject="key",
        time=datetime.now(UTC),
        tenant="demo",
        attemptid=attempt.attempt_id,
        data={"tenant": "demo", "sequence": "not a number"},
    )
    with make_celery("ticketing", redis_url=system.state.environment["YOUJU_REDIS_URL"]) as celery:
        publish(celery, queue="bff", envelope=news)
    system.wait(lambda: bool(_listed(system)), "the message to be put aside")
    (first,) = _listed(system)

    said = system.command("parked", "replay", first).stdout
    system.wait(lambda: _listed(system) not in ([], [first]), "the message to be put aside again")

    counted = {line.split()[0]: line.split()[1] for line in system.command("queues").stdout.splitlines()}
    assert "on its way again" in said
    assert counted["PARKED_AT_BFF"] == "1"


def _listed(system: System) -> list[str]:
    lines = system.command("parked").stdout.splitlines()
    return [line.split()[0] for line in lines if line.endswith(f"{TICKET_CHANGED} to bff")]
