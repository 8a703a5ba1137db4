"""Notices are made once and arrive at least once, whatever the receiver does."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from contracts.errors import GiveUpError, TryAgainError, YoujuError
from contracts.ids import uuid7
from contracts.tenants import Tenant
from knowledge.tasks.noticing import Notifying, deliver_notices, make_notices
from knowledge.versions.notices import Channel, Notice, NoticeNotFoundError
from knowledge.versions.store.audit import Wanted, list_acts
from knowledge.versions.store.notices import claim_delivery, list_notices, send_again
from runtime.database import Database
from runtime.tenants import TenantDirectory
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, owner, policy

pytestmark = pytest.mark.store

_NOW = datetime(2026, 7, 15, 4, 0, tzinfo=UTC)


@dataclass(slots=True)
class Post:
    """Fulfils `Sender`: fails as often as told, then keeps what it was given."""

    ways: tuple[Channel, ...] = ("webhook",)
    failures: list[YoujuError] = field(default_factory=list[YoujuError])
    sent: list[tuple[Notice, Channel]] = field(default_factory=list[tuple[Notice, Channel]])

    def channels(self, tenant: Tenant) -> tuple[Channel, ...]:
        """Name the ways."""
        del tenant
        return self.ways

    async def send(self, notice: Notice, *, key: str, tenant: Tenant, channel: Channel, at: datetime) -> None:
        """Fail, or keep it."""
        del key, tenant, at
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append((notice, channel))


@pytest.fixture
async def held(
    service_database: OpenDatabase, database: Database, tenant: str, tmp_path: Path
) -> AsyncIterator[Notifying]:
    """Give the duties of one tenant on a Wednesday."""
    file = tmp_path / "tenants.yaml"
    file.write_text(f"tenants:\n  {tenant}: {{name: Shop}}\n")
    url = service_database("knowledge").sweeper
    sweeper = Database(url, pool_size=1)
    yield Notifying(
        app=database,
        sweeper=sweeper,
        tenants=TenantDirectory(file),
        sender=Post(),
        clock=lambda: _NOW,
        new_id=uuid7,
    )
    await sweeper.close()


def _at(held: Notifying, moment: datetime, post: Post | None = None) -> Notifying:
    return replace(held, clock=lambda: moment, sender=post or held.sender)


async def _listed(database: Database, tenant: str) -> list[Notice]:
    async with database.transaction(tenant) as connection:
        return await list_notices(connection, before=None, limit=50)


async def _make_due(database: Database, tenant: str) -> None:
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE notice_delivery SET due_at = clock_timestamp()"))


async def test_each_notice_is_made_once(importer: Importer, database: Database, tenant: str, held: Notifying) -> None:
    conflict = [
        policy(slug, f"# 退货期限\n\n收到商品后{days}天内可以申请退货。\n")
        for slug, days in (("a", "七"), ("b", "十五"))
    ]
    late = policy("late", "很久没看。", review_date="2026-07-01", owner="olga")
    ends = policy("ends", "月底结束。", effective_to="2026-07-25")
    await importer.publish(tenant, [*conflict, late, ends])

    for day in range(3):
        await make_notices(_at(held, _NOW + timedelta(days=day)))
    await make_notices(_at(held, _NOW + timedelta(days=7)))

    told = sorted((each.kind, each.subject, each.period) for each in await _listed(database, tenant))
    assert told == [
        ("CONFLICT", "version:1", ""),
        ("EXPIRING", "ends:1", "2026-07-25"),
        ("OVERDUE", "documents", "2026-W29"),
        ("OVERDUE", "documents", "2026-W30"),
    ]


async def test_a_notice_is_tried_again_under_its_id_until_it_arrives(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])
    post = Post(failures=[TryAgainError("away")])
    await make_notices(_at(held, _NOW, post))

    for _ in range(2):
        await deliver_notices(_at(held, _NOW, post))
    (waiting,) = (await _listed(database, tenant))[0].deliveries
    assert (waiting.state, waiting.tries, waiting.reason) == ("PENDING", 1, "away")
    await _make_due(database, tenant)
    for _ in range(2):
        await deliver_notices(_at(held, _NOW, post))

    (notice,) = await _listed(database, tenant)
    (delivered,) = notice.deliveries
    assert [each.notice_id for each, _ in post.sent] == [notice.notice_id]
    assert (delivered.state, delivered.tries, delivered.reason) == ("DELIVERED", 2, None)


async def test_every_channel_is_delivered_on_its_own(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])
    post = Post(ways=("webhook", "email"), failures=[GiveUpError("gone")])
    await make_notices(_at(held, _NOW, post))

    await deliver_notices(_at(held, _NOW, post))

    (notice,) = await _listed(database, tenant)
    assert sorted(each.state for each in notice.deliveries) == ["DELIVERED", "GIVEN_UP"]
    await _make_due(database, tenant)
    await deliver_notices(_at(held, _NOW, post))
    assert len(post.sent) == 1


async def test_a_delivery_belongs_to_one_pulse_at_a_time_and_is_free_when_it_dies(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])
    await make_notices(held)
    (notice,) = await _listed(database, tenant)

    async with database.transaction(tenant) as one, database.transaction(tenant) as other:
        mine = await claim_delivery(one, notice.notice_id, "webhook")
        theirs = await claim_delivery(other, notice.notice_id, "webhook")
    async with database.transaction(tenant) as connection:
        early = await claim_delivery(connection, notice.notice_id, "webhook")
    await _make_due(database, tenant)
    async with database.transaction(tenant) as connection:
        again = await claim_delivery(connection, notice.notice_id, "webhook")

    assert (mine is not None, theirs, early) == (True, None, None)
    assert again is not None
    assert again.deliveries[0].tries == 2


async def test_without_a_channel_notices_are_only_listed(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])

    await make_notices(_at(held, _NOW, Post(ways=())))

    (notice,) = await _listed(database, tenant)
    assert notice.deliveries == ()


async def test_a_target_in_trouble_is_asked_once_and_the_rest_waits_as_long(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    rules = [policy(f"ends-{day}", "月底结束。", effective_to=f"2026-07-2{day}") for day in range(4)]
    await importer.publish(tenant, rules)
    post = Post(failures=[TryAgainError("away")] * 4)
    await make_notices(_at(held, _NOW, post))

    await deliver_notices(_at(held, _NOW, post))
    await deliver_notices(_at(held, _NOW, post))

    tries = sorted(each.deliveries[0].tries for each in await _listed(database, tenant))
    assert (tries, len(post.failures)) == ([0, 0, 0, 1], 3)


async def test_one_tenant_s_receiver_does_not_keep_another_waiting(
    importer: Importer, database: Database, tenant: str, held: Notifying, tmp_path: Path
) -> None:
    other = f"{tenant}-b"
    (tmp_path / "tenants.yaml").write_text(f"tenants:\n  {tenant}: {{name: Shop}}\n  {other}: {{name: Other}}\n")
    both = replace(held, tenants=TenantDirectory(tmp_path / "tenants.yaml"))
    for key in (tenant, other):
        await importer.publish(key, [policy("late", "很久没看。", review_date="2026-07-01")])
    arrived = asyncio.Event()

    class Slow(Post):
        async def send(self, notice: Notice, *, key: str, tenant: Tenant, channel: Channel, at: datetime) -> None:
            """Answer the one only once the other has its notice."""
            if key == other:
                arrived.set()
            await arrived.wait()
            await Post.send(self, notice, key=key, tenant=tenant, channel=channel, at=at)

    slow = Slow()
    await make_notices(_at(both, _NOW, slow))
    async with asyncio.timeout(60):
        await deliver_notices(_at(both, _NOW, slow))

    for key in (tenant, other):
        (notice,) = await _listed(database, key)
        assert notice.deliveries[0].state == "DELIVERED"


async def test_a_fault_of_ours_with_one_notice_is_told_and_tried_again(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])

    class Broken(Post):
        async def send(self, notice: Notice, *, key: str, tenant: Tenant, channel: Channel, at: datetime) -> None:
            """Fail as no adapter should."""
            del notice, tenant, channel, at
            raise KeyError(key)

    await make_notices(_at(held, _NOW, Broken()))
    await deliver_notices(_at(held, _NOW, Broken()))

    (notice,) = await _listed(database, tenant)
    (waiting,) = notice.deliveries
    assert (waiting.state, waiting.tries, waiting.reason) == ("PENDING", 1, "Sending it failed (KeyError).")


async def test_trouble_with_one_tenant_does_not_keep_notices_of_another_from_being_made(
    importer: Importer, database: Database, tenant: str, held: Notifying, tmp_path: Path
) -> None:
    lines = ("tenants:", "  a-first: {name: First, time_zone: Nowhere/Land}", f"  {tenant}: {{name: Shop}}")
    (tmp_path / "tenants.yaml").write_text("\n".join(lines))
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])

    await make_notices(replace(held, tenants=TenantDirectory(tmp_path / "tenants.yaml")))

    assert len(await _listed(database, tenant)) == 1


async def test_a_notice_that_was_given_up_is_sent_again_under_its_id(
    importer: Importer, database: Database, tenant: str, held: Notifying
) -> None:
    await importer.publish(tenant, [policy("late", "很久没看。", review_date="2026-07-01")])
    post = Post(failures=[GiveUpError("gone")])
    await make_notices(_at(held, _NOW, post))
    await deliver_notices(_at(held, _NOW, post))
    (notice,) = await _listed(database, tenant)

    async with database.transaction(tenant) as connection:
        (waiting,) = (await send_again(connection, owner(tenant), notice_id=notice.notice_id)).deliveries
        await send_again(connection, owner(tenant), notice_id=notice.notice_id)
    await deliver_notices(_at(held, _NOW, post))

    assert (waiting.state, waiting.tries, waiting.reason) == ("PENDING", 0, None)
    assert [each.notice_id for each, _ in post.sent] == [notice.notice_id]
    async with database.transaction(tenant) as connection:
        acts = await list_acts(connection, before=None, limit=10, wanted=Wanted(act="NOTICE_RESENT"))
        assert [each.detail for each in acts] == [{"channels": ["webhook"]}]
        with pytest.raises(NoticeNotFoundError):
            await send_again(connection, owner(tenant), notice_id=uuid7())
