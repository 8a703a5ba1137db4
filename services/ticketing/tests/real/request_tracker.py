"""A real Request Tracker gets one ticket for an escalation, whatever happens to it meanwhile.

`make test-rt` installs it where it is missing and runs this file; nothing else collects it.
"""

import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from contracts.messages import CreateTicket, TicketCitation
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import message, only, order
from services.ticketing.tests.real.installation import QUEUE, Installation
from ticketing.adapters.choosing import connect_all
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.polling import poll
from ticketing.tasks.receiving import receive_order

pytestmark = [pytest.mark.store, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("rt"))
    installation.set_up()
    installation.start()
    yield installation
    installation.kill()
    installation.agent.close()


@pytest.fixture
def connected(edge: Edge, tracker: Installation, monkeypatch: pytest.MonkeyPatch) -> Edge:
    given = {
        "url": tracker.url,
        "token": tracker.token,
        "queue": QUEUE,
        "requestor": "shop@shop.example",
        "seconds": "10",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"YOUJU_HELPDESK_RT_{name.upper()}", value)
    return replace(edge, choose=only(connect_all({"rt": "request_tracker"})["rt"]))


def _wish(tenant: str) -> CreateTicket:
    citation = TicketCitation(
        index=1, title="退货政策", section="运费", revision="2026-07", effective_from=date(2026, 7, 1),
        quote="质量问题退货的运费由商家承担。",
    )  # fmt: skip
    update = {"answer": "运费由商家承担。", "citations": (citation,), "ticket_key": f"{tenant}:esc_1"}
    return order(tenant, question="=1+1 能退吗，运费谁承担？\r\nBcc: x@x.example <b>").model_copy(update=update)


def _new(tracker: Installation, before: list[str]) -> list[str]:
    return [ticket for ticket in tracker.tickets() if ticket not in before]


def _try_again(edge: Edge, tenant: str, eyes: Eyes, *, later_seconds: float) -> None:
    eyes.pass_time(later_seconds)
    resume(edge, tenant=tenant, ticket_id=eyes.ticket()["id"])


def test_an_escalation_is_a_ticket_with_all_that_a_person_needs(
    connected: Edge, tracker: Installation, tenant: str, eyes: Eyes
) -> None:
    before, body = tracker.tickets(), message(_wish(tenant))

    receive_order(connected, body)
    receive_order(connected, body)

    (ticket,) = _new(tracker, before)
    assert (eyes.ticket()["state"], eyes.ticket()["external_id"]) == ("CREATED", ticket)
    text = tracker.text_of(ticket)
    for needed in ("能退吗，运费谁承担？", "运费由商家承担。", "质量问题退货的运费由商家承担。", "att_" + "1" * 32):
        assert needed in text


def test_a_tracker_that_answers_after_we_gave_up_leaves_one_ticket(
    connected: Edge, tracker: Installation, tenant: str, eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tracker.tickets()
    monkeypatch.setenv("YOUJU_HELPDESK_RT_SECONDS", "1")
    hasty = replace(connected, choose=only(connect_all({"rt": "request_tracker"})["rt"]))

    tracker.signal(signal.SIGSTOP)
    try:
        receive_order(hasty, message(_wish(tenant)))
    finally:
        tracker.signal(signal.SIGCONT)
    assert eyes.ticket()["state"] == "OUTCOME_UNKNOWN"
    tracker.until(lambda: _new(tracker, before))
    _try_again(connected, tenant, eyes, later_seconds=30)
    too_early = eyes.ticket()["state"]
    _try_again(connected, tenant, eyes, later_seconds=200)

    (ticket,) = _new(tracker, before)
    assert too_early == "OUTCOME_UNKNOWN"
    assert (eyes.ticket()["state"], eyes.ticket()["external_id"]) == ("CREATED", ticket)


def test_a_tracker_that_is_killed_in_the_middle_of_a_request_leaves_one_ticket(
    connected: Edge, tracker: Installation, tenant: str, eyes: Eyes
) -> None:
    before = tracker.tickets()

    tracker.signal(signal.SIGSTOP)
    asking = threading.Thread(target=receive_order, args=(connected, message(_wish(tenant))))
    asking.start()
    tracker.until(lambda: eyes.rows("SELECT state FROM ticket") == [{"state": "CREATING"}])
    tracker.kill()
    asking.join(30)
    tracker.start()
    for _ in range(3):
        _try_again(connected, tenant, eyes, later_seconds=200)

    (ticket,) = _new(tracker, before)
    assert (eyes.ticket()["state"], eyes.ticket()["external_id"]) == ("CREATED", ticket)


def test_what_a_person_does_comes_back(connected: Edge, tracker: Installation, tenant: str, eyes: Eyes) -> None:
    receive_order(connected, message(_wish(tenant)))
    row = eyes.ticket()

    for status in ("open", "resolved"):
        tracker.move(row["external_id"], status)
        eyes.pass_time(60)
        poll(connected, tenant=tenant, ticket_id=row["id"], places=connected.places)

    assert [told[0] for told in eyes.told()] == ["TICKET_CREATED", "IN_PROGRESS", "SOLVED"]


def test_our_account_creates_and_reads_and_does_nothing_else(
    connected: Edge, tracker: Installation, tenant: str
) -> None:
    receive_order(connected, message(_wish(tenant)))
    newest = max(tracker.tickets(), key=int)

    ours = {"Authorization": f"token {tracker.token}"}
    moved = tracker.agent.put(f"/REST/2.0/ticket/{newest}", json={"Status": "resolved"}, headers=ours)
    found = tracker.agent.get(f"/REST/2.0/ticket/{newest}", headers=ours).json()

    assert "Permission Denied" in moved.text or moved.status_code == 403
    assert found["Status"] == "new"
