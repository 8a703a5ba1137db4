"""What was built before a migration serves after it as if it were built now."""

from dataclasses import replace

import pytest
from sqlalchemy import text

import knowledge.migrations
from knowledge.ingestion.jobs import Step
from knowledge.tasks.bench import Bench
from knowledge.versions.store import releases
from runtime.database import Database, SyncDatabase
from tests.support.databases import Databases
from tests.support.knowledge import Importer, policy
from tests.support.migrations import moving

pytestmark = pytest.mark.store

_RETURNS = policy("returns", "七天内可以退货。联系人电话15800002605。", audience=["members"])
_INVOICE = policy("invoice", "开票后三个工作日内寄出。")
_COUNTED = """
    SELECT documents, revisions, masks, (SELECT sum(passages) FROM version_audience WHERE version = number) AS audible
    FROM version WHERE number = 1
"""


def _there_and_back(owner_url: str, *, forget: str) -> None:
    """Go back to before sentences followed, forget what was not known there, and come again."""
    with moving(knowledge.migrations, owner_url) as move:
        move.downgrade("0007")
        move.connection.execute(text("ALTER TABLE version_audience NO FORCE ROW LEVEL SECURITY"))
        move.connection.execute(text(forget))
        move.connection.execute(text("ALTER TABLE version_audience FORCE ROW LEVEL SECURITY"))
        move.connection.commit()
        move.upgrade("head")


async def test_versions_of_before_are_counted_and_an_import_of_before_goes_on(
    databases: Databases, bench: Bench, tenant: str
) -> None:
    _, urls = databases.clone("knowledge")
    worker, database = SyncDatabase(urls.app, pool_size=2), Database(urls.app, pool_size=2)
    importer = Importer(database, replace(bench, database=worker))
    await importer.publish(tenant, [_RETURNS, _INVOICE])
    import_id = await importer.begin(tenant, [_RETURNS, _INVOICE, policy("fee", "运费十元。")])
    importer.advance_to(tenant, import_id, Step.INDEX)
    await database.engine.dispose()
    worker.engine.dispose()

    _there_and_back(urls.owner, forget="DELETE FROM version_audience")

    async with database.transaction(tenant) as connection:
        row = (await connection.execute(text(_COUNTED))).one()
    progress = await importer.take_to_end(tenant, import_id)
    async with database.transaction(tenant) as connection:
        postings = (await connection.execute(text("SELECT count(DISTINCT passage) FROM posting"))).scalar_one()
        version = await releases.find_version(connection, 2)
    await database.close()
    worker.close()
    assert tuple(row) == (2, 2, 1, 2)
    assert (progress.state, postings, version.documents) == ("STAGED", 3, 3)


async def test_the_way_back_is_barred_while_sentences_are_pending(
    databases: Databases, bench: Bench, tenant: str
) -> None:
    _, urls = databases.clone("knowledge")
    worker, database = SyncDatabase(urls.app, pool_size=2), Database(urls.app, pool_size=2)
    importer = Importer(database, replace(bench, database=worker))
    await importer.publish(tenant, [_INVOICE])
    with worker.transaction(tenant) as connection:
        pending = text("INSERT INTO sentence_backlog (tenant, version, pending) VALUES (:tenant, 1, 1)")
        connection.execute(pending, {"tenant": tenant})
    await database.close()
    worker.close()

    with pytest.raises(RuntimeError, match="pending"):
        _there_and_back(urls.owner, forget="DELETE FROM version_audience")
