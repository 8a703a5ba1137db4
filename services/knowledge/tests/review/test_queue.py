"""An attempt has one item in the queue, one reviewer at a time has it, and news bring it back."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from contracts.errors import YoujuError
from knowledge.pulse import duties_of
from knowledge.review.item import (
    HeldByAnotherError,
    Item,
    ItemClosedError,
    ItemNotFoundError,
    NotHeldError,
    ReviewReason,
)
from knowledge.review.store import erase, opening, queue
from knowledge.settings import KnowledgeSettings
from knowledge.tasks.reviewing import show_queue
from runtime.database import Database, SyncDatabase
from tests.support.databases import OpenDatabase

pytestmark = pytest.mark.store

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
WEAK, UNHAPPY, ASKED_FOR = ReviewReason.LOW_STRENGTH, ReviewReason.NOT_HELPFUL, ReviewReason.ESCALATED


async def put(
    database: Database, tenant: str, reason: ReviewReason = WEAK, *, attempt: UUID | None = None, minutes: int = 0
) -> UUID:
    attempt_id = attempt or uuid4()
    at = NOON + timedelta(minutes=minutes)
    async with database.transaction(tenant) as connection:
        await connection.execute(opening(tenant=tenant, attempt_id=attempt_id, reason=reason, at=at))
    return attempt_id


async def found(database: Database, tenant: str, attempt_id: UUID) -> Item:
    async with database.transaction(tenant) as connection:
        return await queue.find_item(connection, attempt_id)


async def listed(database: Database, tenant: str) -> list[UUID]:
    async with database.transaction(tenant) as connection:
        return [item.attempt_id for item in await queue.list_items(connection, after=None, limit=10)]


async def taken(database: Database, tenant: str, attempt_id: UUID, reviewer: str) -> Item:
    async with database.transaction(tenant) as connection:
        return await queue.take(connection, attempt_id, reviewer=reviewer)


async def closed(database: Database, tenant: str, attempt_id: UUID) -> None:
    async with database.transaction(tenant) as connection:
        await queue.close(connection, attempt_id)


async def let_leases_end(database: Database, tenant: str) -> None:
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE review_item SET held_until = clock_timestamp() - interval '1 second'"))


async def test_reasons_gather_on_one_item(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant, WEAK)
    await put(database, tenant, UNHAPPY, attempt=attempt, minutes=1)
    await put(database, tenant, WEAK, attempt=attempt, minutes=2)

    item = await found(database, tenant, attempt)

    assert await listed(database, tenant) == [attempt]
    assert (item.reasons, item.priority, item.opened_at, item.waiting_since) == ((WEAK, UNHAPPY), 2, NOON, NOON)


def test_a_worker_opens_items_too(sync_database: SyncDatabase, tenant: str) -> None:
    with sync_database.transaction(tenant) as connection:
        connection.execute(opening(tenant=tenant, attempt_id=uuid4(), reason=WEAK, at=NOON))

        assert connection.execute(text("SELECT count(*) FROM review_item")).scalar_one() == 1


async def test_the_most_pressing_come_first_and_then_the_longest_waiting(database: Database, tenant: str) -> None:
    late = await put(database, tenant, WEAK, minutes=2)
    early = await put(database, tenant, WEAK, minutes=1)
    unhappy = await put(database, tenant, UNHAPPY, minutes=3)

    assert await listed(database, tenant) == [unhappy, early, late]


async def test_pages_follow_one_another(database: Database, tenant: str) -> None:
    expected = [await put(database, tenant, UNHAPPY), *[await put(database, tenant, minutes=each) for each in range(3)]]
    seen: list[UUID] = []
    after: queue.Place | None = None

    async with database.transaction(tenant) as connection:
        while page := await queue.list_items(connection, after=after, limit=1):
            (item,) = page
            seen.append(item.attempt_id)
            after = queue.Place(
                priority=item.priority, waiting_since=item.waiting_since, attempt_id=item.attempt_id
            )  # fmt: skip

    assert seen == expected


async def test_the_queue_is_read_by_its_index(database: Database, tenant: str) -> None:
    await put(database, tenant)
    shown = text(
        "EXPLAIN SELECT attempt FROM review_item WHERE state = 'OPEN' AND (priority, waiting_since, attempt)"
        " > (2, clock_timestamp(), CAST(:attempt AS uuid)) ORDER BY priority, waiting_since, attempt LIMIT 50"
    )
    async with database.transaction(tenant) as connection:
        await connection.execute(text("SET LOCAL enable_seqscan = off"))
        await connection.execute(text("SET LOCAL enable_bitmapscan = off"))
        plan = "\n".join((await connection.execute(shown, {"attempt": uuid4()})).scalars())

    (condition,) = [line for line in plan.splitlines() if "Index Cond" in line]
    assert "ix_review_item_queue" in plan
    assert "tenant" in condition
    assert "priority" in condition


async def test_two_reviewers_cannot_hold_one_item(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant)

    ends = await asyncio.gather(
        *(taken(database, tenant, attempt, reviewer) for reviewer in ("ann", "bob", "cho")), return_exceptions=True
    )

    holders = {end.held_by for end in ends if isinstance(end, Item)}
    assert len(holders) == 1
    assert sum(isinstance(end, HeldByAnotherError) for end in ends) == 2


async def test_reviewers_who_take_the_next_get_different_ones(database: Database, tenant: str) -> None:
    attempts = {await put(database, tenant) for _ in range(3)}

    async def next_for(reviewer: str) -> UUID | None:
        async with database.transaction(tenant) as connection:
            item = await queue.take_next(connection, reviewer=reviewer)
            return item and item.attempt_id

    given = await asyncio.gather(*(next_for(reviewer) for reviewer in ("ann", "bob", "cho")))

    assert set(given) == attempts
    assert await next_for("dan") is None


async def test_a_lease_that_ended_gives_the_item_back(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant)
    await taken(database, tenant, attempt, "ann")
    await let_leases_end(database, tenant)

    assert (await found(database, tenant, attempt)).held_by is None
    assert (await taken(database, tenant, attempt, "bob")).held_by == "bob"
    with pytest.raises(NotHeldError):
        async with database.transaction(tenant) as connection:
            await queue.renew(connection, attempt, reviewer="ann")


async def test_a_holder_renews_and_releases(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant)
    before = await taken(database, tenant, attempt, "ann")

    async with database.transaction(tenant) as connection:
        renewed = await queue.renew(connection, attempt, reviewer="ann")
        others = await queue.release(connection, attempt, reviewer="bob")
        released = await queue.release(connection, attempt, reviewer="ann")

    assert before.held_until is not None
    assert renewed.held_until is not None
    assert renewed.held_until > before.held_until
    assert (others.held_by, released.held_by) == ("ann", None)


@pytest.mark.parametrize(("close", "error"), [(True, ItemClosedError), (False, ItemNotFoundError)])
async def test_only_open_items_are_taken(
    database: Database, tenant: str, *, close: bool, error: type[YoujuError]
) -> None:
    attempt = await put(database, tenant) if close else uuid4()
    await closed(database, tenant, attempt)

    with pytest.raises(error):
        await taken(database, tenant, attempt, "ann")


async def test_a_new_reason_opens_a_closed_item_again_and_a_known_one_does_not(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant, WEAK)
    await closed(database, tenant, attempt)

    await put(database, tenant, WEAK, attempt=attempt, minutes=5)
    still_closed = await found(database, tenant, attempt)
    await put(database, tenant, ASKED_FOR, attempt=attempt, minutes=6)
    again = await found(database, tenant, attempt)

    assert still_closed.state == "CLOSED"
    assert (again.state, again.reasons, again.opened_at) == ("OPEN", (WEAK, ASKED_FOR), NOON)
    assert again.waiting_since == NOON + timedelta(minutes=6)


async def test_news_open_a_closed_item_for_a_known_reason(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant, UNHAPPY)
    await closed(database, tenant, attempt)

    async with database.transaction(tenant) as connection:
        await connection.execute(queue.reopening(tenant=tenant, attempt_id=attempt, reason=UNHAPPY, at=NOON))

    assert (await found(database, tenant, attempt)).state == "OPEN"


async def test_what_was_erased_stays_so(database: Database, sync_database: SyncDatabase, tenant: str) -> None:
    known, unknown = await put(database, tenant, UNHAPPY), uuid4()

    for _ in range(2):
        with sync_database.transaction(tenant) as connection:
            erase(connection, attempt_ids=[known, unknown])
    for attempt in (known, unknown):
        await put(database, tenant, ASKED_FOR, attempt=attempt)
        assert (await found(database, tenant, attempt)).state == "ERASED"

    assert await listed(database, tenant) == []


async def test_another_tenant_sees_no_item(database: Database, tenant: str) -> None:
    attempt = await put(database, tenant)

    assert await listed(database, "somebody-else") == []
    with pytest.raises(ItemNotFoundError):
        await taken(database, "somebody-else", attempt, "ann")


async def test_what_waits_is_shown_for_all_tenants_together(
    database: Database, tenant: str, service_database: OpenDatabase
) -> None:
    sweeper = Database(service_database("knowledge").sweeper, pool_size=1)
    await show_queue(sweeper)
    before = REGISTRY.get_sample_value("youju_review_items", {"state": "held"}) or 0
    await put(database, tenant)
    await put(database, f"{tenant}-b")
    await taken(database, tenant, await put(database, tenant, UNHAPPY), "ann")

    await show_queue(sweeper)
    await sweeper.close()

    assert REGISTRY.get_sample_value("youju_review_items", {"state": "held"}) == before + 1
    assert (REGISTRY.get_sample_value("youju_review_items", {"state": "free"}) or 0) >= 2
    assert (REGISTRY.get_sample_value("youju_review_oldest_seconds") or 0) > 0


async def test_the_pulse_looks_at_what_waits(service_database: OpenDatabase, tmp_path: Path) -> None:
    urls = service_database("knowledge")
    (tmp_path / "tenants.yaml").write_text("tenants: {}\n")
    settings = KnowledgeSettings(
        redis_url="redis://localhost:1/0", keys_directory=tmp_path, tenants_file=tmp_path / "tenants.yaml",
        database_url=urls.app,
    )  # fmt: skip
    app, sweeper = Database(urls.app, pool_size=1), Database(urls.sweeper, pool_size=1)

    (looking,) = (each for each in duties_of(settings, app=app, sweeper=sweeper) if each.name == "review")
    assert await looking.run() == 0

    await app.close()
    await sweeper.close()
    assert REGISTRY.get_sample_value("youju_review_items", {"state": "free"}) is not None


async def test_the_sweeper_sees_how_long_items_wait_and_not_whose_they_are(service_database: OpenDatabase) -> None:
    sweeper = Database(service_database("knowledge").sweeper, pool_size=1)

    async with sweeper.sweep() as connection:
        await connection.execute(text("SELECT tenant, state, waiting_since, held_until FROM review_item"))
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with sweeper.sweep() as connection:
            await connection.execute(text("SELECT attempt FROM review_item"))
    await sweeper.close()
