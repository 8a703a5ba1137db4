"""A conflict refuses until its owners let both sentences stand, for who sees both and while neither changes."""

from datetime import date

import pytest

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks import conflicts as conflicts_task
from knowledge.versions import version as version_module
from knowledge.versions.conflicts import ConflictNotFoundError, ListedConflict
from knowledge.versions.store import conflicts as conflicts_store
from knowledge.versions.store import dismissals
from knowledge.versions.store.releases import find_version
from runtime.database import Database
from tests.support.knowledge import Importer, owner, policy

TODAY = date(2026, 11, 29)
QUESTION = "收到商品后几天内可以申请退货？"


def rule(slug: str, days: str, **header: object) -> SourceFile:
    return policy(slug, f"# 退货期限\n\n收到商品后{days}天内可以申请退货。\n", **header)


async def listed(database: Database, tenant: str, number: int) -> list[ListedConflict]:
    async with database.transaction(tenant) as connection:
        return await dismissals.list_conflicts(connection, number=number, after=-1, limit=50)


async def known(searcher: DatabaseSearcher, tenant: str, *segments: str) -> set[str]:
    result = await searcher.search(tenant=tenant, segments=segments, question=QUESTION, as_of=TODAY)
    return {each.other_sentence for each in result.context.conflicts}


async def test_a_dismissal_holds_for_the_next_version_while_neither_sentence_changes(
    importer: Importer, database: Database, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五")])
    (conflict,) = await listed(database, tenant, 1)
    assert conflict.dismissal is None
    assert await known(searcher, tenant) == {"收到商品后七天内可以申请退货。", "收到商品后十五天内可以申请退货。"}

    async with database.transaction(tenant) as connection:
        await dismissals.dismiss_conflict(connection, owner(tenant), key=conflict.key, reason="说的是两种商品")
    assert await known(searcher, tenant) == set()

    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五"), policy("c", "运费十元。")])
    (kept,) = await listed(database, tenant, 2)
    assert kept.dismissal is not None
    assert (kept.key, kept.dismissal.reason, kept.dismissal.dismissed_by) == (conflict.key, "说的是两种商品", "owner")
    assert await known(searcher, tenant) == set()

    await importer.publish(tenant, [rule("a", "七"), rule("b", "三十")])
    (changed,) = await listed(database, tenant, 3)
    assert (changed.key == conflict.key, changed.dismissal) == (False, None)
    assert len(await known(searcher, tenant)) == 2


async def test_a_conflict_that_is_restored_refuses_again(
    importer: Importer, database: Database, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五")])
    (conflict,) = await listed(database, tenant, 1)

    async with database.transaction(tenant) as connection:
        await dismissals.dismiss_conflict(connection, owner(tenant), key=conflict.key, reason="一时之误")
        await dismissals.restore_conflict(connection, owner(tenant), key=conflict.key)
        await dismissals.restore_conflict(connection, owner(tenant), key=conflict.key)

    assert len(await known(searcher, tenant)) == 2
    async with database.transaction(tenant) as connection:
        with pytest.raises(ConflictNotFoundError):
            await dismissals.dismiss_conflict(connection, owner(tenant), key="0" * 64, reason="nothing")


async def test_only_what_the_customer_may_see_disagrees(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五", audience=["vip"])])

    assert await known(searcher, tenant) == set()
    assert len(await known(searcher, tenant, "vip")) == 2
    await importer.withdraw(tenant, "b")
    assert await known(searcher, tenant, "vip") == set()


async def test_rules_for_readers_who_never_see_both_are_not_compared(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [rule("a", "七", audience=["staff"]), rule("b", "十五", audience=["vip"])])

    assert await listed(database, tenant, 1) == []


async def test_a_full_list_says_so_and_lists_further_pairs_once_some_are_dismissed(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (conflicts_task, conflicts_store, version_module):
        monkeypatch.setattr(module, "MOST_CONFLICTS", 2)
    files = [rule("a", "七"), rule("b", "十五"), rule("c", "三十")]

    async def is_cut(number: int) -> bool:
        async with database.transaction(tenant) as connection:
            return (await find_version(connection, number)).conflicts_cut

    await importer.publish(tenant, files)
    first = await listed(database, tenant, 1)
    assert (len(first), await is_cut(1)) == (2, True)
    await importer.publish(tenant, [*files, policy("d", "运费十元。")])
    assert len(await listed(database, tenant, 2)) == 2

    async with database.transaction(tenant) as connection:
        await dismissals.dismiss_conflict(connection, owner(tenant), key=first[0].key, reason="两种商品")
        shown = await dismissals.list_conflicts(connection, number=2, after=-1, limit=50, only_open=True)
    await importer.publish(tenant, [*files, policy("e", "运费二十元。")])

    assert [each.key for each in shown] == [first[1].key]
    assert {each.key for each in first} < {each.key for each in await listed(database, tenant, 3)}
    assert len(await listed(database, tenant, 3)) == 3


async def test_what_is_new_meets_all_that_is_alike_and_only_a_list_of_parts_says_so(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [policy(f"x{number}", f"# 门店{number}\n\n第{number}家门店周一休息。\n") for number in range(5)]

    async def is_partial(number: int) -> bool:
        async with database.transaction(tenant) as connection:
            return (await find_version(connection, number)).conflicts_partial

    await importer.publish(tenant, [rule("a", "七"), *others])
    await importer.publish(tenant, [rule("a", "七"), *others, rule("b", "十五")])
    assert (len(await listed(database, tenant, 2)), await is_partial(2)) == (1, False)

    monkeypatch.setattr(conflicts_task, "_MOST_ALIKE", 0)
    await importer.publish(tenant, [rule("a", "七"), *others, rule("b", "十五"), rule("c", "三十")])
    monkeypatch.undo()
    await importer.publish(tenant, [rule("a", "七"), *others, rule("b", "十五"), rule("c", "三十"), rule("d", "九")])

    assert [await is_partial(number) for number in (3, 4)] == [True, True]
    assert [len(await listed(database, tenant, number)) for number in (3, 4)] == [1, 4]


async def test_a_pair_of_a_much_older_version_is_dismissed_too(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五")])
    (conflict,) = await listed(database, tenant, 1)
    for number in range(6):
        await importer.publish(tenant, [rule("a", "七"), policy("c", f"运费{number + 1}元。")])

    async with database.transaction(tenant) as connection:
        await dismissals.dismiss_conflict(connection, owner(tenant), key=conflict.key, reason="两种商品")

    (kept,) = await listed(database, tenant, 1)
    assert kept.dismissal is not None
