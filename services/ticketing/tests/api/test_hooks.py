import json
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from runtime.clock import utc_now
from services.ticketing.tests.api.conftest import HOOK_KEY
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import ScriptedHelpdesk, message, only, order
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.signing import signed_headers

pytestmark = pytest.mark.store


@pytest.fixture(autouse=True)
def _ticket(edge: Edge, tenant: str) -> None:
    receive_order(replace(edge, choose=only(ScriptedHelpdesk(name="acme"))), message(order(tenant)))


async def _send(
    client: httpx.AsyncClient,
    tenant: str,
    data: object,
    *,
    message_id: str = "msg_1",
    key: bytes = HOOK_KEY,
    age: timedelta = timedelta(0),
) -> httpx.Response:
    body = json.dumps({"type": "ticket.moved", "data": data}).encode()
    headers = signed_headers([key], message_id=message_id, body=body, now=utc_now() - age)
    return await client.post(f"/v1/hooks/{tenant}/acme", content=body, headers=headers)


async def test_a_signed_message_moves_the_ticket_and_is_told(
    client: httpx.AsyncClient, tenant: str, eyes: Eyes
) -> None:
    answer = await _send(client, tenant, {"ticketKey": "key-1", "status": "SOLVED", "solution": "已退款。"})

    assert (answer.status_code, answer.json()) == (200, {"isNews": True})
    assert eyes.told()[-1] == ("SOLVED", 2, "S-7")
    assert eyes.ticket()["solution"] == "已退款。"


async def test_a_message_counts_once_and_a_late_one_not_at_all(
    client: httpx.AsyncClient, tenant: str, eyes: Eyes
) -> None:
    moves = (("msg_2", "SOLVED"), ("msg_2", "SOLVED"), ("msg_1", "IN_PROGRESS"), ("msg_3", "SOLVED"))

    answers = [
        await _send(client, tenant, {"ticketKey": "key-1", "status": status}, message_id=message_id)
        for message_id, status in moves
    ]

    assert [answer.json()["isNews"] for answer in answers] == [True, False, False, False]
    assert [status for status, _, _ in eyes.told()] == ["TICKET_CREATED", "SOLVED"]


@pytest.mark.parametrize(
    ("key", "age"), [(b"x" * 32, timedelta(0)), (HOOK_KEY, timedelta(minutes=6)), (HOOK_KEY, -timedelta(minutes=6))]
)
async def test_a_wrong_signature_and_a_wrong_time_are_refused(
    client: httpx.AsyncClient, tenant: str, eyes: Eyes, key: bytes, age: timedelta
) -> None:
    answer = await _send(client, tenant, {"ticketKey": "key-1", "status": "SOLVED"}, key=key, age=age)

    assert answer.status_code == 401
    assert len(eyes.told()) == 1


async def test_a_message_without_its_headers_is_a_400(client: httpx.AsyncClient, tenant: str) -> None:
    answer = await client.post(f"/v1/hooks/{tenant}/acme", content=b"{}")

    assert answer.status_code == 400


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"ticketKey": "key-1", "status": "GONE"},
        {"status": "SOLVED"},
        {"ticketKey": "a\x00", "status": "SOLVED"},
    ],
)
async def test_an_unreadable_message_is_a_400(client: httpx.AsyncClient, tenant: str, data: object) -> None:
    assert (await _send(client, tenant, data)).status_code == 400


async def test_a_helpdesk_speaks_of_its_own_tickets_only(
    client: httpx.AsyncClient, tenant: str, edge: Edge, eyes: Eyes
) -> None:
    receive_order(edge, message(order(tenant, ticket_key="key-of-the-desk")))

    answers = (
        await _send(client, tenant, {"ticketKey": "key-of-the-desk", "status": "SOLVED"}),
        await _send(client, "somebody-else", {"ticketKey": "key-1", "status": "SOLVED"}),
        await _send(client, tenant, {"ticketKey": "unknown", "status": "SOLVED"}),
    )

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert eyes.rows("SELECT message_id FROM inbox") == []


async def test_ids_that_are_too_old_to_come_again_are_forgotten(
    client: httpx.AsyncClient, tenant: str, eyes: Eyes
) -> None:
    for message_id in ("msg_1", "msg_2"):
        await _send(client, tenant, {"ticketKey": "key-1", "status": "OPEN"}, message_id=message_id)
        eyes.run("UPDATE inbox SET received_at = received_at - interval '25 hours'")

    assert [row["message_id"] for row in eyes.rows("SELECT message_id FROM inbox")] == ["msg_2"]
