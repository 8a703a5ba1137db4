"""Verdicts are added one after the other, whoever comes at the same time, and stay."""

import asyncio
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from knowledge.review.item import Finding, Layer, NotHeldError, ReviewReason, VerdictMeanwhileError
from knowledge.review.proposal import ProposalDraft
from knowledge.review.store import erase, opening, queue, reopening
from knowledge.review.store.proposals import add_proposal
from knowledge.review.store.verdicts import add_verdict, list_verdicts
from knowledge.versions.acts import Acting
from runtime.clock import utc_now
from runtime.database import Database, SyncDatabase

pytestmark = pytest.mark.store


async def judge(
    database: Database, tenant: str, attempt: UUID, layer: Layer, *, reviewer: str = "ann", seen: int = 0
) -> int:
    acting = Acting(tenant=tenant, actor=reviewer, roles=("reviewer",))
    async with database.transaction(tenant) as connection:
        verdict, _ = await add_verdict(
            connection, acting, attempt, Finding(layer=layer, note=f"by {reviewer}", seen=seen)
        )
    return verdict.number


@pytest.fixture
async def attempt(database: Database, tenant: str) -> UUID:
    """Put an attempt into the queue and let ann take it."""
    attempt_id = uuid4()
    async with database.transaction(tenant) as connection:
        await connection.execute(
            opening(tenant=tenant, attempt_id=attempt_id, reason=ReviewReason.ESCALATED, at=utc_now())
        )
        await queue.take(connection, attempt_id, reviewer="ann")
    return attempt_id


async def test_only_the_holder_judges_an_open_item(database: Database, tenant: str, attempt: UUID) -> None:
    with pytest.raises(NotHeldError):
        await judge(database, tenant, attempt, Layer.ROUTING, reviewer="bob")


async def test_nobody_judges_after_the_lease_has_ended(database: Database, tenant: str, attempt: UUID) -> None:
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE review_item SET held_until = clock_timestamp()"))

    with pytest.raises(NotHeldError):
        await judge(database, tenant, attempt, Layer.ROUTING)


async def test_of_reviewers_who_disagree_at_the_same_time_one_is_heard_and_the_others_read_that_first(
    database: Database, tenant: str, attempt: UUID
) -> None:
    await judge(database, tenant, attempt, Layer.ROUTING)

    given = await asyncio.gather(
        *(judge(database, tenant, attempt, Layer.CORRECT, reviewer=name, seen=1) for name in ("bob", "cho", "dan")),
        return_exceptions=True,
    )

    assert [each for each in given if isinstance(each, int)] == [2]
    assert [type(each) for each in given if not isinstance(each, int)] == [VerdictMeanwhileError] * 2
    assert await judge(database, tenant, attempt, Layer.CORRECT, reviewer="eve", seen=2) == 3


@pytest.mark.parametrize("seen", [0, 2])
async def test_nobody_overrides_a_verdict_unread(database: Database, tenant: str, attempt: UUID, seen: int) -> None:
    await judge(database, tenant, attempt, Layer.ROUTING)

    with pytest.raises(VerdictMeanwhileError, match="Verdict 1, ROUTING by ann, holds"):
        await judge(database, tenant, attempt, Layer.CORRECT, reviewer="bob", seen=seen)


async def test_a_repeat_that_comes_after_another_verdict_adds_nothing(
    database: Database, tenant: str, attempt: UUID
) -> None:
    await judge(database, tenant, attempt, Layer.ROUTING)
    await judge(database, tenant, attempt, Layer.CORRECT, reviewer="bob", seen=1)

    repeats = [await judge(database, tenant, attempt, Layer.ROUTING) for _ in range(2)]

    assert repeats == [1, 1]


async def test_a_verdict_given_once_more_after_news_is_a_new_one(
    database: Database, tenant: str, attempt: UUID
) -> None:
    await judge(database, tenant, attempt, Layer.ROUTING)
    async with database.transaction(tenant) as connection:
        news = reopening(tenant=tenant, attempt_id=attempt, reason=ReviewReason.ESCALATED, at=utc_now())
        await connection.execute(news)
        await queue.take(connection, attempt, reviewer="ann")

    assert await judge(database, tenant, attempt, Layer.ROUTING, seen=1) == 2


@pytest.mark.parametrize(
    "change",
    ["UPDATE review_verdict SET layer = 'CORRECT'", "DELETE FROM review_verdict", "TRUNCATE review_verdict"],
)
async def test_no_verdict_can_be_changed(database: Database, tenant: str, attempt: UUID, change: str) -> None:
    await judge(database, tenant, attempt, Layer.ROUTING)

    with pytest.raises(ProgrammingError, match="permission denied"):
        async with database.transaction(tenant) as connection:
            await connection.execute(text(change))


async def test_erasing_keeps_the_layer_and_forgets_the_note(
    database: Database, sync_database: SyncDatabase, tenant: str, attempt: UUID
) -> None:
    await judge(database, tenant, attempt, Layer.ROUTING)

    with sync_database.transaction(tenant) as connection:
        erase(connection, attempt_ids=[attempt])

    async with database.transaction(tenant) as connection:
        (verdict,) = await list_verdicts(connection, attempt)
    assert (verdict.layer, verdict.note) == (Layer.ROUTING, None)


async def test_what_is_being_written_of_an_attempt_is_erased_with_it(
    database: Database, sync_database: SyncDatabase, tenant: str, attempt: UUID
) -> None:
    acting = Acting(tenant=tenant, actor="ann", roles=("reviewer",))

    async with database.transaction(tenant) as connection:
        await add_verdict(connection, acting, attempt, Finding(layer=Layer.ROUTING, note="她要的是换货", seen=0))
        erasing = asyncio.create_task(asyncio.to_thread(_erase, sync_database, tenant, attempt))
        await _until_somebody_waits(database)
    await erasing

    async with database.transaction(tenant) as connection:
        (verdict,) = await list_verdicts(connection, attempt)
    assert verdict.note is None


async def test_a_proposal_that_comes_after_an_erasure_has_no_question(
    database: Database, sync_database: SyncDatabase, tenant: str, attempt: UUID
) -> None:
    _erase(sync_database, tenant, attempt)
    draft = ProposalDraft(
        proposal_id=uuid4(), attempt_id=attempt, slug="exchange", title="换货", language="zh",
        question="能换货吗？", body="七天内可以换货。",
    )  # fmt: skip

    async with database.transaction(tenant) as connection:
        acting = Acting(tenant=tenant, actor="ann", roles=("reviewer",))
        proposal = await add_proposal(connection, acting, draft)

    assert (proposal.question, proposal.body) == (None, draft.body)


def _erase(database: SyncDatabase, tenant: str, attempt: UUID) -> None:
    with database.transaction(tenant) as connection:
        erase(connection, attempt_ids=[attempt])


async def _until_somebody_waits(database: Database) -> None:
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with asyncio.timeout(30):
        while True:
            async with database.transaction("nobody") as connection:
                if (await connection.execute(waiting)).scalar_one():
                    return
