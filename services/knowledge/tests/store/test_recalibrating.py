"""A calibrated version answers from the same passages by other bands, and the old one stays as it was."""

from datetime import date

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.versions.calibration import Fitted
from knowledge.versions.store import releases
from knowledge.versions.store.recalibrating import recalibrate, take_number
from knowledge.versions.version import BaseMovedError, VersionNotFoundError
from runtime.database import Database
from tests.support.knowledge import Importer, policy, publisher

TODAY = date(2026, 11, 29)
FITTED = Fitted(words=1.5, meaning=0.5, refuse_below=2.0, answer_from=3.0, questions=60)


async def calibrated(connection: AsyncConnection, tenant: str, *, base: int = 1) -> int:
    number = await take_number(connection)
    await recalibrate(connection, publisher(tenant), base=base, fitted=FITTED, number=number)
    return number


async def test_a_version_is_begun_while_another_is_copied(importer: Importer, database: Database, tenant: str) -> None:
    await importer.publish(tenant, [policy("fee", "运费由商家承担。")])
    async with database.transaction(tenant) as connection:
        number = await take_number(connection)

    async with database.transaction(tenant) as connection:
        await recalibrate(connection, publisher(tenant), base=1, fitted=FITTED, number=number)
        newer = await importer.publish(tenant, [policy("fee", "运费由买家承担。")])

    assert (number, newer) == (2, 3)


async def test_a_calibrated_version_shares_everything_else(
    importer: Importer, database: Database, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费由商家承担。"), policy("far", "三个工作日内寄出。")])
    async with database.transaction(tenant) as connection:
        number = await calibrated(connection, tenant)

    async def found(version: int) -> tuple[list[str], float, Fitted | None]:
        result = await searcher.search(
            tenant=tenant, segments=(), question="谁承担运费？", as_of=TODAY, version=version
        )
        texts = [each.passage.text for each in result.context.found]
        return texts, result.serving.routing_policy.thresholds.answer_from, result.serving.calibration.fitted

    assert number == 2
    before, after = await found(1), await found(2)
    assert before[0] == after[0]
    assert (before[1:], after[1:]) == ((1.5, None), (3.0, FITTED))
    async with database.transaction(tenant) as connection:
        staged = await releases.find_version(connection, number)
        assert (staged.state, staged.passages, staged.documents) == ("STAGED", 2, 2)
        await releases.approve(connection, publisher(tenant), number=number)
        await releases.publish(connection, publisher(tenant), number=number, expected_current=1)
    assert (await searcher.serving(tenant=tenant)).calibration.fitted == FITTED


async def test_a_calibration_takes_nothing_back_that_was_published_since(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费由商家承担。")])
    async with database.transaction(tenant) as connection:
        number = await calibrated(connection, tenant)
        await releases.approve(connection, publisher(tenant), number=number)
    newer = await importer.publish(tenant, [policy("fee", "运费由买家承担。")])

    with pytest.raises(BaseMovedError, match="version 1"):
        async with database.transaction(tenant) as connection:
            await releases.publish(connection, publisher(tenant), number=number, expected_current=newer)


async def test_a_calibration_that_answered_before_may_answer_again(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费由商家承担。")])
    async with database.transaction(tenant) as connection:
        number = await calibrated(connection, tenant)
        await releases.approve(connection, publisher(tenant), number=number)
        await releases.publish(connection, publisher(tenant), number=number, expected_current=1)
    newer = await importer.publish(tenant, [policy("fee", "运费由买家承担。")])

    async with database.transaction(tenant) as connection:
        act = await releases.publish(connection, publisher(tenant), number=number, expected_current=newer)

    assert act == "VERSION_ROLLED_BACK"


async def test_only_a_version_that_is_built_is_calibrated(importer: Importer, database: Database, tenant: str) -> None:
    await importer.publish(tenant, [policy("fee", "运费由商家承担。")])
    async with database.transaction(tenant) as connection:
        with pytest.raises(VersionNotFoundError):
            await calibrated(connection, tenant, base=9)
