"""Of a large version a process remembers which passages hold a word. Who may see one is never remembered."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from datetime import date

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.adapters.words import RememberedWords
from knowledge.ingestion.analyser import term_id
from knowledge.ingestion.importing import SourceFile
from knowledge.retrieval import statements
from knowledge.retrieval.passage import PolicyContext
from knowledge.retrieval.store import scoring
from runtime.database import Database
from runtime.round_trips import Ask, Rows, ask_together
from tests.support.knowledge import Importer, WordEmbedder, policy

pytestmark = pytest.mark.store

_DAY = date(2100, 1, 1)
_SIMILARITY = statements.similarity_of(statements.FIRST)
_QUESTIONS = ("第7类商品运费", "运费谁承担", "会员第3类")


@pytest.fixture
async def words(database: Database) -> AsyncIterator[RememberedWords]:
    """Give what one process remembers."""
    remembered = RememberedWords(database)
    yield remembered
    await remembered.aclose()


@pytest.fixture
def searcher(database: Database, words: RememberedWords) -> Iterator[DatabaseSearcher]:
    """Give a search that remembers."""
    pool = EmbeddingPool(WordEmbedder(), queue=16)
    yield DatabaseSearcher(database, pool, words=words)
    pool.close()


@pytest.fixture
def statements_heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the statements that score passages, as they are asked."""
    heard: list[str] = []

    async def hear(connection: AsyncConnection, asks: Iterable[Ask]) -> list[Rows]:
        made = list(asks)
        heard.extend(each.statement for each in made)
        return await ask_together(connection, made)

    monkeypatch.setattr(scoring, "ask_together", hear)
    return heard


async def _publish_large(
    importer: Importer,
    database: Database,
    tenant: str,
    *,
    free: str = "运费全免",
    more: Sequence[SourceFile] = (),
) -> None:
    files = [policy(f"d{number}", f"第{number}类商品运费{number}元，由卖家承担。") for number in range(12)]
    await importer.publish(tenant, [*files, *more, policy("vip", f"会员{free}。", audience=["vip"])])
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE version SET servable_passages = 100000"))
        await connection.execute(text("UPDATE version_audience SET passages = 100000"))


async def _asked(
    searcher: DatabaseSearcher, tenant: str, question: str, *, segments: tuple[str, ...] = ()
) -> PolicyContext:
    return (await searcher.search(tenant=tenant, segments=segments, question=question, as_of=_DAY)).context


async def test_remembered_words_find_what_the_database_finds(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str, statements_heard: list[str]
) -> None:
    await _publish_large(importer, database, tenant)
    plain = [await _asked(searcher, tenant, _QUESTIONS[0])]
    assert statements.LEXICAL_BEST in statements_heard
    statements_heard.clear()

    again = [await _asked(searcher, tenant, _QUESTIONS[0]) for _ in range(2)]

    assert statements_heard.count(statements.lexical_ranked(statements.FIRST)) == len(again)
    assert not {statements.LEXICAL_BEST, statements.LEXICAL_OF, _SIMILARITY} & set(statements_heard)
    for context in again:
        assert [each.passage_id for each in context.candidates] == [each.passage_id for each in plain[0].candidates]
        assert [each.scores.bm25 for each in context.candidates] == pytest.approx(
            [each.scores.bm25 for each in plain[0].candidates]
        )


@pytest.mark.parametrize("question", ["refund the delivery", "订单 cancal"])
async def test_a_guessed_word_is_ranked_from_what_is_remembered_as_well(
    importer: Importer,
    searcher: DatabaseSearcher,
    database: Database,
    tenant: str,
    statements_heard: list[str],
    question: str,
) -> None:
    more = [policy("back", "退款在配送之后办理。"), policy("stop", "Cancel the 订单 within a day.")]
    await _publish_large(importer, database, tenant, more=more)
    pool = EmbeddingPool(WordEmbedder(), queue=16)
    plain = await _asked(DatabaseSearcher(database, pool), tenant, question)
    pool.close()
    await _asked(searcher, tenant, "会员")
    statements_heard.clear()

    found = await _asked(searcher, tenant, question)

    assert not {statements.LEXICAL_BEST, statements.LEXICAL_OF, _SIMILARITY} & set(statements_heard)
    assert found.candidates[0].scores.bm25 > found.candidates[0].scores.bm25_share
    assert [each.passage_id for each in found.candidates] == [each.passage_id for each in plain.candidates]
    for ours, theirs in zip(found.candidates, plain.candidates, strict=True):
        assert (ours.scores.bm25, ours.scores.bm25_share) == pytest.approx(
            (theirs.scores.bm25, theirs.scores.bm25_share)
        )
        assert ours.scores.cosine == pytest.approx(theirs.scores.cosine)


async def test_frequent_words_are_learned_beforehand(
    importer: Importer,
    searcher: DatabaseSearcher,
    words: RememberedWords,
    database: Database,
    tenant: str,
) -> None:
    await _publish_large(importer, database, tenant)
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE version SET servable_passages = 30000"))
        await connection.execute(text("UPDATE term_frequency SET passages = 600 WHERE passages > 10"))
    version = (await _asked(searcher, tenant, "会员")).version

    await words.settle()

    typed = [term_id(each) for each in ("运费", "会员")]
    at_hand = words.keep(tenant=tenant, version=version, fresh={}, terms=typed)
    assert set(at_hand) == {term_id("运费")}
    wanted = words.wanted(tenant=tenant, version=version, passages=30_000, terms=typed)
    assert list(wanted.terms) == [term_id("会员")]
    assert words.wanted(tenant=tenant, version=version, passages=20_000, terms=typed).terms == ()


async def test_who_may_see_a_passage_is_asked_every_time(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await _publish_large(importer, database, tenant)
    for question in _QUESTIONS * 2:
        await _asked(searcher, tenant, question, segments=("vip",))

    def documents(context: PolicyContext) -> set[str]:
        return {each.passage.document for each in context.found}

    assert "vip" in documents(await _asked(searcher, tenant, "会员运费", segments=("vip",)))
    assert "vip" not in documents(await _asked(searcher, tenant, "会员运费"))
    await importer.withdraw(tenant, "vip")
    assert "vip" not in documents(await _asked(searcher, tenant, "会员运费", segments=("vip",)))


async def test_a_new_version_is_not_found_by_the_words_of_the_old_one(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await _publish_large(importer, database, tenant)
    for _ in range(2):
        await _asked(searcher, tenant, "会员运费包邮", segments=("vip",))

    await _publish_large(importer, database, tenant, free="包邮")

    for _ in range(3):
        best = (await _asked(searcher, tenant, "会员包邮", segments=("vip",))).found[0]
        assert (best.passage.text, best.scores.bm25 > 0) == ("会员包邮。", True)
