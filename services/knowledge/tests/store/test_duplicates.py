"""A version lists its passages that say the same, and its revisions of one document are no duplicates."""

import pytest

from knowledge.versions.store.duplicates import ListedDuplicate, list_duplicates
from runtime.database import Database
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_RULE = "自签收之日起七天内可以无理由退货，运费由商家承担，食品、鲜花和定制商品除外，退款在五个工作日内到账。"


async def _duplicates(database: Database, tenant: str, limit: int = 100) -> list[ListedDuplicate]:
    async with database.transaction(tenant) as connection:
        found = await list_duplicates(connection, number=1, after=0, limit=limit)
        if len(found) == limit:
            found += await list_duplicates(connection, number=1, after=found[-1].ordinal, limit=limit)
    return found


async def test_equal_and_nearly_equal_passages_are_listed_the_most_alike_first(
    importer: Importer, database: Database, tenant: str
) -> None:
    files = [
        policy("a", _RULE),
        policy("b", _RULE),
        policy("c", _RULE.replace("五个工作日", "六个工作日")),
        policy("d", "发票在开票后三个工作日内寄到您留下的地址，请核对抬头。"),
        policy("short", "十元。"),
        policy("short-too", "十元。"),
    ]
    await importer.stage(tenant, files)

    found = await _duplicates(database, tenant, limit=2)

    pairs = [{each.one.slug, each.other.slug} for each in found]
    assert (len(pairs), pairs[2] in ({"a", "c"}, {"b", "c"})) == (3, True)
    assert all(pair in pairs[:2] for pair in ({"a", "b"}, {"short", "short-too"}))
    assert [each.similarity == 1 for each in found] == [True, True, False]
    assert (_RULE, _RULE) in [(each.one.text, each.other.text) for each in found]


async def test_a_withdrawn_text_is_listed_no_more(importer: Importer, database: Database, tenant: str) -> None:
    await importer.stage(tenant, [policy("a", _RULE), policy("b", _RULE)])

    await importer.withdraw(tenant, "a")

    assert await _duplicates(database, tenant) == []


async def test_revisions_of_one_document_are_not_compared(importer: Importer, database: Database, tenant: str) -> None:
    later = policy("a", _RULE, label="2", effective_from="2026-01-01")
    twice = policy(
        "twice", f"# 甲\n\n## 一\n\n{_RULE.replace('七天', '八天')}\n\n## 二\n\n{_RULE.replace('七天', '八天')}\n"
    )

    await importer.stage(tenant, [policy("a", _RULE), later, twice])

    found = await _duplicates(database, tenant)
    assert ("twice", "twice") in [(each.one.slug, each.other.slug) for each in found]
    assert ("a", "a") not in [(each.one.slug, each.other.slug) for each in found]
