import json
from collections.abc import Callable
from dataclasses import replace

import httpx
import pytest

from services.ticketing.tests.api.conftest import Bearer
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import ScriptedHelpdesk, message, only, order
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import HelpdeskError, NotCreatedError, OutcomeUnknownError, RefusedError

pytestmark = pytest.mark.store

Fail = Callable[..., None]


@pytest.fixture
def fail(edge: Edge, tenant: str) -> Fail:
    def receive(error: HelpdeskError | None = None) -> None:
        helpdesk = ScriptedHelpdesk(errors=[error or RefusedError("Status 422.")])
        receive_order(replace(edge, choose=only(helpdesk)), message(order(tenant)))

    return receive


async def _only_entry(client: httpx.AsyncClient, headers: dict[str, str], query: str = "") -> dict[str, str]:
    (entry,) = (await client.get(f"/v1/staff/ledger{query}", headers=headers)).raise_for_status().json()["items"]
    return entry


async def test_staff_see_what_needs_attention_and_every_try(
    client: httpx.AsyncClient, bearer: Bearer, fail: Fail, tenant: str
) -> None:
    fail()
    entry = await _only_entry(client, bearer(tenant), "?state=NEEDS_ATTENTION")

    whole = (await client.get(f"/v1/staff/ledger/{entry['ticketId']}", headers=bearer(tenant))).json()

    (tried,) = whole["tries"]
    assert (tried["outcome"], tried["errorClass"], tried["detail"]) == ("REFUSED", "RefusedError", "Status 422.")
    assert tried["latencyMs"] >= 0
    assert "question" not in json.dumps(whole)


async def test_a_requeued_ticket_is_tried_again(
    client: httpx.AsyncClient, bearer: Bearer, fail: Fail, edge: Edge, tenant: str, eyes: Eyes
) -> None:
    fail()
    entry = await _only_entry(client, bearer(tenant))

    path = f"/v1/staff/ledger/{entry['ticketId']}/requeue"
    answers = [(await client.post(path, json={}, headers=bearer(tenant))) for _ in range(2)]
    resume(edge, tenant=tenant, ticket_id=eyes.ticket()["id"])

    assert [answer.status_code for answer in answers] == [200, 409]
    assert answers[0].json()["state"] == "RETRYING"
    assert eyes.told()[-1] == ("TICKET_CREATED", 2, "T-1001")


@pytest.mark.parametrize(("surely_absent", "state"), [(False, "OUTCOME_UNKNOWN"), (True, "RETRYING")])
async def test_an_open_question_is_asked_before_anything_is_created_unless_a_person_looked(
    client: httpx.AsyncClient, bearer: Bearer, fail: Fail, tenant: str, eyes: Eyes, *, surely_absent: bool, state: str
) -> None:
    fail(OutcomeUnknownError())
    eyes.run("UPDATE ticket SET state = 'CREATING'")
    eyes.run("UPDATE ticket SET state = 'NEEDS_ATTENTION', due_at = NULL")
    entry = await _only_entry(client, bearer(tenant))

    answer = await client.post(
        f"/v1/staff/ledger/{entry['ticketId']}/requeue",
        json={"isSurelyAbsent": surely_absent},
        headers=bearer(tenant),
    )

    assert (answer.json()["state"], answer.json()["isOpen"]) == (state, not surely_absent)


async def test_a_ticket_that_was_opened_by_hand_is_attached_and_told(
    client: httpx.AsyncClient, bearer: Bearer, fail: Fail, tenant: str, eyes: Eyes
) -> None:
    fail(NotCreatedError())
    entry = await _only_entry(client, bearer(tenant))
    path = f"/v1/staff/ledger/{entry['ticketId']}/attach"

    answers = [
        await client.post(path, json={"externalId": "88", "number": "#88"}, headers=bearer(tenant)) for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 409]
    assert eyes.told()[-1] == ("TICKET_CREATED", 2, "#88")


async def test_a_foreign_ticket_is_not_found(
    client: httpx.AsyncClient, bearer: Bearer, fail: Fail, tenant: str
) -> None:
    fail()
    entry = await _only_entry(client, bearer(tenant))
    path, foreign = f"/v1/staff/ledger/{entry['ticketId']}", bearer("somebody-else")

    answers = (
        await client.get(path, headers=foreign),
        await client.get("/v1/staff/ledger/tic_1", headers=bearer(tenant)),
        await client.post(f"{path}/requeue", json={}, headers=foreign),
        await client.post(f"{path}/attach", json={"externalId": "1", "number": "1"}, headers=foreign),
    )

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]


async def test_the_ledger_goes_on_where_the_cursor_says(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str
) -> None:
    for key in ("a", "b", "c"):
        receive_order(edge, message(order(tenant, ticket_key=key)))

    first = (await client.get("/v1/staff/ledger?limit=2", headers=bearer(tenant))).json()
    rest = (await client.get(f"/v1/staff/ledger?cursor={first['nextCursor']}", headers=bearer(tenant))).json()
    wrong = await client.get("/v1/staff/ledger?cursor=x", headers=bearer(tenant))

    assert [item["ticketKey"] for item in (*first["items"], *rest["items"])] == ["c", "b", "a"]
    assert (rest["nextCursor"], wrong.status_code) == (None, 400)


async def test_queues_say_what_waits_and_how_long(
    client: httpx.AsyncClient, bearer: Bearer, fail: Fail, edge: Edge, tenant: str
) -> None:
    fail()
    receive_order(edge, message(order(tenant), extra={"priority": "panic"}))

    queues = (await client.get("/v1/staff/queues", headers=bearer(tenant))).json()["items"]

    depths = {queue["name"]: queue["depth"] for queue in queues}
    assert (depths["NEEDS_ATTENTION"], depths["PARKED"], depths["RETRYING"]) == (1, 1, 0)
    assert depths["OUTBOX"] > 0
    assert all((queue["oldestSeconds"] is None) == (queue["depth"] == 0) for queue in queues)


async def test_a_parked_message_is_listed_with_its_reason_and_can_be_sent_through_again(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str, eyes: Eyes
) -> None:
    body = message(order(tenant, question="another question"))
    receive_order(edge, message(order(tenant)))
    receive_order(edge, body)
    (parked,) = (await client.get("/v1/staff/parked", headers=bearer(tenant))).json()["items"]

    path = f"/v1/staff/parked/{parked['parkedId']}/replay"
    statuses = [(await client.post(path, headers=bearer(tenant))).status_code for _ in range(2)]
    sent = eyes.rows("SELECT data FROM outbox WHERE queue = 'ticketing'")
    receive_order(edge, body)

    assert (parked["reason"], statuses) == ("CONFLICT", [200, 404])
    assert [row["data"] for row in sent] == [body["data"]]
    assert len(eyes.rows("SELECT id FROM parked_message WHERE replayed_at IS NULL")) == 1
    assert (await client.post(path, headers=bearer("somebody-else"))).status_code == 404


async def test_a_role_without_the_desk_sees_no_ledger(client: httpx.AsyncClient, bearer: Bearer, tenant: str) -> None:
    answers = [
        await client.get(f"/v1/staff/{path}", headers=bearer(tenant, "reviewer"))
        for path in ("ledger", "queues", "parked")
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
