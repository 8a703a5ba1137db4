"""Documents with their whole record, what became of them, and days that pass without anybody awake."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import text

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.importing import SourceFile
from knowledge.versions.agenda import agenda
from knowledge.versions.differences import changed_documents
from knowledge.versions.store import documents, histories, releases
from knowledge.versions.store.dismissals import list_conflicts
from knowledge.versions.timeline import timeline
from knowledge.versions.version import DocumentNotFoundError
from runtime.clock import business_day
from runtime.database import Database
from tests.support.knowledge import Importer, policy, publisher

pytestmark = pytest.mark.store


async def _found(searcher: DatabaseSearcher, tenant: str, day: date) -> list[str]:
    result = await searcher.search(tenant=tenant, segments=(), question="运费", as_of=day)
    return [each.passage.text for each in result.context.found]


async def test_a_document_keeps_its_whole_record(importer: Importer, database: Database, tenant: str) -> None:
    record: dict[str, object] = {
        "title": "运费规则", "owner": "olga", "area": "logistics", "audience": ["vip", "public"], "tags": ["运费", "a"],
        "priority": 7, "review_date": "2026-12-31", "effective_from": "2026-01-01", "effective_to": "2026-06-30",
        "superseded_by": "2", "applies_to": "大件商品", "requires_facts": ["orderStatus"], "decision": "human",
        "public": True, "source_url": "https://shop.example/fee",
    }  # fmt: skip
    follower = policy("fee", "运费二十元。", label="2", effective_from="2026-07-01")
    await importer.publish(tenant, [policy("fee", "运费十元。", **record), follower])

    async with database.transaction(tenant) as connection:
        first, second = await documents.document_revisions(connection, "fee")
        stored = await documents.revision_text(connection, first.revision_id)

    assert (first.title, first.owner, first.area, first.audience) == (
        "运费规则",
        "olga",
        "logistics",
        ("public", "vip"),
    )
    assert (first.tags, first.priority, first.review_date) == (("运费", "a"), 7, date(2026, 12, 31))
    assert (first.effective_from, first.effective_to, first.superseded_by) == (
        date(2026, 1, 1),
        date(2026, 6, 30),
        "2",
    )
    assert (first.applies_to, first.requires_facts, first.decision) == ("大件商品", ("orderStatus",), "human")
    assert (first.public, first.source_url, first.versions, first.is_current) == (
        True,
        "https://shop.example/fee",
        (1,),
        True,
    )
    assert (second.label, second.effective_to, second.withdrawn_at, stored) == ("2", None, None, "运费十元。")


@pytest.mark.parametrize(
    ("moment", "fee"),
    [
        (datetime(2026, 7, 19, 15, 59, tzinfo=UTC), "运费十元。"),
        (datetime(2026, 7, 19, 16, 0, tzinfo=UTC), "运费二十元。"),
        (datetime(2026, 7, 26, 15, 59, tzinfo=UTC), "运费二十元。"),
        (datetime(2026, 7, 26, 16, 0, tzinfo=UTC), None),
    ],
)
async def test_a_rule_begins_and_ends_at_the_tenants_midnight_with_nobody_awake(
    importer: Importer, searcher: DatabaseSearcher, tenant: str, moment: datetime, fee: str | None
) -> None:
    monday = policy("fee", "运费二十元。", label="2", effective_from="2026-07-20", effective_to="2026-07-26")
    await importer.publish(tenant, [policy("fee", "运费十元。", effective_from="2026-01-01"), monday])

    assert await _found(searcher, tenant, business_day(moment, "Asia/Shanghai")) == ([fee] if fee else [])


async def test_a_version_is_built_for_the_tenants_day_and_not_for_that_of_utc(
    importer: Importer, database: Database, tenant: str
) -> None:
    def tomorrow(_tenant: str) -> date:
        return date(2026, 7, 16)

    late = replace(importer, bench=replace(importer.bench, today=tomorrow))

    await late.publish(tenant, [policy("fee", "运费十元。")])

    async with database.transaction(tenant) as connection:
        built = await connection.execute(text("SELECT built_day FROM version"))
        assert built.scalars().all() == [date(2026, 7, 16)]


async def test_what_was_in_force_then_is_found_then(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    years = [policy("fee", f"运费{n}元。", label=str(n), effective_from=f"202{n}-01-01") for n in range(1, 7)]
    await importer.publish(tenant, years)

    for number in range(1, 7):
        assert await _found(searcher, tenant, date(2020 + number, 12, 31)) == [f"运费{number}元。"]
    assert await _found(searcher, tenant, date(2020, 12, 31)) == []


async def test_a_withdrawn_document_comes_back_when_that_is_undone(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。")])
    result = await searcher.search(tenant=tenant, segments=(), question="运费", as_of=date(2026, 7, 15))
    ids = [each.passage.passage_id for each in result.context.found]

    await importer.withdraw(tenant, "fee")
    assert await _found(searcher, tenant, date(2026, 7, 15)) == []
    assert not await searcher.still_current(tenant=tenant, passage_ids=ids)

    await importer.restore(tenant, "fee")
    await importer.restore(tenant, "fee")
    assert await _found(searcher, tenant, date(2026, 7, 15)) == ["运费十元。"]
    assert await searcher.still_current(tenant=tenant, passage_ids=ids)


async def test_only_a_document_that_exists_is_withdrawn_or_brought_back(importer: Importer, tenant: str) -> None:
    with pytest.raises(DocumentNotFoundError):
        await importer.withdraw(tenant, "nothing")
    with pytest.raises(DocumentNotFoundError):
        await importer.restore(tenant, "nothing")


async def test_a_withdrawal_takes_the_hints_it_is_part_of_along(
    importer: Importer, database: Database, tenant: str
) -> None:
    one = policy("a", "# 退货期限\n\n收到商品后七天内可以申请退货。\n")
    other = policy("b", "# 退货期限\n\n收到商品后十五天内可以申请退货。\n")
    await importer.publish(tenant, [one, other])

    async def hints() -> list[tuple[str, str, str]]:
        async with database.transaction(tenant) as connection:
            found = await list_conflicts(connection, number=1, after=-1, limit=50)
        return [(each.one.slug, each.other.slug, each.other.sentence) for each in found]

    ((first, second, sentence),) = await hints()
    assert ({first, second}, sentence[:5]) == ({"a", "b"}, "收到商品后")
    await importer.withdraw(tenant, "b")
    assert await hints() == []


async def test_hints_are_kept_while_both_texts_are_and_new_ones_are_added(
    importer: Importer, database: Database, tenant: str
) -> None:
    def rule(slug: str, days: str) -> SourceFile:
        return policy(slug, f"# 退货期限\n\n收到商品后{days}天内可以申请退货。\n")

    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五")])
    await importer.publish(tenant, [rule("a", "七"), rule("b", "十五"), rule("c", "三十")])
    await importer.publish(tenant, [rule("a", "七"), rule("c", "三十")])

    told: list[list[tuple[str, ...]]] = []
    for number in (1, 2, 3):
        async with database.transaction(tenant) as connection:
            found = await list_conflicts(connection, number=number, after=-1, limit=50)
        told.append(sorted(tuple(sorted((each.one.slug, each.other.slug))) for each in found))
    assert told == [[("a", "b")], [("a", "b"), ("a", "c"), ("b", "c")], [("a", "c")]]


async def test_a_timeline_tells_what_became_of_a_document(importer: Importer, database: Database, tenant: str) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。")])
    await importer.publish(tenant, [policy("fee", "运费二十元。")])
    async with database.transaction(tenant) as connection:
        await releases.publish(connection, publisher(tenant), number=1, expected_current=2)
    await importer.withdraw(tenant, "fee")
    await importer.restore(tenant, "fee")

    async with database.transaction(tenant) as connection:
        revisions = await documents.document_revisions(connection, "fee")
        entries = timeline(
            revisions, await histories.publications(connection), await histories.removals(connection, "fee")
        )

    assert sorted((each.kind, each.version) for each in entries if each.kind in {"BROUGHT", "DROPPED"}) == [
        ("BROUGHT", 1),
        ("BROUGHT", 1),
        ("BROUGHT", 2),
        ("DROPPED", 1),
        ("DROPPED", 2),
    ]
    assert [each.kind for each in entries][-2:] == ["WITHDRAWN", "RESTORED"]
    assert [each.is_current for each in revisions].count(True) == 1


async def test_two_versions_differ_by_documents_and_fields(importer: Importer, database: Database, tenant: str) -> None:
    same = policy("same", "不变。")
    await importer.publish(tenant, [same, policy("gone", "旧的。"), policy("fee", "运费十元。", owner="olga")])
    await importer.publish(tenant, [same, policy("come", "新的。"), policy("fee", "运费十元。", owner="otto")])

    async with database.transaction(tenant) as connection:
        sides = await documents.differing_documents(connection, before=1, after=2, after_slug="", limit=10)
        page = await documents.differing_documents(connection, before=1, after=2, after_slug="come", limit=1)

    changes = changed_documents(sides)
    assert [(each.slug, each.kind) for each in changes] == [("come", "added"), ("fee", "changed"), ("gone", "removed")]
    ((field,),) = [change.fields for change in changes[1].revisions]
    assert (field.field, field.before, field.after, changes[1].revisions[0].text_changed) == (
        "owner",
        "olga",
        "otto",
        False,
    )
    assert list(page) == ["fee"]


async def test_what_is_due_follows_the_clock(importer: Importer, database: Database, tenant: str) -> None:
    await importer.publish(
        tenant,
        [
            policy("fee", "运费十元。", review_date="2026-07-10"),
            policy("sale", "促销一折。", effective_from="2026-07-20", effective_to="2026-07-31"),
            policy("old", "旧规则。", effective_to="2026-07-01", review_date="2026-01-01"),
            policy("gone", "撤回的。", review_date="2026-01-01"),
        ],
    )
    await importer.withdraw(tenant, "gone")

    async def lists(today: date) -> dict[str, list[str]]:
        async with database.transaction(tenant) as connection:
            rules = await documents.due_rules(connection, today=today, days=10, limit=100)
        found = agenda(rules, today=today, days=10)
        named = {"overdue": found.overdue, "upcoming": found.upcoming, "expiring": found.expiring}
        return {name: [each.slug for each in listed] for name, listed in named.items() if listed}

    assert await lists(date(2026, 7, 9)) == {}
    assert await lists(date(2026, 7, 15)) == {"overdue": ["fee"], "upcoming": ["sale"]}
    assert await lists(date(2026, 7, 25)) == {"overdue": ["fee"], "expiring": ["sale"]}
    assert await lists(date(2026, 8, 1)) == {"overdue": ["fee"]}
