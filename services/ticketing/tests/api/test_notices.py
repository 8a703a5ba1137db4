"""Zendesk and Zammad say that a ticket changed, each in its own way; it is read at once, whatever they say it is."""

import hmac
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import httpx
import pytest

from runtime.clock import utc_now
from services.ticketing.tests.api.conftest import NEW_NOTICE_SECRET, NOTICE_SECRET
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import ScriptedHelpdesk, message, only, order
from ticketing.tasks.edge import Edge
from ticketing.tasks.polling import poll
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import HelpdeskStatus

pytestmark = pytest.mark.store

Signed = Callable[..., dict[str, str]]
BODIES: dict[str, object] = {"zendesk": {"detail": {"id": "7"}}, "zammad": {"ticket": {"id": 7, "state": "closed"}}}


def _zendesk(body: bytes, *, secret: str = NOTICE_SECRET, moment: datetime | None = None) -> dict[str, str]:
    timestamp = (moment or utc_now()).isoformat()
    digest = hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    return {
        "X-Zendesk-Webhook-Signature": b64encode(digest).decode(),
        "X-Zendesk-Webhook-Signature-Timestamp": timestamp,
    }


def _zammad(body: bytes, *, secret: str = NOTICE_SECRET, moment: datetime | None = None) -> dict[str, str]:
    del moment
    return {"X-Hub-Signature": f"sha1={hmac.digest(secret.encode(), body, 'sha1').hex()}"}


SIGNED: dict[str, Signed] = {"zendesk": _zendesk, "zammad": _zammad}


@pytest.fixture(params=["zendesk", "zammad"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def helpdesk(kind: str) -> ScriptedHelpdesk:
    return ScriptedHelpdesk(name=kind, is_polled=True)


@pytest.fixture
def made(edge: Edge, tenant: str, helpdesk: ScriptedHelpdesk) -> Edge:
    changed = replace(edge, choose=only(helpdesk))
    receive_order(changed, message(order(tenant)))
    return changed


async def _send(
    client: httpx.AsyncClient, tenant: str, kind: str, *, body: object = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    content = json.dumps(body or BODIES[kind]).encode()
    return await client.post(
        f"/v1/hooks/{tenant}/{kind}/{kind}", content=content, headers=headers or SIGNED[kind](content)
    )


async def test_a_ticket_that_changed_is_read_at_once_and_once(
    client: httpx.AsyncClient, tenant: str, kind: str, made: Edge, helpdesk: ScriptedHelpdesk, eyes: Eyes
) -> None:
    content = json.dumps(BODIES[kind]).encode()
    headers = SIGNED[kind](content)
    ticket_id = eyes.ticket()["id"]
    assert not poll(made, tenant=tenant, ticket_id=ticket_id, places=made.places)

    answers = [(await _send(client, tenant, kind, headers=headers)).json() for _ in range(2)]

    assert answers == [{"isRead": True}, {"isRead": False}]
    helpdesk.status = HelpdeskStatus(status="SOLVED", solution="已退款。")
    assert poll(made, tenant=tenant, ticket_id=ticket_id, places=made.places)
    assert eyes.told()[-1][0] == "SOLVED"
    assert eyes.ticket()["solution"] == "已退款。"


async def test_a_notice_that_comes_late_moves_nothing_back(
    client: httpx.AsyncClient, tenant: str, kind: str, made: Edge, helpdesk: ScriptedHelpdesk, eyes: Eyes
) -> None:  # fmt: skip
    ticket_id = eyes.ticket()["id"]
    for number, found in enumerate((HelpdeskStatus(status="SOLVED"), HelpdeskStatus(status="IN_PROGRESS"))):
        helpdesk.status = found
        await _send(client, tenant, kind, body={"ticketId": 7, "number": number})
        poll(made, tenant=tenant, ticket_id=ticket_id, places=made.places)

    assert [status for status, _, _ in eyes.told()] == ["TICKET_CREATED", "SOLVED"]


async def test_both_secrets_count_while_one_follows_the_other(
    client: httpx.AsyncClient, tenant: str, kind: str, made: Edge
) -> None:
    assert made
    content = json.dumps(BODIES[kind]).encode()

    answers = [
        await _send(client, tenant, kind, headers=SIGNED[kind](content, secret=secret))
        for secret in (NOTICE_SECRET, NEW_NOTICE_SECRET, "a-secret-of-somebody-else")
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 401]


async def test_a_notice_that_was_signed_too_long_ago_or_is_changed_is_refused(
    client: httpx.AsyncClient, tenant: str, kind: str, made: Edge, eyes: Eyes
) -> None:
    assert made
    content = json.dumps(BODIES[kind]).encode()
    other = SIGNED[kind](content + b" ")
    old = _zendesk(content, moment=utc_now() - timedelta(minutes=6))

    answers = [await _send(client, tenant, kind, headers=other)]
    if kind == "zendesk":
        answers.append(await _send(client, tenant, kind, headers=old))
        answers.append(await _send(client, tenant, kind, headers={**_zendesk(content), **_made_up()}))

    assert {answer.status_code for answer in answers} == {401}
    assert eyes.rows("SELECT message_id FROM inbox") == []


async def test_other_tickets_of_the_helpdesk_are_no_error_and_not_looked_at(
    client: httpx.AsyncClient, tenant: str, kind: str, made: Edge
) -> None:
    assert made

    answers = [
        await _send(client, tenant, kind, body={"ticketId": 8}),
        await _send(client, "somebody-else", kind),
        await _send(client, tenant, kind, body={"ticketId": "{{ticket.id}}"}),
        await _send(client, tenant, kind, body=["nothing"]),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 400, 400]
    assert [answer.json()["isRead"] for answer in answers[:2]] == [False, False]


async def test_a_helpdesk_is_heard_in_its_own_way_only(client: httpx.AsyncClient, tenant: str) -> None:
    content = json.dumps(BODIES["zammad"]).encode()

    answer = await client.post(f"/v1/hooks/{tenant}/zendesk/zammad", content=content, headers=_zammad(content))

    assert answer.status_code == 401


def _made_up() -> dict[str, str]:
    return {"X-Zendesk-Webhook-Signature-Timestamp": "yesterday"}
