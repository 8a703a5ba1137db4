"""One pointer says what answers; of two publishers one wins and the other is told."""

import asyncio

import pytest
from sqlalchemy import text

from knowledge.tasks.building import advance_import
from knowledge.versions.store import releases
from knowledge.versions.version import NotPublishableError, PublishedMeanwhileError, VersionNotFoundError
from runtime.database import Database
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store


async def _publish(database: Database, tenant: str, number: int, expected: int | None = None) -> None:
    async with database.transaction(tenant) as connection:
        await releases.publish(connection, number=number, actor="publisher", expected_current=expected)


async def _someone_waits(database: Database) -> None:
    """Return when another connection waits for a row."""
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with database.sweep() as connection:
        while not (await connection.execute(waiting)).scalar_one():  # noqa: ASYNC110 - only the database knows
            await asyncio.sleep(0)


async def _states(database: Database, tenant: str) -> dict[int, str]:
    async with database.transaction(tenant) as connection:
        return {each.number: each.state for each in await releases.list_versions(connection, before=None, limit=100)}


async def test_publishing_retires_what_was_current_and_back(
    importer: Importer, database: Database, tenant: str
) -> None:
    for number in range(1, 4):
        await importer.stage(tenant, [policy("fee", f"运费{number}元。")])

    await _publish(database, tenant, 2)
    await _publish(database, tenant, 3)
    assert await _states(database, tenant) == {1: "STAGED", 2: "RETIRED", 3: "PUBLISHED"}
    await _publish(database, tenant, 2)
    await _publish(database, tenant, 2)
    assert await _states(database, tenant) == {1: "STAGED", 2: "PUBLISHED", 3: "RETIRED"}


async def test_of_two_publishers_at_once_one_is_told(importer: Importer, database: Database, tenant: str) -> None:
    for number in range(1, 3):
        await importer.stage(tenant, [policy("fee", f"运费{number}元。")])

    async with database.transaction(tenant) as first:
        await releases.publish(first, number=1, actor="first", expected_current=None)
        second = asyncio.create_task(_publish(database, tenant, 2))
        await asyncio.wait_for(_someone_waits(database), timeout=20)

    with pytest.raises(PublishedMeanwhileError):
        await second
    assert await _states(database, tenant) == {1: "PUBLISHED", 2: "STAGED"}


async def test_a_publisher_who_looked_at_another_version_is_told(
    importer: Importer, database: Database, tenant: str
) -> None:
    for number in range(1, 3):
        await importer.stage(tenant, [policy("fee", f"运费{number}元。")])
    await _publish(database, tenant, 1)

    with pytest.raises(PublishedMeanwhileError):
        await _publish(database, tenant, 2, expected=2)

    await _publish(database, tenant, 2, expected=1)
    assert await _states(database, tenant) == {1: "RETIRED", 2: "PUBLISHED"}


async def test_what_is_not_built_or_does_not_exist_cannot_be_published(
    importer: Importer, database: Database, tenant: str
) -> None:
    import_id = await importer.begin(tenant, [policy("fee", "运费。")])
    assert advance_import(importer.bench, tenant=tenant, import_id=import_id)

    with pytest.raises(NotPublishableError):
        await _publish(database, tenant, 1)
    with pytest.raises(VersionNotFoundError):
        await _publish(database, tenant, 2)
