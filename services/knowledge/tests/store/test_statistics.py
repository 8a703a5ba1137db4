"""A version that is staged can be searched fast at once: nothing waits for the database's own upkeep."""

import psycopg
import pytest
from sqlalchemy import text

from knowledge.ingestion.jobs import Step
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.versions.store import upkeep
from runtime.database import SyncDatabase
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.store

# Only ANALYZE says how many rows a partitioned table holds.
_ROWS = "SELECT relname FROM pg_class WHERE reltuples > 0 AND relkind IN ('r', 'p')"

_POSTINGS = "SELECT reltuples FROM pg_class WHERE oid = 'posting'::regclass"


async def test_statistics_are_fresh_as_soon_as_a_version_is_staged(
    importer: Importer, service_database: OpenDatabase, tenant: str
) -> None:
    files = [policy(f"d{number}", f"第{number}类商品运费{number}元。退货七天内。") for number in range(4)]

    await importer.stage(tenant, files)

    with psycopg.connect(for_psycopg(service_database("knowledge").owner)) as owner:
        known = {name for (name,) in owner.execute(_ROWS).fetchall()}
    assert {
        "passage",
        "posting",
        "passage_vector",
        "sentence",
        "term_frequency",
        "version_revision",
        "revision",
    } <= known


async def test_statistics_are_fresh_before_terms_are_counted(
    importer: Importer, service_database: OpenDatabase, tenant: str
) -> None:
    with psycopg.connect(for_psycopg(service_database("knowledge").owner), autocommit=True) as owner:
        before = owner.execute(_POSTINGS).fetchone()
        import_id = await importer.begin(tenant, [policy(f"d{number}", f"{number}元运费。" * 9) for number in range(9)])
        while (await importer.progress(tenant, import_id)).step is not Step.COUNT:
            assert advance_import(importer.bench, tenant=tenant, import_id=import_id)

        after = owner.execute(_POSTINGS).fetchone()

    assert before is not None
    assert after is not None
    assert after[0] > max(before[0], 0)


async def test_a_tenant_is_warmed_where_its_rows_are(importer: Importer, bench: Bench, tenant: str) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。")])
    await importer.publish(f"{tenant}-other", [policy(f"d{n}", f"第{n}类商品运费{n}元。") for n in range(4)])
    with bench.database.transaction(tenant) as connection:
        partitions = upkeep.partitions_of(connection, tenant=tenant, vectors=())

        upkeep.warm(connection, tenant=tenant, vectors=("passage_vector",))

    assert sorted(partitions) == ["passage", "passage_vector", "posting", "sentence"]
    assert len({name.rpartition("_")[2] for name in partitions.values()}) == 1


async def test_what_cannot_be_tended_in_time_is_said_and_harms_nothing(
    importer: Importer, bench: Bench, sync_database: SyncDatabase, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。")])
    with bench.database.transaction(tenant) as connection:
        partitions = upkeep.partitions_of(connection, tenant=tenant, vectors=())
        connection.execute(text("LOCK TABLE revision IN SHARE UPDATE EXCLUSIVE MODE"))

        with sync_database.upkeep(seconds=1) as other:
            left = upkeep.tend(other, partitions, seconds=60)

    assert [each.split(" (")[0] for each in left] == ["ANALYZE revision"]
