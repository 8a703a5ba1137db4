"""The bytes of an import are kept encrypted for its owner, follow their revision, and go when they are told to."""

import io
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest
from sqlalchemy import text

from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.jobs import Step
from knowledge.tasks.bench import Bench
from knowledge.tasks.leftovers import remove_leftovers
from knowledge.tasks.originals import seal_stale
from knowledge.versions.originals import ListedOriginal, OriginalNotFoundError, OriginalSealedError
from knowledge.versions.store import imports, originals, releases
from runtime.database import Database
from runtime.sealing import KeyRing
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, owner, policy, publisher

pytestmark = pytest.mark.store

_BODY: Final = "# 联系\n\n退货请联系张伟先生，电话 15800002605。\n"
_OLD, _NEW = bytes(32), bytes([7]) * 32


@pytest.fixture
async def sweeper(service_database: OpenDatabase) -> AsyncIterator[Database]:
    found = Database(service_database("knowledge").sweeper, pool_size=1)
    yield found
    await found.close()


async def _listed(database: Database, tenant: str) -> list[ListedOriginal]:
    async with database.transaction(tenant) as connection:
        return await originals.list_originals(connection, slug=None, after=None, limit=100)


async def _fetched(database: Database, tenant: str, listed: ListedOriginal, *keys: bytes) -> bytes:
    ring = KeyRing(keys or (_OLD,))
    async with database.transaction(tenant) as connection:
        found = await originals.fetch_original(connection, owner(tenant), revision_id=listed.revision_id, ring=ring)
    return found.content


async def _delete(database: Database, tenant: str, listed: ListedOriginal) -> None:
    async with database.transaction(tenant) as connection:
        await originals.delete_original(connection, owner(tenant), revision_id=listed.revision_id)


async def _stored(database: Database, tenant: str) -> list[bytes]:
    """Give all bytes that any table has of files."""
    held: list[bytes] = []
    async with database.transaction(tenant) as connection:
        for table in ("import_file", "archive_part", "draft_original", "original"):
            rows = await connection.execute(text(f"SELECT content FROM {table}"))  # noqa: S608 - names above
            held += [bytes(each) for each in rows.scalars() if each is not None]
    return held


async def test_an_original_is_kept_encrypted_and_comes_back_as_it_was(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.stage(tenant, [policy("contact", _BODY)])

    (listed,) = await _listed(database, tenant)

    assert (listed.slug, listed.path, listed.size_bytes) == ("contact", "contact-1.md", len(_BODY.encode()))
    assert await _fetched(database, tenant, listed) == _BODY.encode()
    assert not any(b"15800002605" in each for each in await _stored(database, tenant))


async def test_files_that_wait_are_encrypted_too(importer: Importer, database: Database, tenant: str) -> None:
    import_id = await importer.open(tenant, [policy("contact", _BODY)])
    async with database.transaction(tenant) as connection:
        await imports.add_part(
            connection, tenant=tenant, import_id=import_id, path="a.zip", number=0, content=_BODY.encode(),
            ring=importer.bench.ring,
        )  # fmt: skip

    stored = await _stored(database, tenant)

    assert [len(each) - len(_BODY.encode()) for each in stored] == [28, 28]
    assert not any(b"15800002605" in each for each in stored)


async def test_what_is_sealed_for_one_revision_does_not_open_for_another(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.stage(tenant, [policy("a", _BODY), policy("b", "# B\n\n另一条。\n")])
    one, other = await _listed(database, tenant)
    swap = text("""
        UPDATE original SET content = other.content FROM original AS other
        WHERE original.revision = :one AND other.revision = :other
    """)
    async with database.transaction(tenant) as connection:
        await connection.execute(swap, {"one": one.revision_id, "other": other.revision_id})

    with pytest.raises(OriginalSealedError):
        await _fetched(database, tenant, one)


async def test_a_failed_and_a_discarded_import_keep_none(
    importer: Importer, database: Database, tenant: str, bench: Bench
) -> None:
    failed = await importer.begin(tenant, [policy("a", _BODY), policy("b", "")], faulty="refuse")
    importer.advance_to(tenant, failed, Step.LINK)
    held = await _stored(database, tenant)
    await importer.finish(tenant, failed)
    after_failure = await _stored(database, tenant)
    number = (await importer.stage(tenant, [policy("a", _BODY)])).version
    assert number is not None
    async with database.transaction(tenant) as connection:
        await releases.discard(connection, publisher(tenant), number=number)
    while remove_leftovers(bench, tenant=tenant, number=number):
        pass

    assert (len(held), after_failure) == (1, [])
    assert await _stored(database, tenant) == []


async def test_a_revision_that_shares_its_text_gets_a_copy_of_its_own(
    importer: Importer, database: Database, tenant: str
) -> None:
    first = policy("a", _BODY, label="2026-01", effective_from="2026-01-01")
    later = policy("a", "# 联系\n\n另一条。\n", label="2026-07", effective_from="2026-07-01")
    await importer.publish(tenant, [first])

    await importer.stage(tenant, [first, later])

    listed = sorted(await _listed(database, tenant), key=lambda each: each.label)
    assert [each.label for each in listed] == ["2026-01", "2026-01", "2026-07"]
    assert [await _fetched(database, tenant, each) for each in listed[:2]] == [first.content] * 2


async def test_a_known_revision_gets_the_bytes_it_was_read_from_last(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [policy("a", _BODY)])
    newer = policy("a", _BODY.replace("15800002605", "15800002606"))

    await importer.publish(tenant, [newer])

    (listed,) = await _listed(database, tenant)
    assert await _fetched(database, tenant, listed) == newer.content


async def test_deleted_bytes_are_gone_everywhere_and_do_not_come_back(
    importer: Importer, database: Database, tenant: str
) -> None:
    file, elsewhere = policy("a", _BODY), policy("b", _BODY)
    await importer.publish(tenant, [file, elsewhere])
    listed, _ = await _listed(database, tenant)

    await _delete(database, tenant, listed)
    await _delete(database, tenant, listed)
    await importer.stage(tenant, [file, policy("c", _BODY)])

    held = await _listed(database, tenant)
    assert [(each.slug, each.deleted_by) for each in held] == [("a", "owner"), ("b", "owner")]
    assert await _stored(database, tenant) == []
    with pytest.raises(OriginalNotFoundError):
        await _fetched(database, tenant, listed)
    async with database.transaction(tenant) as connection:
        acts = await connection.execute(text("SELECT act FROM audit_event WHERE act LIKE 'ORIGINAL%'"))
        assert acts.scalars().all() == ["ORIGINAL_DELETED"]


async def test_a_tenant_that_keeps_none_has_none(importer: Importer, database: Database, tenant: str) -> None:
    def keeps_none(_tenant: str) -> bool:
        return False

    bare = replace(importer.bench, keeps_originals=keeps_none)

    await Importer(database, bare).publish(tenant, [policy("a", _BODY)])

    assert await _listed(database, tenant) == []
    assert await _stored(database, tenant) == []


async def test_an_installation_without_keys_imports_as_before(
    importer: Importer, database: Database, tenant: str
) -> None:
    bare = replace(importer.bench, ring=None)

    progress = await Importer(database, bare).stage(tenant, [policy("a", _BODY)])

    assert (progress.state, await _listed(database, tenant)) == ("STAGED", [])


async def test_an_exchanged_key_takes_over_what_the_old_one_opened(
    importer: Importer, database: Database, sweeper: Database, tenant: str
) -> None:
    await importer.publish(tenant, [policy("a", _BODY), policy("b", "# B\n\n另一条。\n")])
    both = KeyRing([_NEW, _OLD])

    renewed = await seal_stale(database, sweeper, both)
    again = await seal_stale(database, sweeper, both)

    listed = await _listed(database, tenant)
    # Those of the tests before are among them.
    assert (renewed >= 2, again) == (True, 0)
    assert await _fetched(database, tenant, listed[0], _NEW) == _BODY.encode()


async def test_an_original_whose_key_is_gone_does_not_bar_the_next_import(
    importer: Importer, database: Database, tenant: str
) -> None:
    first = policy("a", _BODY, label="2026-01", effective_from="2026-01-01")
    await importer.publish(tenant, [first])
    later = policy("a", "# 联系\n\n另一条。\n", label="2026-07", effective_from="2026-07-01")
    other = Importer(database, replace(importer.bench, ring=KeyRing([_NEW])))

    progress = await other.stage(tenant, [first, later])

    assert progress.state == "STAGED"
    assert [each.label for each in await _listed(database, tenant)] == ["2026-01", "2026-07"]


async def test_another_tenant_sees_no_original(importer: Importer, database: Database, tenant: str) -> None:
    await importer.stage(tenant, [policy("a", _BODY)])
    (mine,) = await _listed(database, tenant)

    assert await _listed(database, f"{tenant}-b") == []
    with pytest.raises(OriginalNotFoundError):
        await _fetched(database, f"{tenant}-b", mine)


async def test_a_file_comes_out_of_an_archive_with_its_original(
    importer: Importer, database: Database, tenant: str
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        opened.writestr("a.txt", _BODY)

    await importer.stage(tenant, [SourceFile(path="all.zip", content=packed.getvalue(), header=None)])

    (listed,) = await _listed(database, tenant)
    assert await _fetched(database, tenant, listed) == _BODY.encode()
