from pathlib import Path

import httpx
import pytest

from runtime.database import Database
from services.ticketing.tests.api.conftest import Bearer
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import message, order
from tests.support.databases import Databases
from ticketing.main import create_app
from ticketing.settings import TicketingSettings
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order

pytestmark = pytest.mark.store


async def test_staff_read_a_ticket_with_its_question(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str
) -> None:
    receive_order(edge, message(order(tenant, question="运费谁承担？")))

    answer = await client.get("/v1/staff/tickets/T-1001", headers=bearer(tenant))

    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["escalation"]["question"]) == ("OPEN", "运费谁承担？")


async def test_the_list_goes_on_where_the_cursor_says(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str
) -> None:
    for key in ("a", "b", "c"):
        receive_order(edge, message(order(tenant, ticket_key=key)))

    first = (await client.get("/v1/staff/tickets?limit=2", headers=bearer(tenant))).json()
    cursor = first["nextCursor"]
    second = (await client.get("/v1/staff/tickets", params={"cursor": cursor}, headers=bearer(tenant))).json()

    assert [item["number"] for item in first["items"]] == ["T-1003", "T-1002"]
    assert [item["number"] for item in second["items"]] == ["T-1001"]
    assert second["nextCursor"] is None


async def test_a_list_can_be_narrowed_to_a_status(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str
) -> None:
    receive_order(edge, message(order(tenant)))

    answer = await client.get("/v1/staff/tickets?status=SOLVED", headers=bearer(tenant))

    assert answer.json()["items"] == []


async def test_solving_a_ticket_is_told_once(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str, eyes: Eyes
) -> None:
    receive_order(edge, message(order(tenant)))

    answers = [
        await client.post("/v1/staff/tickets/T-1001/status", json={"status": status}, headers=bearer(tenant))
        for status in ("IN_PROGRESS", "SOLVED", "SOLVED")
    ]

    assert [answer.json()["status"] for answer in answers] == ["IN_PROGRESS", "SOLVED", "SOLVED"]
    assert eyes.told() == [
        ("TICKET_CREATED", 1, "T-1001"),
        ("IN_PROGRESS", 2, "T-1001"),
        ("SOLVED", 3, "T-1001"),
    ]


async def test_a_solved_ticket_does_not_go_back(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str
) -> None:
    receive_order(edge, message(order(tenant)))
    path = "/v1/staff/tickets/T-1001/status"
    await client.post(path, json={"status": "SOLVED"}, headers=bearer(tenant))

    answer = await client.post(path, json={"status": "IN_PROGRESS"}, headers=bearer(tenant))

    assert (answer.status_code, answer.json()["code"]) == (409, "CONFLICT")


@pytest.mark.parametrize("number", ["T-1001", "T-9999", "1001", "T-1001x", "T-99999999999999"])
async def test_a_foreign_or_unknown_number_is_not_found(
    client: httpx.AsyncClient, bearer: Bearer, edge: Edge, tenant: str, number: str
) -> None:
    receive_order(edge, message(order(tenant)))

    read = await client.get(f"/v1/staff/tickets/{number}", headers=bearer("somebody-else"))
    moved = await client.post(
        f"/v1/staff/tickets/{number}/status", json={"status": "SOLVED"}, headers=bearer("somebody-else")
    )

    assert (read.status_code, moved.status_code) == (404, 404)


async def test_a_role_without_the_desk_is_refused(client: httpx.AsyncClient, bearer: Bearer, tenant: str) -> None:
    answer = await client.get("/v1/staff/tickets", headers=bearer(tenant, "reviewer", "owner"))

    assert answer.status_code == 403


async def test_no_token_and_a_token_for_another_audience_are_refused(
    client: httpx.AsyncClient, bearer: Bearer, tenant: str
) -> None:
    without = await client.get("/v1/staff/tickets")
    foreign = await client.get("/v1/staff/tickets", headers=bearer(tenant, audience="knowledge"))

    assert (without.status_code, foreign.status_code) == (401, 401)


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "cursor=MTAwMg", "cursor=x", "cursor=%C3%A9", "status=GONE"])
async def test_a_malformed_list_request_is_a_400(
    client: httpx.AsyncClient, bearer: Bearer, tenant: str, query: str
) -> None:
    answer = await client.get(f"/v1/staff/tickets?{query}", headers=bearer(tenant))

    assert answer.status_code == 400


async def test_a_service_with_a_migrated_database_is_ready(client: httpx.AsyncClient) -> None:
    answer = await client.get("/health/ready")

    assert (answer.status_code, answer.json()) == (200, {"database": "ok"})


async def test_a_service_without_migrations_is_not_ready(databases: Databases, keys: Path) -> None:
    name, empty = databases.empty("ticketing")
    settings = TicketingSettings(
        redis_url="redis://127.0.0.1:1/0",
        keys_directory=keys,
        tenants_file=keys / "tenants.yaml",
        database_url=empty.app,
    )
    app = create_app(settings)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://desk") as client:
        answer = await client.get("/health/ready")
    database: Database = app.state.database
    await database.close()
    databases.drop(name)

    assert (answer.status_code, answer.json()) == (503, {"database": "not_migrated"})
