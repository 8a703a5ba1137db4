"""What is counted stands beside what it is a part of, by channel and area."""

from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import text

from bff.adapters import measures
from bff.adapters.clients import Clients
from bff.adapters.lineages import Lineages
from services.bff.tests.client import Customer, path_of

pytestmark = pytest.mark.store

PLACE = {"channel": "web", "area": "aftersales"}
NOWHERE = {"channel": "web", "area": "none"}
Grown = Callable[[], float]


def growth(name: str, **labels: str) -> Grown:
    """Give a function that says by how much a counter has grown since now."""

    def value() -> float:
        return REGISTRY.get_sample_value(name, labels) or 0.0

    before = value()
    return lambda: value() - before


async def test_judged_attempts_are_counted_once_beside_those_that_could_be_judged(customer: Customer) -> None:
    eligible = growth("youju_feedback_eligible_total", **PLACE)
    given = [growth("youju_feedback_given_total", **PLACE, rating=rating) for rating in ("HELPFUL", "NOT_HELPFUL")]
    attempts = [await customer.ask("answer") for _ in range(3)]

    for rating, reason in (("HELPFUL", None), ("HELPFUL", None), ("NOT_HELPFUL", "OUTDATED")):
        body = {"rating": rating, "reasonCode": reason}
        (await customer.http.put(f"{path_of(attempts[0])}/feedback", json=body)).raise_for_status()

    assert (eligible(), [each() for each in given]) == (3, [1, 0])


async def test_escalations_are_counted_by_what_came_before(customer: Customer) -> None:
    could = growth("youju_escalation_eligible_total", **NOWHERE, after="refusal")
    did = growth("youju_escalated_total", **NOWHERE, after="refusal", origin="customer")
    by_rule = growth("youju_escalated_total", **NOWHERE, after="refusal", origin="rule")

    refused = await customer.ask("refusal")
    await customer.escalate(refused)
    await customer.escalate(refused)
    await customer.ask("complaint")

    assert (could(), did(), by_rule()) == (2, 1, 1)


async def test_opened_citations_are_counted_beside_those_that_were_shown(customer: Customer) -> None:
    shown = growth("youju_citations_shown_total", **PLACE)
    opened = growth("youju_citation_opens_total", **PLACE, state="current")

    attempt = await customer.ask("answer")
    await customer.http.get(f"{path_of(attempt)}/citations/1")

    assert (shown(), opened()) == (2, 1)


@pytest.mark.parametrize("end", ["answered", "escalated"])
async def test_a_retried_question_is_counted_once_by_how_it_ended(
    customer: Customer, clients: Clients, end: str
) -> None:
    grown = growth("youju_retry_lineages_total", **PLACE, end=end)
    first = await customer.ask("answer")
    (await customer.http.post(f"{path_of(first)}/retry")).raise_for_status()
    await customer.ask("answer")
    if end == "escalated":
        await customer.escalate(first)

    early = await ended_in(clients)
    async with clients.database.transaction(customer.tenant) as connection:
        await connection.execute(text("UPDATE attempt SET completed_at = completed_at - interval '31 minutes'"))
    counted = [await ended_in(clients) for _ in range(2)]

    assert (early, counted, grown()) == (0, [1, 0], 1)


async def ended_in(clients: Clients) -> int:
    return await Lineages(clients).run()


async def test_a_retry_and_a_reattachment_are_told_apart(customer: Customer) -> None:
    kinds = {
        kind: growth("youju_attempt_opens_total", kind=kind, channel="web") for kind in ("ask", "retry", "reattach")
    }
    first = await customer.ask("answer")

    (await customer.http.post(f"{path_of(first)}/retry")).raise_for_status()
    await customer.reattach(first)
    await customer.reattach(first)

    assert {kind: grown() for kind, grown in kinds.items()} == {"ask": 1, "retry": 1, "reattach": 2}


def test_no_more_areas_are_told_apart_than_a_chart_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_areas", set[str]())
    names = {measures.area_of((f"area {number}",)) for number in range(100)}

    assert "other" in names
    assert len(names) <= 65
    assert measures.area_of(()) == "none"
