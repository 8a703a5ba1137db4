"""The last steps of an import go in pieces, and give the same however small these are."""

from dataclasses import replace
from itertools import count
from typing import Any, Final
from uuid import UUID

import pytest
from sqlalchemy import text

from knowledge.ingestion import store as index_store
from knowledge.ingestion.jobs import LostLeaseError, Step
from knowledge.tasks import arming, building, comparing, conflicts, counting
from knowledge.tasks import imports as imports_task
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.versions.store import imports, releases
from knowledge.versions.store.dismissals import list_conflicts
from knowledge.versions.store.duplicates import list_duplicates
from runtime.database import Database
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_RULE: Final = "自签收之日起七天内可以无理由退货，运费由商家承担，食品、鲜花和定制商品除外，退款在五个工作日内到账。"
_ALIKE: Final = [
    policy("a", _RULE),
    policy("b", _RULE),
    policy("c", _RULE.replace("五个工作日", "六个工作日")),
    policy("d", "发票在开票后三个工作日内寄到您留下的地址，请核对抬头。"),
    policy("e", "发票在开票后四个工作日内寄到您留下的地址，请核对抬头。"),
]
_AT_ODDS: Final = [
    policy(f"{heading}-{days}", f"# {heading}期限\n\n收到商品后{days}天内可以申请{heading}。\n")
    for heading in ("退货", "换货", "退款")
    for days in ("七", "十五")
]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every piece as small as it can be."""
    monkeypatch.setattr(comparing, "_PASSAGES_A_SLICE", 1)
    monkeypatch.setattr(comparing, "_PAIRS_A_STEP", 1)
    monkeypatch.setattr(comparing, "_SECONDS_A_STEP", 0.0)
    monkeypatch.setattr(conflicts, "_SECONDS_A_STEP", 0.0)
    monkeypatch.setattr(arming, "_SAMPLED_A_STEP", 1)


def _counting(importer: Importer) -> Importer:
    """Give an importer whose ids are numbers, because which of two equals comes first goes by their ids."""
    numbers = count(1)
    return replace(importer, bench=replace(importer.bench, new_id=lambda: UUID(int=next(numbers))))


async def _duplicates(database: Database, tenant: str) -> list[tuple[str, str, float]]:
    async with database.transaction(tenant) as connection:
        found = await list_duplicates(connection, number=1, after=0, limit=100)
    return [(each.one.text, each.other.text, each.similarity) for each in found]


async def _hints(database: Database, tenant: str) -> list[set[str]]:
    async with database.transaction(tenant) as connection:
        found = await list_conflicts(connection, number=1, after=-1, limit=50)
    return [{each.one.sentence, each.other.sentence} for each in found]


async def _steps(importer: Importer, tenant: str, files: list[object]) -> list[str]:
    """Take an import to its end and name the step of each piece."""
    import_id = await importer.begin(tenant, files)  # pyright: ignore[reportArgumentType]  # policies
    steps: list[str] = []
    more = True
    while more:
        steps.append(importer.step_of(tenant, import_id))
        more = advance_import(importer.bench, tenant=tenant, import_id=import_id)
    return steps


@pytest.mark.parametrize("files", [_ALIKE, _AT_ODDS], ids=["alike", "at odds"])
async def test_pieces_find_what_the_whole_finds(
    importer: Importer,
    database: Database,
    tenant: str,
    files: list[object],
    request: pytest.FixtureRequest,
) -> None:
    whole = f"{tenant}-whole"
    at_once = await _steps(_counting(importer), whole, files)
    request.getfixturevalue("tiny")

    in_pieces = await _steps(_counting(importer), tenant, files)

    assert at_once.count(Step.COMPARE) < in_pieces.count(Step.COMPARE)
    assert await _duplicates(database, tenant) == await _duplicates(database, whole)
    assert await _hints(database, tenant) == await _hints(database, whole)


@pytest.mark.usefixtures("tiny")
async def test_hints_are_found_group_by_group(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A version that is too large to be compared as a whole is compared by its headings, and says so.
    monkeypatch.setattr(conflicts, "MOST_NEW", 5)

    steps = await _steps(importer, tenant, [*_AT_ODDS])

    assert steps.count(Step.HINT) == len(await _hints(database, tenant)) == 3
    async with database.transaction(tenant) as connection:
        assert (await releases.find_version(connection, 1)).conflicts_partial


async def test_what_was_indexed_before_a_cut_stays_and_counts_once(
    importer: Importer, bench: Bench, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_PASSAGES_A_BATCH", 2)
    store_index, stored = index_store.store_index, count()

    def cut_off(*given: Any, **named: Any) -> None:  # as the store takes them
        if next(stored) == 1:
            raise LostLeaseError
        store_index(*given, **named)

    monkeypatch.setattr(index_store, "store_index", cut_off)
    import_id = await importer.begin(tenant, _ALIKE)
    importer.advance_to(tenant, import_id, Step.INDEX)
    with pytest.raises(LostLeaseError):
        advance_import(bench, tenant=tenant, import_id=import_id)
    cut = await importer.progress(tenant, import_id)
    with bench.database.transaction(tenant) as connection:
        connection.execute(text("UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second'"))
    await importer.take_to_end(tenant, import_id)

    done = await importer.progress(tenant, import_id)
    assert (cut.vectors, done.state, done.vectors, done.passages) == (2, "STAGED", 5, 5)


async def test_a_graph_is_filled_piece_by_piece(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "EXACT_SCAN_LIMIT", 0)
    monkeypatch.setattr(building, "_VECTORS_A_STEP", 2)

    steps = await _steps(importer, tenant, [*_ALIKE])

    async with database.transaction(tenant) as connection:
        hot = (await connection.execute(text("SELECT count(*) FROM passage_vector WHERE hot"))).scalar_one()
    assert (steps.count(Step.HEAT), hot) == (3, 5)


async def test_no_more_pairs_are_compared_than_a_list_shows(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "_MOST_CANDIDATES", 1)

    await importer.stage(tenant, _ALIKE)

    assert [similarity for _, _, similarity in await _duplicates(database, tenant)] == [1.0]


async def test_what_a_version_holds_is_counted_once_it_is_built(
    importer: Importer, database: Database, tenant: str
) -> None:
    files = [*_ALIKE, policy("contact", "联系人电话15800002605。\n\n七天内答复。")]
    import_id = await importer.begin(tenant, files)
    importer.advance_to(tenant, import_id, Step.STAGE)

    async def counted() -> tuple[int, int, int]:
        async with database.transaction(tenant) as connection:
            version = await releases.find_version(connection, 1)
        return version.documents, version.revisions, version.masks

    before = await counted()
    await importer.take_to_end(tenant, import_id)

    assert before == await counted() == (6, 6, 1)


async def test_the_size_of_an_import_is_kept_as_files_come_and_are_replaced(
    importer: Importer, database: Database, tenant: str
) -> None:
    import_id = await importer.open(tenant, [policy("a", "一二三。"), policy("b", "四。")])

    async def held() -> tuple[int, int]:
        async with database.transaction(tenant) as connection:
            wanted = text("SELECT files_total, size_bytes FROM import_job WHERE id = :id")
            files_total, size_bytes = (await connection.execute(wanted, {"id": import_id})).one()
        return files_total, size_bytes

    first = await held()
    async with database.transaction(tenant) as connection:
        files = [policy("b", "四五六。"), policy("c", "七。")]
        await imports.add_files(connection, tenant=tenant, import_id=import_id, files=files)

    assert (first, await held()) == ((2, 3 * 6), (3, 3 * 10))


async def test_one_message_takes_steps_as_long_as_they_are_short(
    importer: Importer, bench: Bench, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id = await importer.begin(tenant, [policy("fee", "运费一元。")])

    monkeypatch.setattr(imports_task, "_SECONDS_A_MESSAGE", -1.0)
    assert imports_task.advance_for_a_moment(bench, tenant=tenant, import_id=import_id)
    assert importer.step_of(tenant, import_id) == Step.READ
    monkeypatch.setattr(imports_task, "_SECONDS_A_MESSAGE", 3_600.0)
    assert not imports_task.advance_for_a_moment(bench, tenant=tenant, import_id=import_id)

    assert (await importer.progress(tenant, import_id)).state == "STAGED"
