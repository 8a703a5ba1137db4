"""An import goes step by step: cut off anywhere it goes on, and when it ends badly nothing of it stays."""

import io
import zipfile
from collections.abc import AsyncIterator, Iterator
from datetime import date
from itertools import islice
from typing import IO, Final

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion import store as index_store
from knowledge.ingestion.archives import Entry, RefusedArchiveError, take_entries
from knowledge.ingestion.importing import FaultyFile, Masking, RevisionDraft, SourceFile, read_file
from knowledge.ingestion.jobs import LostLeaseError, Step
from knowledge.ingestion.problems import ProblemCode
from knowledge.pulse import clear_leftovers, close_abandoned
from knowledge.tasks import reading, unpacking
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.tasks.leftovers import remove_leftovers
from knowledge.versions.acts import import_subject
from knowledge.versions.drafting import Changes, ImportEndedError, MissingPartError
from knowledge.versions.store import drafts, imports
from knowledge.versions.store.audit import list_acts
from runtime.database import Database
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_RETURNS: Final = policy("returns", "# 退货\n\n## 期限\n\n七天内可以退货。\n\n## 运费\n\n运费由商家承担。\n")
_OLD: Final = policy("returns", "# 退货\n\n三天内可以退货。\n", label="0")
_INVOICE: Final = policy("invoice", "# 发票\n\n开票后三个工作日内寄出。\n")
_EMPTY: Final = SourceFile(path="empty.md", content=b"", header={"slug": "empty"})
_BUILT: Final = (
    "document", "revision", "version_revision", "passage", "posting", "passage_vector", "sentence", "term_frequency",
    "mask", "read_draft", "archive_part", "passage_pair", "passage_duplicate", "passage_likeness",
    "conflict_hint", "conflict_omitted",
)  # fmt: skip


def _archive(*files: tuple[str, str]) -> SourceFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as opened:
        for path, content in files:
            opened.writestr(path, content)
    return SourceFile(path="policies.zip", content=held.getvalue(), header=None)


def _markdown(slug: str, body: str, label: str = "1") -> str:
    return f"---\nslug: {slug}\nlabel: '{label}'\nlanguage: zh\n---\n# {slug}\n\n{body}\n"


async def _rows(database: Database, tenant: str) -> dict[str, int]:
    async with database.transaction(tenant) as connection:
        return {
            name: (await connection.execute(text(f"SELECT count(*) FROM {name}"))).scalar_one()  # noqa: S608 - names above
            for name in _BUILT
        }


@pytest.fixture
async def sweeper(service_database: OpenDatabase) -> AsyncIterator[Database]:
    """Give the sweeper's engine."""
    sweeper = Database(service_database("knowledge").sweeper, pool_size=2)
    yield sweeper
    await sweeper.close()


async def test_a_faulty_file_is_left_out_and_the_rest_is_staged(importer: Importer, tenant: str) -> None:
    progress = await importer.stage(tenant, [_RETURNS, _EMPTY, _INVOICE])

    assert (progress.state, progress.files_done, progress.passages, progress.problems_total) == ("STAGED", 3, 3, 1)
    assert [(each.path, each.code) for each in progress.problems] == [("empty.md", "EMPTY")]
    assert progress.changes == Changes(added=2, changed=0, removed=0, unchanged=0)


async def test_a_document_with_a_faulty_file_is_left_out_whole(importer: Importer, tenant: str) -> None:
    broken = policy("returns", "", label="2")

    progress = await importer.stage(tenant, [_RETURNS, broken, _INVOICE])

    assert {(each.path, each.code) for each in progress.problems} == {
        ("returns-2.md", "EMPTY"),
        ("returns-1.md", "LEFT_OUT"),
    }
    assert progress.changes == Changes(added=1, changed=0, removed=0, unchanged=0)


async def test_an_import_of_which_nothing_is_left_fails(importer: Importer, tenant: str) -> None:
    progress = await importer.stage(tenant, [_EMPTY])

    assert (progress.state, progress.version, progress.problems_total) == ("FAILED", None, 1)


async def test_an_import_without_files_fails(importer: Importer, tenant: str) -> None:
    progress = await importer.stage(tenant, [])

    assert (progress.state, [each.code for each in progress.problems]) == ("FAILED", ["NOTHING_TO_IMPORT"])


async def test_an_equal_import_says_that_nothing_changed_and_reads_nothing_again(
    importer: Importer, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await importer.publish(tenant, [_RETURNS, _INVOICE])
    monkeypatch.setattr(reading, "read_file", None)

    progress = await importer.stage(tenant, [_RETURNS, _INVOICE])

    assert progress.changes == Changes(added=0, changed=0, removed=0, unchanged=2)


async def test_changes_are_counted_by_document(importer: Importer, tenant: str) -> None:
    await importer.publish(tenant, [_RETURNS, _INVOICE, policy("old", "旧规。")])

    progress = await importer.stage(tenant, [_RETURNS, policy("invoice", "五天内寄出。"), policy("new", "新规。")])

    assert progress.changes == Changes(added=1, changed=1, removed=1, unchanged=1)


async def test_an_additive_import_names_the_version_it_builds_on(importer: Importer, bench: Bench, tenant: str) -> None:
    base = await importer.publish(tenant, [_RETURNS])

    progress = await importer.stage(tenant, [_INVOICE], additive=True)

    with bench.database.transaction(tenant) as connection:
        named = connection.execute(
            text("SELECT base_version FROM version WHERE number = :number"), {"number": progress.version}
        ).scalar_one()
    assert named == base
    assert progress.changes == Changes(added=1, changed=0, removed=0, unchanged=1)


@pytest.mark.parametrize("bounds", [(1, 10_000), (200, 1)])
async def test_files_are_read_and_forgotten_in_bounded_batches(
    importer: Importer, bench: Bench, tenant: str, monkeypatch: pytest.MonkeyPatch, bounds: tuple[int, int]
) -> None:
    monkeypatch.setattr(reading, "_FILES_A_STEP", bounds[0])
    monkeypatch.setattr(reading, "_BYTES_A_STEP", bounds[1])
    import_id = await importer.begin(tenant, [_RETURNS, _INVOICE])

    assert advance_import(bench, tenant=tenant, import_id=import_id)

    with bench.database.transaction(tenant) as connection:
        waiting = connection.execute(text("SELECT path FROM import_file WHERE content IS NOT NULL")).scalars().all()
    progress = await importer.progress(tenant, import_id)
    assert (waiting, progress.step, progress.files_done) == (["invoice-1.md"], Step.READ, 1)
    assert progress.seconds_left is not None


async def test_an_archive_with_a_manifest_becomes_documents(importer: Importer, tenant: str) -> None:
    row = '{"doc_id": "law", "version": 3, "title": "法", "lang": "zh-Hant", "path": "laws/law.txt"}\n'
    packed = _archive(
        ("laws/law.txt", "第一条 七天内可以退货。"),
        ("laws/manifest.jsonl", row),
        ("fees.md", _markdown("fees", "十元。")),
    )

    progress = await importer.stage(tenant, [packed, _INVOICE])

    assert (progress.state, progress.files_total, progress.files_done, progress.problems) == ("STAGED", 3, 3, ())


async def test_a_document_whose_manifest_names_a_file_that_is_not_there_is_left_out(
    importer: Importer, tenant: str
) -> None:
    row = '{"doc_id": "law", "version": %d, "title": "法", "lang": "zh", "path": "%d.txt"}\n'
    packed = _archive(
        ("1.txt", "第一条 七天内可以退货。"),
        ("manifest.jsonl", "\ufeff" + row % (1, 1) + row % (2, 2)),
        ("fees.md", _markdown("fees", "十元。")),
    )

    progress = await importer.stage(tenant, [packed])

    assert [(each.path, each.code) for each in progress.problems] == [
        ("manifest.jsonl", "MISSING"),
        ("1.txt", "LEFT_OUT"),
    ]
    assert progress.changes == Changes(added=1, changed=0, removed=0, unchanged=0)


@pytest.mark.parametrize("entries_a_step", [1, 2_000])
@pytest.mark.filterwarnings("ignore:Duplicate name")
async def test_of_two_entries_with_one_path_the_first_stays_and_it_is_told(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch, entries_a_step: int
) -> None:
    monkeypatch.setattr(unpacking, "_ENTRIES_A_STEP", entries_a_step)

    progress = await importer.stage(tenant, [_archive(("a.txt", "一。"), ("a.txt", "二。"))])

    assert [(each.path, each.code) for each in progress.problems] == [("a.txt", "DUPLICATE")]
    async with database.transaction(tenant) as connection:
        assert list((await connection.execute(text("SELECT source FROM revision"))).scalars()) == ["一。"]


async def test_a_manifest_of_nonsense_ends_with_a_bounded_list(importer: Importer, tenant: str) -> None:
    packed = _archive(("manifest.jsonl", "x\n" * 3_000), ("fees.md", _markdown("fees", "十元。")))

    progress = await importer.stage(tenant, [packed])

    assert (progress.state, progress.problems_total) == ("STAGED", 1_000)


async def test_a_refused_archive_leaves_nothing_and_the_rest_is_staged(
    importer: Importer, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_ENTRIES_A_STEP", 1)
    cut = _archive(("a.md", _markdown("a", "一。")))
    damaged = SourceFile(path=cut.path, content=cut.content[:-10], header=None)

    progress = await importer.stage(tenant, [damaged, _INVOICE])

    assert [(each.path, each.field, each.code) for each in progress.problems] == [
        ("policies.zip", "archive", "DAMAGED")
    ]
    assert (progress.files_total, progress.changes) == (1, Changes(added=1, changed=0, removed=0, unchanged=0))


async def test_a_refused_archive_leaves_a_file_of_the_same_path_alone(
    importer: Importer, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_one(archive: IO[bytes], path: str, *, size_bytes: int, done: int, unpacked_bytes: int) -> Iterator[Entry]:
        if done:
            raise RefusedArchiveError(ProblemCode.DAMAGED, "It ends in the middle.")
        taken = take_entries(archive, path, size_bytes=size_bytes, done=done, unpacked_bytes=unpacked_bytes)
        yield from islice(taken, 1)
        raise AssertionError("a step takes one entry")

    monkeypatch.setattr(unpacking, "_ENTRIES_A_STEP", 1)
    monkeypatch.setattr(unpacking, "take_entries", take_one)
    loose = SourceFile(path="a.md", content=_markdown("a", "一。").encode(), header=None)
    packed = _archive(("a.md", _markdown("a", "二。")), ("b.md", _markdown("b", "三。")))

    progress = await importer.stage(tenant, [loose, packed])

    assert [(each.path, each.code) for each in progress.problems] == [
        ("a.md", "DUPLICATE"),
        ("policies.zip", "DAMAGED"),
    ]
    assert progress.changes == Changes(added=1, changed=0, removed=0, unchanged=0)


async def test_parts_of_an_archive_come_in_order_and_a_first_one_begins_anew(
    importer: Importer, database: Database, tenant: str
) -> None:
    packed = _archive(("a.md", _markdown("a", "一。")), ("b.md", _markdown("b", "二。"))).content
    import_id = await importer.open(tenant)

    async def send(number: int, content: bytes) -> None:
        async with database.transaction(tenant) as connection:
            await imports.add_part(
                connection, tenant=tenant, import_id=import_id, path="p.zip", number=number, content=content
            )

    with pytest.raises(MissingPartError):
        await send(1, packed)
    await send(0, b"something else")
    await send(1, b"more of it")
    for number, part in enumerate((packed[:50], packed[50:])):
        await send(number, part)
    progress = await importer.finish(tenant, import_id)

    assert (progress.state, progress.files_done, progress.passages) == ("STAGED", 2, 2)


async def test_every_step_can_be_cut_off_after_its_work_and_before_its_commit(
    importer: Importer,
    bench: Bench,
    database: Database,
    searcher: DatabaseSearcher,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_FILES_A_STEP", 2)
    monkeypatch.setattr(reading, "_DRAFTS_A_STEP", 2)
    monkeypatch.setattr(unpacking, "_ENTRIES_A_STEP", 1)
    packed = _archive(*((f"{slug}.md", _markdown(slug, f"{slug}：七天。")) for slug in "abc"))
    whole = f"{tenant}-whole"
    for each in (whole, tenant):
        await importer.publish(each, [_OLD])
    await importer.stage(whole, [packed, _RETURNS, _EMPTY])
    import_id = await importer.begin(tenant, [packed, _RETURNS, _EMPTY])
    ends = {index_store: "hand_on", drafts: "stage"}
    whole_ends = {module: getattr(module, name) for module, name in ends.items()}

    def killed(*_args: object, **_keywords: object) -> None:
        raise LostLeaseError

    steps: list[Step] = []
    more = True
    while more:
        steps.append((await importer.progress(tenant, import_id)).step)
        for module, name in ends.items():
            monkeypatch.setattr(module, name, killed)
        with pytest.raises(LostLeaseError):
            advance_import(bench, tenant=tenant, import_id=import_id)
        for module, name in ends.items():
            monkeypatch.setattr(module, name, whole_ends[module])
        found = await searcher.search(tenant=tenant, segments=(), question="退货", as_of=date(2026, 7, 15))
        assert [each.passage.text for each in found.context.found] == ["三天内可以退货。"]
        with bench.database.transaction(tenant) as connection:
            connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))
        more = advance_import(bench, tenant=tenant, import_id=import_id)

    assert set(steps) == set(Step) - {Step.HEAT, Step.DONE}
    progress = await importer.progress(tenant, import_id)
    importer.embed_sentences(tenant, progress.version or 0)
    assert await _rows(database, tenant) == await _rows(database, whole)
    assert (progress.state, progress.files_done, progress.passages, progress.vectors) == ("STAGED", 5, 5, 5)
    assert progress.problems == (await importer.progress(tenant, import_id)).problems


async def test_a_file_that_ends_whoever_reads_it_is_left_out(
    importer: Importer, bench: Bench, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = policy("deadly", "# 保修\n\n两年。\n")

    def read_or_end(file: SourceFile, masking: Masking) -> RevisionDraft | FaultyFile:
        if file.path == deadly.path:
            raise MemoryError
        return read_file(file, masking)

    monkeypatch.setattr(reading, "read_file", read_or_end)
    import_id = await importer.begin(tenant, [_RETURNS, deadly, _INVOICE])
    more = True
    while more:
        try:
            more = advance_import(bench, tenant=tenant, import_id=import_id)
        except MemoryError:
            with bench.database.transaction(tenant) as connection:
                connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))

    progress = await importer.progress(tenant, import_id)
    assert (progress.state, progress.files_done, progress.passages) == ("STAGED", 3, 3)
    assert [(each.path, each.code) for each in progress.problems] == [(deadly.path, ProblemCode.UNREADABLE)]


@pytest.mark.parametrize("step", [None, Step.READ, Step.LINK, Step.STORE, Step.COMPARE, Step.INDEX, Step.STAGE])
async def test_a_discarded_import_leaves_nothing_behind(
    importer: Importer, bench: Bench, database: Database, sweeper: Database, tenant: str, step: Step | None
) -> None:
    await importer.publish(tenant, [_RETURNS])
    before = await _rows(database, tenant)
    contact = policy("contact", "联系人电话15800002605。\n\n七天内答复。")
    import_id = await (
        importer.open(tenant, [contact]) if step is None else importer.begin(tenant, [contact, _RETURNS])
    )
    if step is not None:
        importer.advance_to(tenant, import_id, step)

    async with database.transaction(tenant) as connection:
        assert await imports.discard_import(connection, import_id, reason="wrong folder")
        assert not await imports.discard_import(connection, import_id, reason="again")
    assert not advance_import(bench, tenant=tenant, import_id=import_id)

    def clear(owner: str, number: int) -> None:
        while remove_leftovers(bench, tenant=owner, number=number):
            pass

    while await clear_leftovers(database, sweeper, clear):
        pass
    progress = await importer.progress(tenant, import_id)
    assert (progress.state, progress.reason, progress.version) == ("DISCARDED", "wrong folder", None)
    assert await _rows(database, tenant) == before
    with bench.database.transaction(tenant) as connection:
        contents = connection.execute(text("SELECT count(content) FROM import_file")).scalar_one()
        waiting = connection.execute(
            text("SELECT count(*) FROM version WHERE state = 'DISCARDED' AND cleaned_at IS NULL")
        ).scalar_one()
    assert (contents, waiting) == (0, 0)


async def test_what_another_version_came_to_share_survives_the_clearing(
    importer: Importer, bench: Bench, database: Database, tenant: str
) -> None:
    import_id = await importer.begin(tenant, [_RETURNS, _INVOICE])
    importer.advance_to(tenant, import_id, Step.COUNT)
    async with database.transaction(tenant) as connection:
        await imports.discard_import(connection, import_id, reason="")
    remove_leftovers(bench, tenant=tenant, number=1)

    progress = await importer.stage(tenant, [_RETURNS])
    while remove_leftovers(bench, tenant=tenant, number=1):
        pass

    assert (progress.state, progress.passages, progress.vectors) == ("STAGED", 2, 2)
    rows = await _rows(database, tenant)
    assert (rows["revision"], rows["passage"], rows["passage_vector"]) == (1, 2, 2)


async def test_an_ended_import_is_not_discarded(importer: Importer, database: Database, tenant: str) -> None:
    progress = await importer.stage(tenant, [_RETURNS])

    async with database.transaction(tenant) as connection:
        with pytest.raises(ImportEndedError):
            await imports.discard_import(connection, progress.import_id, reason="")


async def test_an_import_that_nobody_started_is_closed_after_a_day(
    importer: Importer, bench: Bench, database: Database, sweeper: Database, tenant: str
) -> None:
    waiting = await importer.open(tenant, [_RETURNS])
    fresh = await importer.open(tenant, [_INVOICE])
    with bench.database.transaction(tenant) as connection:
        connection.execute(
            text("UPDATE import_job SET created_at = created_at - interval '25 hours' WHERE id = :id"), {"id": waiting}
        )

    assert await close_abandoned(database, sweeper) == 1

    states = [(await importer.progress(tenant, each)).state for each in (waiting, fresh)]
    async with database.transaction(tenant) as connection:
        acts = await list_acts(connection, before=None, limit=10)
    assert [(each.actor, each.act, each.subject) for each in acts] == [
        ("owner", "IMPORT_DISCARDED", import_subject(waiting))
    ]
    with bench.database.transaction(tenant) as connection:
        held = connection.execute(text("SELECT path FROM import_file WHERE content IS NOT NULL")).scalars().all()
    assert (states, held) == (["DISCARDED", "RECEIVING"], ["invoice-1.md"])


async def test_a_worker_in_the_middle_of_a_step_cannot_store_what_was_discarded(
    importer: Importer, bench: Bench, database: Database, tenant: str
) -> None:
    import_id = await importer.begin(tenant, [_RETURNS])
    with bench.database.transaction(tenant) as connection:
        job = index_store.claim(connection, import_id, lease_token=uuid7())
    assert job is not None
    async with database.transaction(tenant) as connection:
        await imports.discard_import(connection, import_id, reason="")

    with pytest.raises(LostLeaseError):
        reading.read(bench, tenant, job)

    assert (await _rows(database, tenant))["read_draft"] == 0
