"""A large tenant's vectors are asked through the approximate index, and the past is still compared exactly."""

from collections.abc import Callable
from datetime import date
from functools import partial
from uuid import UUID

import pytest
from sqlalchemy import text

from contracts.service_token import PUBLIC_SEGMENT
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.retrieval.store import opening, scoring
from knowledge.versions.store import heating
from runtime.database import Database
from tests.support.knowledge import Importer, WordEmbedder, policy

pytestmark = pytest.mark.store

_FUTURE = date(2100, 1, 1)
_QUESTION = "第7类商品运费"
_WANTED = 10

_Arm = Callable[..., scoring.Scoring]


async def _publish(importer: Importer, tenant: str) -> int:
    files = [policy(f"d{number}", f"第{number}类商品运费{number}元。") for number in range(12)]
    return await importer.publish(tenant, [*files, policy("vip", "会员运费全免。", audience=["vip"])])


def _heat(importer: Importer, tenant: str, version: int, *, most: int, reached: UUID | None = None) -> list[UUID]:
    with importer.bench.database.transaction(tenant) as connection:
        day = date(2026, 1, 1)
        put = heating.heat_vectors(connection, tenant=tenant, version=version, day=day, reached=reached, limit=most)
    assert put == sorted(put)
    return put


async def _nearest(database: Database, tenant: str, arm: _Arm) -> dict[UUID, float]:
    asked = scoring.Compared(question=scoring.spelled(WordEmbedder().embed([_QUESTION])[0]))
    async with database.snapshot(tenant) as connection:
        row, _ = await opening.find_serving(connection, tenant=tenant, version=None, segments=[PUBLIC_SEGMENT])
        assert row is not None
        view = scoring.View(tenant=tenant, version=row.number, audiences=row.audiences, as_of=_FUTURE)
        (found,) = await scoring.score_together(connection, [arm(view, asked, limit=_WANTED)])
        return found


async def test_hot_vectors_give_what_the_exact_scan_gives(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str
) -> None:
    version = await _publish(importer, tenant)

    async def found() -> list[str]:
        result = await searcher.search(tenant=tenant, segments=(), question=_QUESTION, as_of=_FUTURE)
        return [each.passage.text for each in result.context.found]

    exact = await found()
    put = _heat(importer, tenant, version, most=100)
    again = _heat(importer, tenant, version, most=100)
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE version SET hot = true"))
        await connection.execute(text("UPDATE version_audience SET passages = 100000"))

    assert (len(put), again) == (13, [])
    assert await found() == exact
    assert "会员运费全免。" not in exact
    near = await _nearest(database, tenant, partial(scoring.approximate_arm, width=200))
    assert list(near) == list(await _nearest(database, tenant, scoring.exact_arm))


async def test_vectors_are_put_from_where_the_step_before_ended(importer: Importer, tenant: str) -> None:
    version = await _publish(importer, tenant)

    first = _heat(importer, tenant, version, most=5)
    rest = _heat(importer, tenant, version, most=100, reached=first[-1])
    passed = _heat(importer, tenant, version, most=100, reached=UUID(int=(1 << 128) - 1))

    assert (len(first), len(rest), passed) == (5, 8, [])
    assert max(first) < min(rest)


async def test_all_are_compared_when_the_graph_gives_too_few(
    importer: Importer, database: Database, tenant: str
) -> None:
    version = await _publish(importer, tenant)
    _heat(importer, tenant, version, most=_WANTED - 1)

    near = await _nearest(database, tenant, partial(scoring.approximate_arm, width=200))

    assert list(near) == list(await _nearest(database, tenant, scoring.exact_arm))
    assert len(near) == _WANTED
