"""An import becomes a version that can be searched, and only then is anything visible."""

from datetime import date

import pytest

from contracts.ids import uuid7
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks.building import Bench, advance_import
from knowledge.versions import store
from knowledge.versions.routing_policy import default_routing_policy
from runtime.database import Database

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)
_TEXT = """---
slug: returns
label: '1'
language: zh
---
# 退货

## 期限

七天内可以退货。

## 运费

运费由商家承担。
"""


async def test_an_import_is_staged_published_and_found(
    database: Database, bench: Bench, searcher: DatabaseSearcher, tenant: str
) -> None:
    import_id = uuid7()
    files = [SourceFile(path="a.md", content=_TEXT.encode(), header=None)]
    async with database.transaction(tenant) as connection:
        await store.create_import(
            connection,
            tenant=tenant,
            import_id=import_id,
            routing_policy=default_routing_policy(),
            additive=False,
            actor="me",
        )
        await store.add_files(connection, tenant=tenant, import_id=import_id, files=files)
        await store.start_import(connection, import_id)
    while advance_import(bench, tenant=tenant, import_id=import_id):
        pass
    async with database.transaction(tenant) as connection:
        await store.publish(connection, number=1, actor="me", expected_current=None)

    result = await searcher.search(tenant=tenant, segments=("public",), question="运费谁承担", as_of=_DAY)

    assert result.context.found[0].passage.text == "运费由商家承担。"
