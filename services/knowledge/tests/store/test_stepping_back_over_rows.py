"""What tenants have stored since may be taken back, and what is stored after coming again is whole."""

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import text

import knowledge.migrations
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.answering.store import erase_customer
from knowledge.review.item import Finding, Layer, ReviewReason
from knowledge.review.store import opening, queue
from knowledge.review.store.verdicts import add_verdict
from knowledge.tasks.bench import Bench
from knowledge.versions.acts import Acting
from knowledge.versions.calibration import Fitted
from knowledge.versions.store.recalibrating import recalibrate, take_number
from runtime.clock import utc_now
from runtime.database import Database, SyncDatabase
from services.knowledge.tests.review.making import log_attempt
from tests.support.databases import Databases
from tests.support.knowledge import Importer, WordEmbedder, policy, publisher
from tests.support.migrations import moving

pytestmark = pytest.mark.store

_RETURNS = policy("returns", "# 退货\n\n茶壶可以在九天内退回。\n", title="退货 13812345678")
_FITTED = Fitted(words=1.5, meaning=0.5, refuse_below=2.0, answer_from=3.0, questions=60)
_ROWS = (
    """INSERT INTO golden_case (tenant, id, case_set, category, language, content, added_by)
        VALUES (:tenant, 'g-1', 'golden', 'returns', 'zh', '{}', 'ann')""",
    """INSERT INTO evaluation_threshold (tenant, bounds, set_by) VALUES (:tenant, '[]', 'ann')""",
    """INSERT INTO evaluation_run (tenant, id, version, case_sets, fingerprint, settings, today, total, started_by)
        VALUES (:tenant, gen_random_uuid(), 1, ARRAY['golden'], '', '{}', DATE '2026-07-15', 1, 'ann')""",
    """INSERT INTO conflict_dismissal (tenant, pair_key, reason, dismissed_by)
        VALUES (:tenant, repeat('a', 64), 'both', 'ann')""",
    "INSERT INTO notice (tenant, id, kind, subject, period, items) VALUES (:tenant, gen_random_uuid(), 'RECALL', 's', '', '[]')",
)
_KEPT = "SELECT count(*) FROM answer_opening JOIN answer_log USING (tenant, attempt, try)"
_WAITING = "SELECT count(*) FROM answer_unsealed"


def _there_and_back(owner_url: str) -> None:
    with moving(knowledge.migrations, owner_url) as move:
        move.downgrade("0007")
        move.upgrade("head")


async def _fill(database: Database, worker: SyncDatabase, bench: Bench, tenant: str) -> None:
    """Leave rows of everything that came since: a calibration, answers, one erased, a verdict, an evaluation."""
    importer = Importer(database, replace(bench, database=worker))
    await importer.publish(tenant, [_RETURNS])
    pool = EmbeddingPool(WordEmbedder(), queue=4)
    searcher = DatabaseSearcher(database, pool)
    asked = [await log_attempt(database, tenant, searcher=searcher) for _ in range(2)]
    await pool.aclose()
    with worker.transaction(tenant) as connection:
        erase_customer(connection, tenant=tenant, attempt_ids=[asked[0].attempt_id])
        for statement in _ROWS:
            connection.execute(text(statement), {"tenant": tenant})
    acting = Acting(tenant=tenant, actor="ann", roles=("reviewer",))
    async with database.transaction(tenant) as connection:
        number = await take_number(connection)
        await recalibrate(connection, publisher(tenant), base=1, fitted=_FITTED, number=number)
        found = opening(tenant=tenant, attempt_id=asked[1].attempt_id, reason=ReviewReason.ESCALATED, at=utc_now())
        await connection.execute(found)
        await queue.take(connection, asked[1].attempt_id, reviewer="ann")
        await add_verdict(connection, acting, asked[1].attempt_id, Finding(layer=Layer.CORRECT, note=None, seen=0))


async def test_everything_that_came_since_may_go_and_come_again(
    databases: Databases, bench: Bench, tenant: str
) -> None:
    _, urls = databases.clone("knowledge")
    worker, database = SyncDatabase(urls.app, pool_size=2), Database(urls.app, pool_size=2)
    await _fill(database, worker, bench, tenant)
    await database.engine.dispose()
    worker.engine.dispose()

    _there_and_back(urls.owner)

    pool = EmbeddingPool(WordEmbedder(), queue=4)
    searcher = DatabaseSearcher(database, pool)
    found = await searcher.search(tenant=tenant, segments=(), question="几天退？", as_of=date(2026, 7, 15))
    await log_attempt(database, tenant, searcher=searcher)
    async with database.transaction(tenant) as connection:
        kept = (await connection.execute(text(_KEPT))).scalar_one()
        waiting = (await connection.execute(text(_WAITING))).scalar_one()
    await pool.aclose()
    await database.close()
    worker.close()
    assert found.context.found
    # Three attempts, each with an opening and a closing that wait for their seals; what was erased is one of them.
    assert (kept, waiting) == (3, 6)
