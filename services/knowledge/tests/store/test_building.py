"""An import becomes a version step by step; whatever happens on the way, nothing half-built is visible."""

from datetime import date

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import K1, B, term_id
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.indexing import passage_terms
from knowledge.ingestion.jobs import MOST_TRIES, LostLeaseError, Step
from knowledge.retrieval.searching import NoPublishedVersionError
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.versions.drafting import ImportRunningError
from runtime.database import Database
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)
_RETURNS = policy("returns", "# 退货\n\n## 期限\n\n七天内可以退货。\n\n## 运费\n\n运费由商家承担。\n")
_INVOICE = policy("invoice", "# 发票\n\n开票后三个工作日内寄出。\n")


async def _found(searcher: DatabaseSearcher, tenant: str, question: str, day: date = _DAY) -> list[str]:
    result = await searcher.search(tenant=tenant, segments=("public",), question=question, as_of=day)
    return [found.passage.text for found in result.context.found]


async def _counts(database: Database, tenant: str) -> dict[str, int]:
    names = ("revision", "passage", "posting", "passage_vector", "sentence", "vector_cache", "version")
    async with database.transaction(tenant) as connection:
        return {
            name: (await connection.execute(text(f"SELECT count(*) FROM {name}"))).scalar_one()  # noqa: S608 - names above
            for name in names
        }


async def test_an_import_is_staged_published_and_found(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    progress = await importer.stage(tenant, [_RETURNS, _INVOICE])
    with pytest.raises(NoPublishedVersionError):
        await _found(searcher, tenant, "运费谁承担")

    assert (progress.state, progress.version, progress.passages, progress.vectors) == ("STAGED", 1, 3, 3)
    assert await importer.publish(tenant, [_RETURNS, _INVOICE]) == 2
    assert (await _found(searcher, tenant, "运费谁承担"))[0] == "运费由商家承担。"


async def test_importing_the_same_again_shares_everything(importer: Importer, database: Database, tenant: str) -> None:
    await importer.publish(tenant, [_RETURNS, _INVOICE])
    before = await _counts(database, tenant)

    await importer.publish(tenant, [_RETURNS, _INVOICE])

    assert await _counts(database, tenant) == before | {"version": 2}


async def test_a_step_that_is_cut_off_is_taken_again(
    importer: Importer, database: Database, bench: Bench, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS, _INVOICE])
    other = f"{tenant}-killed"
    import_id = await importer.begin(other, [_RETURNS, _INVOICE])
    more = True
    while more:
        # A worker takes the lease and dies; a pulse frees it; another worker takes the same step.
        with bench.database.transaction(other) as connection:
            assert index_store.claim(connection, import_id, lease_token=uuid7()) is not None
        assert not advance_import(bench, tenant=other, import_id=import_id)
        with bench.database.transaction(other) as connection:
            connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))
        more = advance_import(bench, tenant=other, import_id=import_id)

    progress = await importer.progress(other, import_id)
    assert progress.state == "STAGED"
    assert progress.version is not None
    importer.embed_sentences(other, progress.version)
    assert await _counts(database, other) == await _counts(database, tenant)
    with pytest.raises(NoPublishedVersionError):
        await _found(searcher, other, "退货")


async def test_whoever_lost_the_lease_writes_nothing(importer: Importer, bench: Bench, tenant: str) -> None:
    import_id = await importer.begin(tenant, [_RETURNS])
    with bench.database.transaction(tenant) as connection:
        slow = index_store.claim(connection, import_id, lease_token=uuid7())
        connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))
    assert advance_import(bench, tenant=tenant, import_id=import_id)

    assert slow is not None
    with pytest.raises(LostLeaseError), bench.database.transaction(tenant) as connection:
        index_store.hand_on(connection, slow, step=Step.DONE)


async def test_a_step_that_never_succeeds_ends_as_failed(importer: Importer, bench: Bench, tenant: str) -> None:
    import_id = await importer.begin(tenant, [_RETURNS])
    importer.advance_to(tenant, import_id, Step.SPLIT)
    with bench.database.transaction(tenant) as connection:
        connection.execute(text("UPDATE import_job SET tries = :tries"), {"tries": MOST_TRIES})

    assert not advance_import(bench, tenant=tenant, import_id=import_id)

    progress = await importer.progress(tenant, import_id)
    assert (progress.state, progress.version) == ("FAILED", None)
    assert "SPLIT" in (progress.reason or "")


async def test_a_step_splits_no_more_text_than_fits(importer: Importer, bench: Bench, tenant: str) -> None:
    bodies = [f"{number}。" * 40 for number in range(3)]
    import_id = await importer.begin(tenant, [policy(f"d{n}", body) for n, body in enumerate(bodies)])
    importer.advance_to(tenant, import_id, Step.SPLIT)

    def waiting(characters: int) -> int:
        with bench.database.transaction(tenant) as connection:
            return len(index_store.unsplit_revisions(connection, version=1, limit=50, characters=characters))

    assert [waiting(each) for each in (1, 81, 1_000)] == [1, 2, 3]


async def test_a_bad_file_stops_all_when_the_import_says_so_and_every_problem_is_told(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS])
    before = await _counts(database, tenant)
    empty = SourceFile(path="empty.md", content=b"", header=None)
    foreign = SourceFile(path="foreign.md", content="Zurückgabe é".encode("latin-1"), header=None)

    progress = await importer.stage(tenant, [_INVOICE, empty, foreign], faulty="refuse")

    assert progress.state == "FAILED"
    assert [(each.path, each.code) for each in progress.problems] == [
        ("empty.md", "EMPTY"),
        ("foreign.md", "UNKNOWN_ENCODING"),
    ]
    assert await _counts(database, tenant) == before
    assert (await _found(searcher, tenant, "运费"))[0] == "运费由商家承担。"


async def test_an_import_describes_the_whole_set_unless_it_is_additive(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS])
    await importer.publish(tenant, [_INVOICE], additive=True)
    both = await _found(searcher, tenant, "发票 运费")

    await importer.publish(tenant, [_INVOICE])

    assert len(both) == 3
    assert await _found(searcher, tenant, "发票 运费") == ["开票后三个工作日内寄出。"]


async def test_an_added_revision_ends_the_one_before_it(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。", effective_from="2026-01-01")])
    later = policy("fee", "运费二十元。", label="2", effective_from="2026-08-01")

    await importer.publish(tenant, [later], additive=True)

    assert await _found(searcher, tenant, "运费", date(2026, 7, 31)) == ["运费十元。"]
    assert await _found(searcher, tenant, "运费", date(2026, 8, 1)) == ["运费二十元。"]


async def test_one_import_of_a_tenant_runs_at_a_time(importer: Importer, tenant: str) -> None:
    await importer.begin(tenant, [_RETURNS])

    with pytest.raises(ImportRunningError):
        await importer.begin(tenant, [_INVOICE])


async def test_personal_data_is_nowhere_and_originals_are_forgotten(
    importer: Importer, database: Database, tenant: str
) -> None:
    body = "联系人电话15800002605，客服邮箱 support@shop.example，客服热线400-800-1234。"
    await importer.publish(tenant, [policy("contact", body)])

    async with database.transaction(tenant) as connection:
        texts = (
            await connection.execute(text("SELECT text FROM passage UNION ALL SELECT source FROM revision"))
        ).scalars()
        originals = (await connection.execute(text("SELECT count(content) FROM import_file"))).scalar_one()

    assert set(texts) == {"联系人电话[phone]，客服邮箱 support@shop.example，客服热线400-800-1234。"}
    assert originals == 0


async def test_postings_times_idf_are_bm25(importer: Importer, database: Database, tenant: str) -> None:
    bodies = [
        "退货运费由商家承担。退货七天。",
        "The refund refunds a refunded fee.",
        "运费十元。",
        "七天 AB-1234/5 七天",
    ]
    await importer.publish(tenant, [policy(f"p{number}", body) for number, body in enumerate(bodies)])

    async with database.transaction(tenant) as connection:
        wanted = "SELECT passage.text, revision.title, heading_path, term, impact FROM posting"
        joined = "JOIN passage ON passage.id = posting.passage JOIN revision ON revision.id = passage.revision"
        rows = (await connection.execute(text(f"{wanted} {joined}"))).all()
        frozen = (await connection.execute(text("SELECT average_length FROM analyser_build"))).scalar_one()
    texts = {row.text: passage_terms(row.title, tuple(row.heading_path), row.text) for row in rows}

    assert frozen == pytest.approx(sum(map(len, texts.values())) / len(texts))
    assert {(row.text, row.term): row.impact for row in rows} == pytest.approx(
        {
            (body, term_id(term)): said.count(term)
            * (K1 + 1)
            / (said.count(term) + K1 * (1 - B + B * len(said) / frozen))
            for body, said in texts.items()
            for term in said
        }
    )
