"""An import whose worker is gone is woken by the pulse, once."""

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from knowledge.ingestion import store as index_store
from knowledge.pulse import wake_imports
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from runtime.database import Database
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store


async def test_a_lapsed_import_is_woken_once_and_ends(
    service_database: OpenDatabase, database: Database, bench: Bench, importer: Importer, tenant: str
) -> None:
    import_id = await importer.begin(tenant, [policy("fee", "运费十元。")])
    with bench.database.transaction(tenant) as connection:
        assert index_store.claim(connection, import_id, lease_token=uuid7()) is not None
    sweeper = Database(service_database("knowledge").sweeper, pool_size=2)
    woken: list[tuple[str, str]] = []

    async def wake() -> int:
        return await wake_imports(database, sweeper, lambda tenant, import_id: woken.append((tenant, import_id)))

    assert await wake() == 0
    with bench.database.transaction(tenant) as connection:
        connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))
    assert (await wake(), await wake()) == (1, 0)
    await sweeper.close()

    assert woken == [(tenant, str(import_id))]
    while advance_import(bench, tenant=tenant, import_id=import_id):
        pass
    assert (await importer.progress(tenant, import_id)).state == "STAGED"


async def test_trouble_with_one_tenant_leaves_the_others_their_turn(
    service_database: OpenDatabase, database: Database, bench: Bench, importer: Importer, tenant: str
) -> None:
    tenants = [f"{tenant}-{number}" for number in range(3)]
    for each in tenants:
        await importer.begin(each, [policy("fee", "运费十元。")])
        with bench.database.transaction(each) as connection:
            connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))
    sweeper = Database(service_database("knowledge").sweeper, pool_size=2)
    woken: list[str] = []

    def wake(owner: str, _import_id: str) -> None:
        if owner == tenants[0]:
            raise ZeroDivisionError
        woken.append(owner)

    assert await wake_imports(database, sweeper, wake) == 2
    await sweeper.close()

    assert sorted(woken) == tenants[1:]
