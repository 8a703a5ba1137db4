"""Owners hear once that answers were given from a text that is gone, and how many."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.tenants import Tenant
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.review.store.recalls import REPLACED
from knowledge.tasks.noticing import Notifying, make_notices
from knowledge.versions.notices import Channel, Notice
from knowledge.versions.store import releases
from knowledge.versions.store.notices import list_notices
from runtime.clock import utc_now
from runtime.database import Database
from runtime.tenants import TenantDirectory
from services.knowledge.tests.review.making import log_attempt
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy, publisher

pytestmark = pytest.mark.store

_OLD = policy("returns", "# 退货\n\n茶壶可以在九天内退回。\n", owner="ann")
_NEW = policy("returns", "# 退货\n\n茶壶可以在五天内退回。\n", owner="ann")


class Nobody:
    """Fulfils `Sender` where notices are only listed."""

    def channels(self, tenant: Tenant) -> tuple[Channel, ...]:
        """Name no way."""
        del tenant
        return ()

    async def send(self, notice: Notice, *, key: str, tenant: Tenant, channel: Channel, at: datetime) -> None:
        """Refuse: there is no way to send."""
        raise AssertionError(notice, key, tenant, channel, at)


@pytest.fixture
async def held(
    service_database: OpenDatabase, database: Database, tenant: str, tmp_path: Path
) -> AsyncIterator[Notifying]:
    file = tmp_path / "tenants.yaml"
    file.write_text(f"tenants:\n  {tenant}: {{name: Shop}}\n")
    sweeper = Database(service_database("knowledge").sweeper, pool_size=1)
    yield Notifying(
        app=database, sweeper=sweeper, tenants=TenantDirectory(file), sender=Nobody(), clock=utc_now, new_id=uuid7
    )
    await sweeper.close()


async def recalls(held: Notifying, tenant: str) -> list[Notice]:
    for _ in range(2):
        await make_notices(held)
    async with held.app.transaction(tenant) as connection:
        listed = await list_notices(connection, before=None, limit=10)
    return [notice for notice in listed if notice.kind == "RECALL"]


async def make_current(held: Notifying, tenant: str, number: int) -> None:
    async with held.app.transaction(tenant) as connection:
        await releases.publish(connection, publisher(tenant), number=number, expected_current=None)


async def now_of(held: Notifying) -> datetime:
    """Give the moment by the clock that dates publications."""
    async with held.app.transaction("nobody") as connection:
        return (await connection.execute(text("SELECT clock_timestamp()"))).scalar_one()


async def test_a_withdrawal_is_told_once_with_the_answers_it_concerns(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    for _ in range(2):
        await log_attempt(held.app, tenant, searcher=searcher)
    before = await recalls(held, tenant)

    await importer.withdraw(tenant, "returns")
    (notice,) = await recalls(held, tenant)

    assert before == []
    assert notice.subject == "document:returns"
    assert notice.items == ({"slug": "returns", "label": "1", "owner": "ann", "answers": 2},)


async def test_a_second_withdrawal_is_told_again(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    await log_attempt(held.app, tenant, searcher=searcher)
    await importer.withdraw(tenant, "returns")
    first = await recalls(held, tenant)

    await importer.restore(tenant, "returns")
    await importer.withdraw(tenant, "returns")

    assert (len(first), len(await recalls(held, tenant))) == (1, 2)


async def test_a_replaced_text_is_told_with_the_version_that_replaced_it(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    kept = policy("shipping", "# 运费\n\n运费由商家承担。\n")
    await importer.publish(tenant, [_OLD, kept])
    await log_attempt(held.app, tenant, searcher=searcher)
    await log_attempt(held.app, tenant, searcher=searcher, question="运费谁承担？")

    await importer.publish(tenant, [_NEW, kept])
    (notice,) = await recalls(held, tenant)

    assert notice.subject == "version:2"
    assert [(item["slug"], item["answers"]) for item in notice.items] == [("returns", 1)]


async def test_versions_that_follow_each_other_at_once_are_each_told(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    kept = policy("shipping", "# 运费\n\n运费由商家承担。\n")
    await importer.publish(tenant, [_OLD, kept])
    await log_attempt(held.app, tenant, searcher=searcher)
    await log_attempt(held.app, tenant, searcher=searcher, question="运费谁承担？")

    await importer.publish(tenant, [_NEW, kept])
    await importer.publish(tenant, [_NEW, policy("shipping", "# 运费\n\n运费由买家承担。\n")])
    told = await recalls(held, tenant)

    assert {notice.subject: [item["slug"] for item in notice.items] for notice in told} == {
        "version:2": ["returns"],
        "version:3": ["shipping"],
    }
    assert await recalls(held, tenant) == told


async def test_a_text_that_comes_back_and_goes_again_is_told_with_the_answers_between(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    await log_attempt(held.app, tenant, searcher=searcher)
    await importer.publish(tenant, [_NEW])
    first = await recalls(held, tenant)
    await make_current(held, tenant, 1)
    for _ in range(2):
        await log_attempt(held.app, tenant, searcher=searcher, closed_at=await now_of(held))

    await make_current(held, tenant, 2)
    told = await recalls(held, tenant)

    assert [(each.subject, [item["answers"] for item in each.items]) for each in (*told,)] == [
        ("version:2", [2]), ("version:2", [1])
    ]  # fmt: skip
    assert told[1:] == first


async def test_moves_to_and_fro_between_two_looks_are_each_told(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    await log_attempt(held.app, tenant, searcher=searcher)
    await importer.publish(tenant, [_NEW])
    await log_attempt(held.app, tenant, searcher=searcher, closed_at=await now_of(held))
    await make_current(held, tenant, 1)
    for _ in range(3):
        await log_attempt(held.app, tenant, searcher=searcher, closed_at=await now_of(held))
    await make_current(held, tenant, 2)

    told = await recalls(held, tenant)

    assert [(each.subject, [item["answers"] for item in each.items]) for each in reversed(told)] == [
        ("version:2", [1]), ("version:1", [1]), ("version:2", [3])
    ]  # fmt: skip


async def test_a_move_without_answers_since_the_last_tells_nothing_again(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    await log_attempt(held.app, tenant, searcher=searcher)
    await importer.publish(tenant, [_NEW])
    first = await recalls(held, tenant)

    await make_current(held, tenant, 1)
    await make_current(held, tenant, 2)

    assert await recalls(held, tenant) == first


async def test_a_text_that_no_answer_cited_is_recalled_silently(
    held: Notifying, importer: Importer, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    await importer.withdraw(tenant, "returns")

    assert await recalls(held, tenant) == []


async def test_answers_are_found_by_an_index(
    held: Notifying, importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_OLD])
    await log_attempt(held.app, tenant, searcher=searcher)
    async with held.app.transaction(tenant) as connection:
        await connection.execute(text("SET LOCAL enable_seqscan = off"))
        rows = await connection.execute(
            text("EXPLAIN SELECT attempt FROM answer_citation WHERE revision = :id ORDER BY attempt DESC LIMIT 50"),
            {"id": uuid7()},
        )
        plan = "\n".join(rows.scalars())

    assert "answer_citation_pkey" in plan
    assert "Index Cond: ((tenant" in plan
    assert "revision" in plan


async def test_a_look_reads_only_the_versions_that_changed(held: Notifying, importer: Importer, tenant: str) -> None:
    await importer.publish(tenant, [_OLD])
    await importer.publish(tenant, [_NEW])
    history = """
        WITH past AS (
            INSERT INTO version (tenant, number, state, routing_policy, analyser, embedder, created_by)
            SELECT tenant, 100 + n, 'RETIRED', routing_policy, analyser, embedder, created_by
            FROM version, generate_series(1, 300) AS n WHERE number = 1 RETURNING tenant, number)
        INSERT INTO version_revision SELECT past.tenant, past.number, held.revision
        FROM past, version_revision AS held WHERE held.version = 1
    """
    async with held.app.transaction(tenant) as connection:
        await connection.execute(text(history))
        await connection.execute(text("SET LOCAL enable_seqscan = off"))
        explained = await connection.execute(text(f"EXPLAIN (ANALYZE, FORMAT JSON) {REPLACED.text}"))
        (plan,) = explained.scalar_one()

    read = {scan["Alias"]: scan["Actual Rows"] * scan["Actual Loops"] for scan in _scans(plan["Plan"])}

    assert read
    assert max(read.values()) < 10, read


def _scans(node: dict[str, Any]) -> Iterator[dict[str, Any]]:  # JSON of the database
    if node.get("Relation Name") == "version_revision" and node.get("Alias") not in ("held", "held_1"):
        yield node
    for below in node.get("Plans", ()):
        yield from _scans(below)
