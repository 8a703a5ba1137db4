"""The vectors of sentences follow a version in the background: a search does without them, and in the end nothing differs."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.jobs import LostLeaseError
from knowledge.pulse import embed_pending
from knowledge.retrieval.passage import PolicyContext
from knowledge.tasks import sentences as task
from knowledge.tasks.building import advance_import
from knowledge.tasks.leftovers import remove_leftovers
from knowledge.tasks.sentences import embed_sentences
from knowledge.versions.store import releases, sentences
from runtime.database import Database
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, WordEmbedder, owner, policy

pytestmark = pytest.mark.store

_DAY: Final = date(2026, 7, 15)
_RETURNS: Final = policy("returns", "# 退货\n\n七天内可以退货。运费由买家承担。\n\n## 例外\n\n生鲜不能退货。\n")
_INVOICE: Final = policy("invoice", "# 发票\n\n开票后三个工作日内寄出。电子发票当天发送。\n")


@dataclass(frozen=True, slots=True)
class Recording(WordEmbedder):
    """The embedder of the tests, which remembers what it was asked for."""

    asked: list[str] = field(default_factory=list[str])

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed and remember."""
        self.asked.extend(texts)
        return WordEmbedder.embed(self, texts)


@pytest.fixture
async def sweeper(service_database: OpenDatabase) -> AsyncIterator[Database]:
    """Give the sweeper's engine."""
    sweeper = Database(service_database("knowledge").sweeper, pool_size=2)
    yield sweeper
    await sweeper.close()


async def _staged(importer: Importer, tenant: str, *files: object, additive: bool = False) -> int:
    """Take an import to its end without the sentences of its version."""
    import_id = await importer.begin(tenant, files, additive=additive)  # pyright: ignore[reportArgumentType]  # policies
    while advance_import(importer.bench, tenant=tenant, import_id=import_id):
        pass
    version = (await importer.progress(tenant, import_id)).version
    assert version is not None
    return version


async def _search(searcher: DatabaseSearcher, tenant: str, question: str, version: int) -> PolicyContext:
    asked = {"tenant": tenant, "segments": ("public",), "question": question, "as_of": _DAY}
    return (await searcher.search(**asked, version=version)).context  # pyright: ignore[reportArgumentType]  # as above


async def _pending(database: Database, tenant: str, version: int) -> int:
    async with database.transaction(tenant) as connection:
        return (await releases.find_version(connection, version)).sentences_pending


async def _count(database: Database, tenant: str, table: str) -> int:
    async with database.transaction(tenant) as connection:
        return (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()  # noqa: S608 - named below


async def test_a_search_does_without_sentences_until_they_are_there(
    importer: Importer, database: Database, searcher: DatabaseSearcher, tenant: str
) -> None:
    version = await _staged(importer, tenant, _RETURNS, _INVOICE)

    before = await _search(searcher, tenant, "谁承担运费", version)
    assert await _pending(database, tenant, version) == 3
    importer.embed_sentences(tenant, version)
    after = await _search(searcher, tenant, "谁承担运费", version)

    assert await _pending(database, tenant, version) == 0
    for without, found in zip(
        sorted(before.found, key=lambda each: each.passage.passage_id),
        sorted(after.found, key=lambda each: each.passage.passage_id),
        strict=True,
    ):
        spans = [(each.start, each.end) for each in found.passage.sentences]
        assert [(each.start, each.end, each.similarity) for each in without.passage.sentences] == [
            (start, end, 0.0) for start, end in spans
        ]
        assert (without.scores.cosine, without.scores.best_sentence) == (found.scores.cosine, 0.0)
        assert found.scores.best_sentence == max(each.similarity for each in found.passage.sentences)


async def test_the_end_is_the_same_wherever_steps_are_cut_off(
    importer: Importer, database: Database, searcher: DatabaseSearcher, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await importer.publish(tenant, [_RETURNS, _INVOICE])
    monkeypatch.setattr(task, "_PASSAGES_A_STEP", 1)
    killed, bench = f"{tenant}-killed", importer.bench
    version = await _staged(importer, killed, _RETURNS, _INVOICE)
    more = True
    while more:
        # A worker takes the lease and dies; when it is over, another takes the same step.
        with bench.database.transaction(killed) as connection:
            taken = sentences.claim(connection, version=version, embedder="words/512/-", lease_token=uuid7())
            assert taken is not None
        assert not embed_sentences(bench, tenant=killed, version=version)
        with bench.database.transaction(killed) as connection:
            connection.execute(
                text("UPDATE sentence_backlog SET lease_until = clock_timestamp() - interval '1 second'")
            )
        more = embed_sentences(bench, tenant=killed, version=version)

    for question in ("谁承担运费", "发票何时寄出", "生鲜"):
        one = await _search(searcher, tenant, question, whole)
        other = await _search(searcher, killed, question, version)
        assert [(each.passage.text, each.scores, each.passage.sentences) for each in one.found] == [
            (each.passage.text, each.scores, each.passage.sentences) for each in other.found
        ]
    assert await _count(database, killed, "sentence_backlog") == 0


async def test_whoever_lost_the_lease_stores_nothing(importer: Importer, database: Database, tenant: str) -> None:
    version = await _staged(importer, tenant, _RETURNS)
    bench = importer.bench

    class Slow(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            with bench.database.transaction(tenant) as connection:
                connection.execute(text("UPDATE sentence_backlog SET lease_until = clock_timestamp()"))
                assert sentences.claim(connection, version=version, embedder=self.identity, lease_token=uuid7())
            return WordEmbedder.embed(self, texts)

    with pytest.raises(LostLeaseError):
        embed_sentences(replace(bench, embedder=Slow()), tenant=tenant, version=version)

    assert await _count(database, tenant, "sentence") == 0


async def test_a_discarded_version_stops_even_in_the_middle_of_a_step(
    importer: Importer, database: Database, tenant: str
) -> None:
    version = await _staged(importer, tenant, _RETURNS)
    bench = importer.bench

    class Discarding(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            with bench.database.transaction(tenant) as connection:
                connection.execute(text("UPDATE version SET state = 'DISCARDED'"))
            return WordEmbedder.embed(self, texts)

    with pytest.raises(LostLeaseError):
        embed_sentences(replace(bench, embedder=Discarding()), tenant=tenant, version=version)
    while remove_leftovers(bench, tenant=tenant, number=version):
        pass

    assert not embed_sentences(bench, tenant=tenant, version=version)
    assert [await _count(database, tenant, each) for each in ("sentence", "sentence_backlog", "passage")] == [0, 0, 0]


async def test_a_discarded_version_is_not_taken_up_again(importer: Importer, database: Database, tenant: str) -> None:
    version = await _staged(importer, tenant, _RETURNS)
    async with database.transaction(tenant) as connection:
        await releases.discard(connection, owner(tenant), number=version)

    assert not embed_sentences(importer.bench, tenant=tenant, version=version)

    assert [await _count(database, tenant, each) for each in ("sentence", "sentence_backlog")] == [0, 0]


async def test_sentences_of_passages_that_versions_share_are_embedded_once(importer: Importer, tenant: str) -> None:
    first = await _staged(importer, tenant, _RETURNS)
    second = await _staged(importer, tenant, _RETURNS, _INVOICE)
    importer.embed_sentences(tenant, second)
    recording = Recording()

    assert not embed_sentences(replace(importer.bench, embedder=recording), tenant=tenant, version=first)
    third = await _staged(importer, tenant, _RETURNS, _INVOICE)

    assert not embed_sentences(replace(importer.bench, embedder=recording), tenant=tenant, version=third)
    assert recording.asked == []


async def test_another_embedder_leaves_a_version_alone(importer: Importer, database: Database, tenant: str) -> None:
    version = await _staged(importer, tenant, _RETURNS)

    assert not embed_sentences(
        replace(importer.bench, embedder=WordEmbedder("other/512/-")), tenant=tenant, version=version
    )

    assert await _pending(database, tenant, version) == 2


async def test_the_pulse_asks_once_for_every_version_that_waits(
    importer: Importer, database: Database, sweeper: Database, tenant: str
) -> None:
    version = await _staged(importer, tenant, _RETURNS)
    asked: list[tuple[str, int]] = []

    async def pulse() -> list[tuple[str, int]]:
        asked.clear()
        await embed_pending(database, sweeper, lambda tenant, number: asked.append((tenant, number)))
        return [each for each in asked if each[0] == tenant]

    assert (await pulse(), await pulse()) == ([(tenant, version)], [])
    importer.embed_sentences(tenant, version)
    assert await pulse() == []


async def test_a_version_can_be_published_before_its_sentences(
    importer: Importer, database: Database, tenant: str
) -> None:
    version = await _staged(importer, tenant, _RETURNS)

    async with database.transaction(tenant) as connection:
        await releases.approve(connection, owner(tenant), number=version)
        await releases.publish(connection, owner(tenant), number=version, expected_current=None)

    assert await _pending(database, tenant, version) == 2
    importer.embed_sentences(tenant, version)
    assert await _pending(database, tenant, version) == 0
