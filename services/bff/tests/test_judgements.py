import csv
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.judgements.spreadsheet import BYTE_ORDER_MARK, safe, written_rows
from contracts.customer import Attempt
from services.bff.tests.client import Customer, path_of
from services.bff.tests.conftest import add_tenant
from services.bff.tests.staffing import open_staff

pytestmark = pytest.mark.store

LIST, EXPORT = "/v1/staff/feedback", "/v1/staff/feedback/export"
EVIL = '=HYPERLINK("https://evil.example";"点这里")'


@pytest.fixture
async def reviewer(bff_url: str, keys_directory: Path, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with open_staff(bff_url, keys_directory, tenant, "reviewer") as client:
        yield client


async def judge(customer: Customer, comment: str | None = None, reason: str | None = "OUTDATED") -> Attempt:
    attempt = await customer.ask("answer")
    rating = "HELPFUL" if reason is None else "NOT_HELPFUL"
    body = {"rating": rating, "reasonCode": reason, "comment": comment}
    (await customer.http.put(f"{path_of(attempt)}/feedback", json=body)).raise_for_status()
    return attempt


async def listed(reviewer: httpx.AsyncClient, **query: object) -> list[str]:
    answer = await reviewer.get(LIST, params={name: str(value) for name, value in query.items()})
    return [each["attemptId"] for each in answer.raise_for_status().json()["items"]]


async def test_a_comment_is_found_beside_the_attempt_it_judged(customer: Customer, reviewer: httpx.AsyncClient) -> None:
    attempt = await judge(customer, "太旧了")

    (item,) = (await reviewer.get(LIST)).json()["items"]

    assert (item["comment"], item["rating"], item["reasonCode"]) == ("太旧了", "NOT_HELPFUL", "OUTDATED")
    assert (item["attemptId"], item["question"], item["answer"]) == (attempt.attempt_id, "answer", attempt.answer)
    assert (item["knowledgeVersion"], item["documents"], item["areas"]) == (7, ["returns"], ["aftersales"])


@pytest.mark.parametrize("name", ["document", "area", "channel"])
async def test_a_filter_that_nothing_can_match_is_no_valid_request(reviewer: httpx.AsyncClient, name: str) -> None:
    assert (await reviewer.get(LIST, params={name: "a\x00b"})).status_code == 400


async def test_the_list_is_filtered(customer: Customer, reviewer: httpx.AsyncClient, clients: Clients) -> None:
    outdated = (await judge(customer)).attempt_id
    unclear = (await judge(customer, reason="HARD_TO_UNDERSTAND")).attempt_id
    helpful = (await judge(customer, reason=None)).attempt_id
    changing = text(
        "UPDATE attempt SET knowledge_version = 8, documents = '[\"fees\"]', areas = '[\"money\"]' WHERE id = :id"
    )
    async with clients.database.transaction(customer.tenant) as connection:
        await connection.execute(changing, {"id": unclear.removeprefix("att_")})

    assert await listed(reviewer) == [helpful, unclear, outdated]
    assert await listed(reviewer, rating="HELPFUL") == [helpful]
    assert await listed(reviewer, reason="OUTDATED") == [outdated]
    assert await listed(reviewer, version=8) == [unclear]
    assert await listed(reviewer, document="fees") == [unclear]
    assert await listed(reviewer, area="aftersales") == [helpful, outdated]
    assert await listed(reviewer, channel="app") == []
    assert await listed(reviewer, since="2100-01-01T00:00:00Z") == []
    assert await listed(reviewer, until="2100-01-01T00:00:00Z") == [helpful, unclear, outdated]


async def test_the_list_goes_on_where_it_ended(customer: Customer, reviewer: httpx.AsyncClient) -> None:
    ids = [(await judge(customer)).attempt_id for _ in range(3)]

    first = (await reviewer.get(LIST, params={"limit": "2"})).json()
    rest = (await reviewer.get(LIST, params={"limit": "2", "cursor": first["nextCursor"]})).json()

    assert [each["attemptId"] for page in (first, rest) for each in page["items"]] == ids[::-1]
    assert rest["nextCursor"] is None


async def test_a_spreadsheet_shows_what_customers_wrote_and_runs_none_of_it(
    customer: Customer, reviewer: httpx.AsyncClient
) -> None:
    await judge(customer, EVIL)
    await judge(customer, '两行\n和“引号”"')

    answer = await reviewer.get(EXPORT)

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.text.startswith(BYTE_ORDER_MARK)
    rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix(BYTE_ORDER_MARK), newline="")))
    assert [row["comment"] for row in rows] == ['两行\n和“引号”"', f"'{EVIL}"]
    assert {row["documents"] for row in rows} == {"returns"}


async def test_json_lines_hold_the_text_itself(customer: Customer, reviewer: httpx.AsyncClient) -> None:
    await judge(customer, EVIL)

    answer = await reviewer.get(EXPORT, params={"format": "jsonl", "reason": "OUTDATED"})

    assert [json.loads(line)["comment"] for line in answer.text.splitlines()] == [EVIL]


async def test_only_staff_of_the_tenant_read_it(
    bff_url: str, keys_directory: Path, tenants_file: Path, customer: Customer
) -> None:
    await judge(customer)

    async with open_staff(bff_url, keys_directory, add_tenant(tenants_file), "owner") as stranger:
        assert await listed(stranger) == []
        assert (await stranger.get(EXPORT, params={"format": "jsonl"})).text == ""
    assert (await customer.http.get(LIST)).status_code == 401


@pytest.mark.parametrize("cursor", ["x", "0" * 31, "G" * 32, "0" * 33])
async def test_a_cursor_that_is_not_ours_is_refused(reviewer: httpx.AsyncClient, cursor: str) -> None:
    assert (await reviewer.get(LIST, params={"cursor": cursor})).status_code == 400


@given(st.lists(st.lists(st.text(), min_size=2, max_size=4), min_size=1, max_size=5))
def test_no_cell_is_a_formula_and_every_cell_is_read_back(rows: list[list[str]]) -> None:
    read = list(csv.reader(io.StringIO(written_rows(rows), newline="")))

    assert read == [[safe(cell) for cell in row] for row in rows]
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@", "＝")) for row in read for cell in row)
