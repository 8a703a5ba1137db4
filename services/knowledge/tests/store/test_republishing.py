"""Cost follows change: what did not change is neither embedded nor counted again, and the counts are the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pytest
from sqlalchemy import event, text

from contracts.ids import uuid7
from knowledge.ingestion import counting
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks import counting as counting_step
from knowledge.tasks.bench import Bench
from knowledge.tasks.leftovers import remove_leftovers
from runtime.database import Database, SyncDatabase
from tests.support.knowledge import Importer, WordEmbedder, policy

pytestmark = pytest.mark.store

_TWENTIETH = 20


@dataclass(slots=True)
class CountingEmbedder:
    """Fulfils `Embedder` and remembers what it was asked for."""

    identity: str = "words/512/-"
    asked: list[str] = field(default_factory=list[str])

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts. Shapes: one vector of length one a text."""
        self.asked.extend(texts)
        return WordEmbedder().embed(texts)


def _files(count: int, *, changed: int = 0) -> list[SourceFile]:
    bodies = [f"商品{n}的运费为{n}元，编号 R{n}。" for n in range(count)]
    bodies[:changed] = [f"商品{n}的运费改为{n + 1}角，编号 S{n}。" for n in range(changed)]
    return [policy(f"d{n:04}", body, title="规则") for n, body in enumerate(bodies)]


async def _frequencies(database: Database, tenant: str, version: int) -> dict[int, int]:
    listed = text("SELECT term, passages FROM term_frequency WHERE version = :version")
    async with database.transaction(tenant) as connection:
        rows = await connection.execute(listed, {"version": version})
        return {row.term: row.passages for row in rows}


@pytest.fixture
def statements(sync_database: SyncDatabase) -> Iterator[list[str]]:
    """Give the statements a worker runs from here on."""
    heard: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        heard.append(statement)

    event.listen(sync_database.engine, "before_cursor_execute", hear)
    yield heard
    event.remove(sync_database.engine, "before_cursor_execute", hear)


async def test_republishing_embeds_and_asks_for_what_changed_only(
    importer: Importer, tenant: str, statements: list[str]
) -> None:
    embedder = CountingEmbedder()
    counted = replace(importer, bench=replace(importer.bench, embedder=embedder))
    await counted.publish(tenant, _files(200))
    first_texts, first_statements = len(embedder.asked), len(statements)
    # A passage and its only sentence, and the heading they share: nothing twice, although the threads begin with SPLIT.
    assert first_texts == 2 * 200 + 1
    assert [each for each in statements if "ANALYZE" in each and "posting" in each]
    embedder.asked.clear()
    statements.clear()

    await counted.publish(tenant, _files(200, changed=2))

    assert sorted(each.split("编号 ")[1] for each in embedder.asked) == ["S0。", "S0。", "S1。", "S1。"]
    assert len(embedder.asked) * _TWENTIETH <= first_texts
    assert len(statements) <= first_statements
    # The planner hears at once of what has grown, and a hundredth more is no news.
    assert not [each for each in statements if "ANALYZE" in each and "posting" in each]


async def test_counting_what_changed_gives_what_counting_everything_gives(
    importer: Importer, database: Database, tenant: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = f"{tenant}-b"
    ends = policy("ends", "到期的规则。", effective_to="2026-07-15")
    await importer.publish(tenant, [*_files(30), ends])

    def tomorrow(_tenant: str) -> date:
        return date(2026, 7, 16)

    later = Importer(database, replace(bench, today=tomorrow, new_id=uuid7))
    changed = [*_files(28, changed=3), ends, policy("new", "全新的规则。")]
    version = await later.publish(tenant, changed)
    monkeypatch.setattr(counting, "_MOST", 0)
    everything = await later.publish(other, changed)

    by_change = await _frequencies(database, tenant, version)
    assert by_change == await _frequencies(database, other, everything)
    assert by_change != await _frequencies(database, tenant, 1)


async def test_a_base_that_is_discarded_meanwhile_is_not_counted_from(
    importer: Importer, bench: Bench, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = (await importer.stage(tenant, _files(10))).version
    assert first is not None

    def cleared_meanwhile(found: counting.Difference) -> dict[int, int]:
        with bench.database.transaction(tenant) as connection:
            connection.execute(text("UPDATE version SET state = 'DISCARDED' WHERE number = :number"), {"number": first})
        while remove_leftovers(bench, tenant=tenant, number=first):
            pass
        return counting.changed_frequencies(found)

    monkeypatch.setattr(counting_step, "changed_frequencies", cleared_meanwhile)
    second = (await importer.stage(tenant, _files(10, changed=1))).version
    monkeypatch.undo()
    other = f"{tenant}-c"
    alone = (await importer.stage(other, _files(10, changed=1))).version

    assert second is not None
    assert alone is not None
    assert await _frequencies(database, tenant, second) == await _frequencies(database, other, alone)


async def test_a_version_that_is_very_different_is_counted_as_a_whole(
    importer: Importer, tenant: str, monkeypatch: pytest.MonkeyPatch, statements: list[str]
) -> None:
    monkeypatch.setattr(counting, "_ALWAYS", 5)
    await importer.publish(tenant, _files(30))
    statements.clear()

    await importer.publish(tenant, _files(30, changed=20))
    await importer.publish(tenant, _files(30, changed=21))

    wholes = [each for each in statements if "INSERT INTO term_frequency" in each and "FROM version_revision" in each]
    changes = [each for each in statements if "INSERT INTO term_frequency" in each and each not in wholes]
    assert (len(wholes), len(changes)) == (1, 1)
