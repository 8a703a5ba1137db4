"""What was masked is listed without its value, an owner lets single values stay, and no tenant sees another's."""

import pytest
from sqlalchemy import text

from knowledge.ingestion.placed_masks import PlacedMask
from knowledge.versions.store import masks
from knowledge.versions.version import VersionNotFoundError
from runtime.database import Database
from tests.support.knowledge import Importer, owner, policy

pytestmark = pytest.mark.store

_BODY = "# 联系\n\n退货请联系张伟先生，电话 15800002605。\n\n投诉请写信到 li.lei@shop.example。\n"


async def _listed(database: Database, tenant: str, version: int) -> list[masks.ListedMask]:
    async with database.transaction(tenant) as connection:
        return await masks.list_masks(connection, version_number=version, after=None, limit=100)


async def _source(database: Database, tenant: str, version: int) -> str:
    wanted = text("""
        SELECT revision.source FROM revision JOIN version_revision ON version_revision.revision = revision.id
        WHERE version_revision.version = :version
    """)
    async with database.transaction(tenant) as connection:
        return str((await connection.execute(wanted, {"version": version})).scalar_one())


async def _stage(importer: Importer, tenant: str, body: str = _BODY) -> int:
    progress = await importer.stage(tenant, [policy("contact", body)])
    assert progress.version is not None
    return progress.version


async def test_an_import_lists_its_masks_with_what_stands_around(
    importer: Importer, database: Database, tenant: str
) -> None:
    version = await _stage(importer, tenant)

    listed = await _listed(database, tenant, version)

    source = await _source(database, tenant, version)
    assert [each.kind for each in listed] == ["name", "phone", "email"]
    assert [source[each.source_start : each.source_end] for each in listed] == ["[name]", "[phone]", "[email]"]
    assert all(each.context in source and f"[{each.kind}]" in each.context for each in listed)
    assert {(each.slug, each.label, each.is_allowed) for each in listed} == {("contact", "1", False)}


async def test_pages_follow_each_other_without_gap_or_repeat(
    importer: Importer, database: Database, tenant: str
) -> None:
    version = await _stage(importer, tenant)
    whole = await _listed(database, tenant, version)

    pages: list[masks.ListedMask] = []
    after = None
    for _ in whole:
        async with database.transaction(tenant) as connection:
            (each,) = await masks.list_masks(connection, version_number=version, after=after, limit=1)
        pages.append(each)
        after = masks.MaskPlace(
            slug=each.slug, revision=each.revision, field=each.field, source_start=each.source_start
        )

    assert pages == whole


async def test_an_allowance_holds_from_the_next_import_on_until_it_ends(
    importer: Importer, database: Database, tenant: str
) -> None:
    first = await _stage(importer, tenant)
    (_, phone, _) = await _listed(database, tenant, first)
    async with database.transaction(tenant) as connection:
        await masks.allow(connection, owner(tenant), value_hash=phone.value_hash)

    second = await _stage(importer, tenant)

    assert "15800002605" not in await _source(database, tenant, first)
    assert [each.is_allowed for each in await _listed(database, tenant, first)] == [False, True, False]
    assert "15800002605" in await _source(database, tenant, second)
    assert [each.kind for each in await _listed(database, tenant, second)] == ["name", "email"]

    async with database.transaction(tenant) as connection:
        await masks.end_allowance(connection, owner(tenant), value_hash=phone.value_hash)
    third = await _stage(importer, tenant)

    assert "15800002605" not in await _source(database, tenant, third)


async def test_allowing_and_ending_twice_equals_once_and_is_on_record_once(database: Database, tenant: str) -> None:
    value_hash = "a" * 64
    async with database.transaction(tenant) as connection:
        first = await masks.allow(connection, owner(tenant), value_hash=value_hash)
        again = await masks.allow(connection, owner(tenant), value_hash=value_hash)
        listed = await masks.list_allowances(connection, after="", limit=10)
        await masks.end_allowance(connection, owner(tenant), value_hash=value_hash)
        await masks.end_allowance(connection, owner(tenant), value_hash=value_hash)
        left = await masks.list_allowances(connection, after="", limit=10)
        acts = (await connection.execute(text("SELECT act FROM audit_event ORDER BY number"))).scalars().all()

    assert first == again
    assert (listed, left) == ([first], [])
    assert acts == ["MASK_ALLOWED", "MASK_ALLOWANCE_ENDED"]


async def test_storing_masks_again_keeps_the_newest_hash(importer: Importer, database: Database, tenant: str) -> None:
    version = await _stage(importer, tenant)
    (name, _, _) = await _listed(database, tenant, version)
    newer = PlacedMask(field="text", kind="name", start=name.source_start, end=name.source_end, value_hash="b" * 64)

    with importer.bench.database.transaction(tenant) as connection:
        masks.store_masks(connection, tenant=tenant, revision_id=name.revision, masks=[newer])

    assert (await _listed(database, tenant, version))[0].value_hash == "b" * 64
    assert len(await _listed(database, tenant, version)) == 3


async def test_masks_of_the_record_are_listed_with_their_field(
    importer: Importer, database: Database, tenant: str
) -> None:
    record = {
        "title": "找张伟先生退货", "applies_to": "电话 15800002605 的客户", "area": "售后 li.lei@shop.example",
        "tags": ["退货", "致电 13912345678", "li.lei@shop.example"],
    }  # fmt: skip
    progress = await importer.stage(tenant, [policy("contact", "# 联系\n\n请致电客服。\n", **record)])
    assert progress.version is not None

    listed = await _listed(database, tenant, progress.version)

    told = [(each.field, each.kind, each.context) for each in listed]
    assert told == [
        ("applies_to", "phone", "电话 [phone] 的客户"),
        ("area", "email", "售后 [email]"),
        ("tags", "phone", "退货, 致电 [phone], [email]"),
        ("tags", "email", "退货, 致电 [phone], [email]"),
        ("title", "name", "找[name]先生退货"),
    ]
    assert listed[1].value_hash == listed[3].value_hash
    assert all(each.context[each.source_start : each.source_end] == f"[{each.kind}]" for each in listed)


async def test_another_tenant_sees_neither_masks_nor_allowances(
    importer: Importer, database: Database, tenant: str
) -> None:
    version = await _stage(importer, tenant)
    mine = await _listed(database, tenant, version)
    async with database.transaction(tenant) as connection:
        await masks.allow(connection, owner(tenant), value_hash=mine[0].value_hash)
    other = f"{tenant}-other"
    theirs = await _stage(importer, other)

    with importer.bench.database.transaction(other) as connection:
        allowed = masks.allowed_hashes(connection)

    listed = await _listed(database, other, theirs)
    assert allowed == frozenset()
    assert [each.kind for each in listed] == ["name", "phone", "email"]
    assert not {each.value_hash for each in mine} & {each.value_hash for each in listed}


async def test_a_version_that_is_not_there_has_no_masks(database: Database, tenant: str) -> None:
    with pytest.raises(VersionNotFoundError):
        await _listed(database, tenant, 7)
