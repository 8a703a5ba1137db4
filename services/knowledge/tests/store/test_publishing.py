"""One pointer says what answers; of two publishers one wins and the other is told; every act is on record."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import date

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import UnavailableError
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion import store as index_store
from knowledge.ingestion.jobs import Job, LostLeaseError, Step
from knowledge.tasks import comparing
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.versions.releasing import NotPublishableError, VersionStateError
from knowledge.versions.store import audit, drafts, imports, releases
from knowledge.versions.version import BaseMovedError, PublishedMeanwhileError, VersionNotFoundError
from runtime.database import Database
from tests.support.knowledge import Importer, owner, policy, publisher

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)


async def _approve(database: Database, tenant: str, *numbers: int) -> None:
    async with database.transaction(tenant) as connection:
        for number in numbers:
            await releases.approve(connection, publisher(tenant), number=number)


async def _publish(database: Database, tenant: str, number: int, expected: int | None = None) -> None:
    async with database.transaction(tenant) as connection:
        await releases.publish(connection, publisher(tenant), number=number, expected_current=expected)


async def _evaluate(connection: AsyncConnection, tenant: str, number: int) -> None:
    measured = {"total": {"questions": number}}
    await releases.attach_evaluation(connection, owner(tenant), number=number, evaluation=measured, missed_bars=2)


async def _someone_waits(database: Database) -> None:
    """Return when another connection waits for a row."""
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    found = False
    while not found:
        # Within one transaction Postgres shows the activity of its first look for ever.
        async with database.sweep() as connection:
            found = bool((await connection.execute(waiting)).scalar_one())


async def _held_up(database: Database, act: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """Begin an act and return when it waits for a row; one that never does is ended, because it holds a connection."""
    task = asyncio.create_task(act)
    try:
        await asyncio.wait_for(_someone_waits(database), timeout=60)
    except TimeoutError:
        task.cancel()
        await asyncio.wait([task])
        raise
    return task


async def _states(database: Database, tenant: str) -> dict[int, str]:
    async with database.transaction(tenant) as connection:
        return {each.number: each.state for each in await releases.list_versions(connection, before=None, limit=100)}


async def _staged(importer: Importer, tenant: str, count: int) -> None:
    for number in range(1, count + 1):
        await importer.stage(tenant, [policy("fee", f"运费{number}元。")])


async def test_publishing_retires_what_was_current_and_back(
    importer: Importer, database: Database, tenant: str
) -> None:
    await _staged(importer, tenant, 3)
    await _approve(database, tenant, 2, 3)

    await _publish(database, tenant, 2)
    await _publish(database, tenant, 3)
    assert await _states(database, tenant) == {1: "STAGED", 2: "RETIRED", 3: "PUBLISHED"}
    await _publish(database, tenant, 2)
    await _publish(database, tenant, 2)
    assert await _states(database, tenant) == {1: "STAGED", 2: "PUBLISHED", 3: "RETIRED"}


async def test_of_two_publishers_at_once_one_is_told(importer: Importer, database: Database, tenant: str) -> None:
    await _staged(importer, tenant, 2)
    await _approve(database, tenant, 1, 2)

    async with database.transaction(tenant) as first:
        await releases.publish(first, publisher(tenant), number=1, expected_current=None)
        second = await _held_up(database, _publish(database, tenant, 2))

    with pytest.raises(PublishedMeanwhileError):
        await second
    assert await _states(database, tenant) == {1: "PUBLISHED", 2: "APPROVED"}


async def test_a_version_discarded_meanwhile_is_not_published(
    importer: Importer, database: Database, tenant: str
) -> None:
    await _staged(importer, tenant, 1)
    await _approve(database, tenant, 1)

    async with database.transaction(tenant) as discarding:
        await releases.discard(discarding, publisher(tenant), number=1)
        publishing = await _held_up(database, _publish(database, tenant, 1))

    with pytest.raises(NotPublishableError):
        await publishing
    assert await _states(database, tenant) == {1: "DISCARDED"}


def _fail(bench: Bench, tenant: str, job: Job) -> None:
    with bench.database.transaction(tenant) as connection:
        drafts.fail(connection, job, tenant=tenant, reason="")


@pytest.mark.parametrize(("step", "work"), [(Step.SPLIT, _fail), (Step.COMPARE, comparing.compare)])
async def test_an_import_is_discarded_while_its_worker_writes_the_version(
    importer: Importer,
    bench: Bench,
    database: Database,
    tenant: str,
    step: Step,
    work: Callable[[Bench, str, Job], object],
) -> None:
    import_id = await importer.begin(tenant, [policy("fee", "运费一元。")])
    importer.advance_to(tenant, import_id, step)
    with bench.database.transaction(tenant) as connection:
        job = index_store.claim(connection, import_id, lease_token=bench.new_id())
    assert job is not None

    async def write() -> None:
        await asyncio.to_thread(work, bench, tenant, job)

    async with database.transaction(tenant) as discarding:
        await discarding.execute(text("SELECT id FROM import_job FOR UPDATE"))
        working = await _held_up(database, write())
        await imports.discard_import(discarding, import_id, reason="")

    with pytest.raises(LostLeaseError):
        await working
    assert await _states(database, tenant) == {1: "DISCARDED"}


async def test_a_publisher_who_looked_at_another_version_is_told(
    importer: Importer, database: Database, tenant: str
) -> None:
    await _staged(importer, tenant, 2)
    await _approve(database, tenant, 1, 2)
    await _publish(database, tenant, 1)

    with pytest.raises(PublishedMeanwhileError):
        await _publish(database, tenant, 2, expected=2)

    await _publish(database, tenant, 2, expected=1)
    assert await _states(database, tenant) == {1: "RETIRED", 2: "PUBLISHED"}


async def test_an_added_version_whose_base_is_not_current_any_more_is_not_published(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费一元。")])
    await importer.stage(tenant, [policy("invoice", "开票后寄出。")], additive=True)
    await _approve(database, tenant, 2)
    await importer.publish(tenant, [policy("fee", "运费三元。")])

    with pytest.raises(BaseMovedError):
        await _publish(database, tenant, 2)


async def test_a_version_added_to_nothing_is_not_published_over_another(
    importer: Importer, database: Database, tenant: str
) -> None:
    await importer.stage(tenant, [policy("fee", "运费一元。")], additive=True)
    await importer.stage(tenant, [policy("invoice", "开票后寄出。")], additive=True)
    await _approve(database, tenant, 1, 2)
    await _publish(database, tenant, 1)

    with pytest.raises(BaseMovedError):
        await _publish(database, tenant, 2)


async def test_what_is_not_built_approved_or_there_cannot_be_published(
    importer: Importer, database: Database, tenant: str
) -> None:
    await _staged(importer, tenant, 1)
    import_id = await importer.begin(tenant, [policy("fee", "运费。")])
    while (await _states(database, tenant)).get(2) != "DRAFT":
        assert advance_import(importer.bench, tenant=tenant, import_id=import_id)

    for number in (1, 2):
        with pytest.raises(NotPublishableError):
            await _publish(database, tenant, number)
    with pytest.raises(VersionStateError):
        await _approve(database, tenant, 2)
    with pytest.raises(VersionNotFoundError):
        await _publish(database, tenant, 3)


async def test_an_evaluation_is_attached_to_what_is_built(importer: Importer, database: Database, tenant: str) -> None:
    await _staged(importer, tenant, 1)

    async with database.transaction(tenant) as connection:
        await _evaluate(connection, tenant, 1)
        evaluated = await releases.find_version(connection, 1)
        await releases.approve(connection, publisher(tenant), number=1)
        await _evaluate(connection, tenant, 1)
        approved = await releases.find_version(connection, 1)
        kept = await releases.find_evaluation(connection, 1)

    assert (evaluated.state, evaluated.evaluated_by) == ("EVALUATED", "owner")
    assert (approved.state, approved.approved_by, kept) == ("APPROVED", "publisher", {"total": {"questions": 1}})


async def test_every_act_is_on_record_once(importer: Importer, database: Database, tenant: str) -> None:
    await _staged(importer, tenant, 3)
    async with database.transaction(tenant) as connection:
        await _evaluate(connection, tenant, 1)
    await _approve(database, tenant, 1, 2, 2)
    await _publish(database, tenant, 1)
    await _publish(database, tenant, 2)
    await _publish(database, tenant, 1)
    await _publish(database, tenant, 1)
    async with database.transaction(tenant) as connection:
        await releases.discard(connection, publisher(tenant), number=3)
        await releases.discard(connection, publisher(tenant), number=3)
    with pytest.raises(NotPublishableError):
        await _publish(database, tenant, 3)

    async with database.transaction(tenant) as connection:
        acts = [
            each for each in await audit.list_acts(connection, before=None, limit=100) if "version:" in each.subject
        ]

    told = [(each.act, each.subject, each.actor, dict(each.detail)) for each in reversed(acts)]
    assert [each for each in told if each[0] != "VERSION_STAGED"] == [
        ("VERSION_EVALUATED", "version:1", "owner", {"missedBars": 2}),
        ("VERSION_APPROVED", "version:1", "publisher", {}),
        ("VERSION_APPROVED", "version:2", "publisher", {}),
        ("VERSION_PUBLISHED", "version:1", "publisher", {"before": None}),
        ("VERSION_PUBLISHED", "version:2", "publisher", {"before": 1}),
        ("VERSION_ROLLED_BACK", "version:1", "publisher", {"before": 2}),
        ("VERSION_DISCARDED", "version:3", "publisher", {}),
    ]


@pytest.mark.parametrize("statement", ["UPDATE audit_event SET actor = 'x'", "DELETE FROM audit_event"])
async def test_nobody_can_change_the_trail(importer: Importer, database: Database, tenant: str, statement: str) -> None:
    await importer.publish(tenant, [policy("fee", "运费一元。")])

    with pytest.raises(ProgrammingError, match="permission denied"):
        async with database.transaction(tenant) as connection:
            await connection.execute(text(statement))


async def test_a_question_reads_one_version_while_publishers_move_the_pointer(
    importer: Importer, database: Database, searcher: DatabaseSearcher, tenant: str
) -> None:
    for number in (1, 2):
        await importer.publish(tenant, [policy(f"d{each}", f"运费{number}元。") for each in range(3)])
    stop = asyncio.Event()

    async def publishing() -> int:
        moves = 0
        while not stop.is_set():
            await _publish(database, tenant, 1 + moves % 2)
            moves += 1
        return moves

    seen: set[int] = set()
    async with asyncio.TaskGroup() as beside:
        mover = beside.create_task(publishing())
        for _ in range(40):
            found = await searcher.search(tenant=tenant, segments=(), question="运费", as_of=_DAY)
            version = found.serving.version
            assert {each.passage.text for each in found.context.found} == {f"运费{version}元。"}
            assert len(found.context.found) == 3
            seen.add(version)
        stop.set()

    assert mover.result() > 2
    assert seen == {1, 2}


@pytest.mark.parametrize("act", ["approve", "publish"])
async def test_a_publisher_killed_in_the_middle_changes_nothing(
    importer: Importer, database: Database, tenant: str, act: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费一元。")])
    await importer.stage(tenant, [policy("fee", "运费二元。")])
    if act == "publish":
        await _approve(database, tenant, 2)
    before = await _states(database, tenant)
    moves: dict[str, Callable[[AsyncConnection], Awaitable[object]]] = {
        "approve": lambda connection: releases.approve(connection, publisher(tenant), number=2),
        "publish": lambda connection: releases.publish(connection, publisher(tenant), number=2, expected_current=1),
    }

    with pytest.raises(UnavailableError):
        async with database.transaction(tenant) as connection:
            await moves[act](connection)
            await connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    assert await _states(database, tenant) == before
    await _approve(database, tenant, 2)
    await _publish(database, tenant, 2)
    assert (await _states(database, tenant))[2] == "PUBLISHED"
