"""A second arm finds what words and the first arm miss, and an arm that something else built is left out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import text

from knowledge.adapters.e5 import E5Embedder
from knowledge.adapters.embedder import EmbeddingPool, Reading
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.embedding import SecondEmbedder, Vector
from knowledge.ingestion.jobs import Step
from knowledge.retrieval.passage import PolicyContext
from knowledge.retrieval.searching import IndexedOtherwiseError
from knowledge.tasks.building import advance_import
from runtime.database import Database
from tests.support.knowledge import Importer, WordEmbedder, policy
from tests.support.second_words import SynonymEmbedder

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)
_FILES = [
    policy("fee", "运费由商家承担。"),
    policy("invoice", "开票后三个工作日内寄出。"),
    policy("secret", "运费全免。", audience=["vip"]),
    policy("old", "运费十元。", effective_to="2025-01-01"),
]


def _always(second: SecondEmbedder) -> Callable[[str], SecondEmbedder]:
    def of(_tenant: str) -> SecondEmbedder:
        return second

    return of


@pytest.fixture
def armed(importer: Importer) -> Importer:
    """Give an importer whose tenants have the second arm."""
    return replace(importer, bench=replace(importer.bench, second=_always(SynonymEmbedder())))


@pytest.fixture
def pool() -> Iterator[EmbeddingPool]:
    """Give a pool that reads questions with both arms."""
    opened = EmbeddingPool(WordEmbedder(), queue=16, second=SynonymEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def both(database: Database, pool: EmbeddingPool) -> DatabaseSearcher:
    """Give the search of the product with both arms."""
    return DatabaseSearcher(database, pool)


async def _search(searcher: DatabaseSearcher, tenant: str, question: str) -> PolicyContext:
    return (await searcher.search(tenant=tenant, segments=("public",), question=question, as_of=_DAY)).context


async def _set(database: Database, tenant: str, columns: str) -> None:
    async with database.transaction(tenant) as connection:
        await connection.execute(text(f"UPDATE version SET {columns}"))  # noqa: S608 - the tests below name them


async def test_the_second_arm_knows_another_word(
    armed: Importer, both: DatabaseSearcher, searcher: DatabaseSearcher, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)

    found = (await _search(both, tenant, "邮资谁出")).found
    without = (await _search(searcher, tenant, "邮资谁出")).found

    assert [each.passage.text for each in found] == ["运费由商家承担。", "开票后三个工作日内寄出。"]
    assert all(each.scores.second is not None for each in found)
    assert all(each.scores.second is None for each in without)


async def test_the_evidence_is_weighed_alike_with_and_without_the_second_arm(
    armed: Importer, both: DatabaseSearcher, searcher: DatabaseSearcher, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)

    three = {each.passage.document: each.scores for each in (await _search(both, tenant, "运费谁承担")).found}
    two = {each.passage.document: each.scores for each in (await _search(searcher, tenant, "运费谁承担")).found}

    assert {slug: (each.bm25_share, each.meaning) for slug, each in three.items()} == {
        slug: (each.bm25_share, each.meaning) for slug, each in two.items()
    }
    assert three["fee"].fused != two["fee"].fused


class PatientPool(EmbeddingPool):
    """Waits for both arms before a session is opened."""

    async def read_ahead(self, question: str, *, with_second: bool = False) -> Reading:
        """See `EmbeddingPool.read_ahead`."""
        return await self.read_whole(question, with_second=with_second)


async def test_what_was_read_before_the_second_arm_is_joined_with_what_only_it_brings(
    armed: Importer, both: DatabaseSearcher, database: Database, tenant: str
) -> None:
    named = [policy(f"match{number}", f"第{number}场由谁出。") for number in range(24)]
    await armed.publish(tenant, [*named, *(policy(f"freight{number}", f"运费第{number}档。") for number in range(2))])
    pool = PatientPool(WordEmbedder(), queue=16, second=SynonymEmbedder())

    patient = await _search(DatabaseSearcher(database, pool), tenant, "邮资谁出")
    pool.close()

    assert (await _search(both, tenant, "邮资谁出")) == patient
    assert any(each.passage.document.startswith("freight") for each in patient.found)


async def test_a_version_without_a_second_arm_is_searched_with_the_first(
    importer: Importer, both: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, _FILES)

    for _ in range(2):
        assert {each.scores.second for each in (await _search(both, tenant, "运费")).found} == {None}


async def test_every_passage_has_its_vector_and_the_version_its_scale(
    armed: Importer, database: Database, tenant: str
) -> None:
    version = await armed.publish(tenant, _FILES)

    async with database.transaction(tenant) as connection:
        counted = (await connection.execute(text("SELECT count(*) FROM passage_vector_384"))).scalar_one()
        row = (
            await connection.execute(
                text("SELECT second_embedder, calibration FROM version WHERE number = :version"), {"version": version}
            )
        ).one()
    assert (counted, row.second_embedder) == (4, "synonyms/384/-")
    assert row.calibration["second"]["sd"] > 0


async def test_publishing_again_embeds_nothing_again(armed: Importer, tenant: str) -> None:
    await armed.publish(tenant, _FILES)
    asked: list[str] = []

    class Counting(SynonymEmbedder):
        def passages(self, texts: Sequence[str]) -> list[Vector]:
            asked.extend(texts)
            return SynonymEmbedder.passages(self, texts)

    counting = replace(armed, bench=replace(armed.bench, second=_always(Counting())))
    await counting.publish(tenant, [*_FILES, policy("new", "配送范围是全国。")])

    assert [each for each in asked if "配送" in each] == asked


async def test_an_arm_that_comes_while_a_version_is_built_is_waited_for(
    importer: Importer, armed: Importer, database: Database, tenant: str
) -> None:
    import_id = await importer.begin(tenant, _FILES)
    while (await importer.progress(tenant, import_id)).step is not Step.STAGE:
        assert advance_import(importer.bench, tenant=tenant, import_id=import_id)

    while advance_import(armed.bench, tenant=tenant, import_id=import_id):
        pass

    async with database.transaction(tenant) as connection:
        counted = (await connection.execute(text("SELECT count(*) FROM passage_vector_384"))).scalar_one()
    assert (counted, (await importer.progress(tenant, import_id)).state) == (4, "STAGED")


@pytest.mark.parametrize("columns", ["second_embedder = 'other/384/-'", "hot = false"])
async def test_hidden_and_expired_passages_stay_out_of_the_second_arm(
    armed: Importer, both: DatabaseSearcher, database: Database, tenant: str, columns: str
) -> None:
    await armed.publish(tenant, _FILES)
    await _set(database, tenant, columns)

    candidates = (await _search(both, tenant, "邮资")).candidates

    assert len(candidates) == 2


async def test_an_index_of_another_analyser_is_searched_by_meaning_alone(
    armed: Importer, both: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)
    await _set(database, tenant, "analyser = 'other'")

    found = (await _search(both, tenant, "运费谁承担")).found

    assert found[0].passage.document == "fee"
    assert {each.scores.bm25 for each in found} == {0.0}


async def test_vectors_of_another_embedder_are_not_compared(
    armed: Importer, both: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)
    await _set(database, tenant, "embedder = 'other'")

    context = await _search(both, tenant, "运费谁承担")

    assert context.found[0].passage.document == "fee"
    assert {each.scores.meaning for each in context.found} == {0.0}
    assert {placed.similarity for each in context.found for placed in each.passage.sentences} == {0.0}


async def test_a_version_that_nothing_here_can_read_says_so(
    armed: Importer, both: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)
    await _set(database, tenant, "embedder = 'other', analyser = 'other'")

    with pytest.raises(IndexedOtherwiseError):
        await _search(both, tenant, "运费")


async def test_a_reranker_reorders_the_best_and_without_its_word_the_order_stays(
    armed: Importer, database: Database, pool: EmbeddingPool, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)

    class Reversing:
        def __init__(self, *, is_late: bool) -> None:
            self.is_late = is_late
            self.asked: list[tuple[str, list[str]]] = []

        async def judge(self, question: str, texts: Sequence[str]) -> list[float] | None:
            self.asked.append((question, list(texts)))
            return None if self.is_late else [float(place) for place, _ in enumerate(texts)]

    late, quick = Reversing(is_late=True), Reversing(is_late=False)
    before = await _search(DatabaseSearcher(database, pool, reranker=late), tenant, "运费谁承担")
    after = await _search(DatabaseSearcher(database, pool, reranker=quick), tenant, "运费谁承担")

    assert quick.asked == late.asked == [("运费谁承担", [each.passage.text for each in before.found])]
    assert [each.passage.document for each in after.found] == [each.passage.document for each in before.found][::-1]
    assert {each.scores.reranked for each in before.found} == {None}


async def test_hot_vectors_of_the_second_arm_are_found_through_their_graph(
    armed: Importer, both: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await armed.publish(tenant, _FILES)
    exact = [each.passage_id for each in (await _search(both, tenant, "邮资")).candidates]
    for table in ("passage_vector", "passage_vector_384"):
        async with database.transaction(tenant) as connection:
            await connection.execute(text(f"UPDATE {table} SET hot = true"))  # noqa: S608 - the names above
    await _set(database, tenant, "hot = true, built_day = '2026-01-01'")
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE version_audience SET passages = 100000"))

    assert [each.passage_id for each in (await _search(both, tenant, "邮资")).candidates] == exact


async def test_the_model_in_the_wheel_serves_from_import_to_answer(
    importer: Importer, database: Database, tenant: str
) -> None:
    e5 = E5Embedder()
    real = replace(importer, bench=replace(importer.bench, second=_always(e5)))
    pool = EmbeddingPool(WordEmbedder(), queue=4, second=e5)
    await real.publish(tenant, [policy("fee", "运费由商家承担。"), policy("invoice", "开票后三个工作日内寄出。")])

    found = (await _search(DatabaseSearcher(database, pool), tenant, "Who pays for shipping?")).found

    pool.close()
    assert found[0].passage.document == "fee"
    assert 0.5 < (found[0].scores.second or 0) < 1
