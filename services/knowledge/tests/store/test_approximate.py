"""A large tenant's vectors are asked through the approximate index, and the past is still compared exactly."""

from datetime import date

import pytest
from sqlalchemy import text

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion import store as index_store
from runtime.database import Database
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_FUTURE = date(2100, 1, 1)


async def test_hot_vectors_give_what_the_exact_scan_gives(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str
) -> None:
    files = [policy(f"d{number}", f"第{number}类商品运费{number}元。") for number in range(12)]
    version = await importer.publish(tenant, [*files, policy("vip", "会员运费全免。", audience=["vip"])])

    async def found() -> list[str]:
        result = await searcher.search(tenant=tenant, segments=(), question="第7类商品运费", as_of=_FUTURE)
        return [each.passage.text for each in result.context.found]

    exact = await found()
    with importer.bench.database.transaction(tenant) as connection:
        day = date(2026, 1, 1)
        put = index_store.heat_vectors(connection, tenant=tenant, version=version, day=day, limit=100)
        again = index_store.heat_vectors(connection, tenant=tenant, version=version, day=day, limit=100)
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE version SET hot = true"))
        await connection.execute(text("UPDATE version_audience SET passages = 100000"))

    assert (put, again) == (13, 0)
    assert await found() == exact
    assert "会员运费全免。" not in exact
