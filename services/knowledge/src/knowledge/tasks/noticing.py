"""Tell owners what they should know: make each notice once, deliver it at least once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Final, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import GiveUpError, TryAgainError, UnavailableError
from contracts.ids import IdSource, printed
from contracts.tenants import Tenant
from knowledge.review.recall import replaced_draft, withdrawn_draft
from knowledge.review.store.recalls import replaced_and_cited, withdrawn_and_cited
from knowledge.versions.agenda import agenda
from knowledge.versions.notices import (
    DAYS_AHEAD,
    Channel,
    Notice,
    NoticeDraft,
    conflict_draft,
    drafts_of,
    refused_draft,
    wait_after,
)
from knowledge.versions.store import notices
from knowledge.versions.store.documents import due_rules
from runtime.clock import Clock, business_day
from runtime.database import Database
from runtime.logging import bound, get_logger
from runtime.pulse import Duty, run_for_each
from runtime.tenants import TenantDirectory

_BATCH: Final = 40
# A tenant whose receiver is slow takes this much of a batch and no more, and this much of the time.
_MOST_EACH: Final = 5
_AT_ONCE: Final = 8
_MAKE_LIMIT_SECONDS: Final = 30.0
# Far below the lease of a delivery.
_SEND_LIMIT_SECONDS: Final = 45.0
_MOST_RULES: Final = 1_000
_MAKE_SECONDS: Final = 300.0
_DELIVER_SECONDS: Final = 5.0

_log = get_logger("notices")


class Sender(Protocol):
    """Delivers notices."""

    def channels(self, tenant: Tenant) -> tuple[Channel, ...]:
        """Name the ways a tenant's notices go; none means that they are only listed."""
        ...

    async def send(self, notice: Notice, *, key: str, tenant: Tenant, channel: Channel, at: datetime) -> None:
        """Deliver one. Repeat: the receiver can tell by the notice's id. Errors: TryAgainError, GiveUpError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifying:
    """What the duties of notices work with."""

    app: Database
    sweeper: Database
    tenants: TenantDirectory
    sender: Sender
    clock: Clock
    new_id: IdSource


def notice_duties(held: Notifying) -> tuple[Duty, ...]:
    """Give the pulse what it has to do: make notices now and then, deliver them as they come due."""

    async def making() -> int:
        return await make_notices(held)

    async def delivering() -> int:
        return await deliver_notices(held)

    return (
        Duty(name="notices", run=making, every_seconds=_MAKE_SECONDS),
        Duty(name="notice-deliveries", run=delivering, every_seconds=_DELIVER_SECONDS),
    )


async def make_notices(held: Notifying) -> int:
    """Make the notices of today for every tenant. Repeat: what was made stays; gives 0, so that it waits its turn.

    Trouble with one tenant is told and does not keep the others waiting.
    """
    return await run_for_each(held.tenants.keys(), partial(_make_in_time, held))


async def deliver_notices(held: Notifying) -> int:
    """Deliver what is due, each tenant beside the others; say how many were tried.

    Repeat: a delivery belongs to one pulse for two minutes. A target that does not answer is asked once: whatever else
    is due to it waits as long.
    """
    async with held.sweeper.sweep() as connection:
        due = await notices.due_deliveries(connection, limit=_BATCH, most_each=_MOST_EACH)
    targets: dict[tuple[str, Channel], list[UUID]] = {}
    for key, notice_id, channel in due:
        targets.setdefault((key, channel), []).append(notice_id)
    room = asyncio.Semaphore(_AT_ONCE)
    tried = await asyncio.gather(
        *(_deliver_to(held, room, key, channel, waiting) for (key, channel), waiting in targets.items())
    )
    return sum(tried)


async def _make_in_time(held: Notifying, key: str) -> int:
    tenant = held.tenants.find(key)
    if tenant is not None:
        async with asyncio.timeout(_MAKE_LIMIT_SECONDS):
            await _make(held, key, tenant)
    return 0


async def _make(held: Notifying, key: str, tenant: Tenant) -> None:
    now = held.clock()
    today = business_day(now, tenant.time_zone)
    channels = held.sender.channels(tenant)
    async with held.app.transaction(key) as connection:
        rules = await due_rules(connection, today=today, days=DAYS_AHEAD, limit=_MOST_RULES)
        drafts = [*drafts_of(agenda(rules, today=today, days=DAYS_AHEAD), today=today)]
        drafts += [conflict_draft(number, hints) for number, hints in await notices.unnoticed_conflicts(connection)]
        since, until = _yesterday(today, tenant.time_zone)
        refused = await notices.refused_for_conflicts(connection, since=since, until=until)
        if refused:
            drafts.append(refused_draft((printed("att", each) for each in refused), day=today - timedelta(days=1)))
        drafts += await _recalls(connection)
        for draft in drafts:
            await notices.make_notice(connection, draft, tenant=key, notice_id=held.new_id(), channels=channels)


async def _recalls(connection: AsyncConnection) -> list[NoticeDraft]:
    withdrawn = [withdrawn_draft(each) for each in await withdrawn_and_cited(connection)]
    return withdrawn + [replaced_draft(each) for each in await replaced_and_cited(connection)]


def _yesterday(today: date, time_zone: str) -> tuple[datetime, datetime]:
    zone = ZoneInfo(time_zone)
    return datetime.combine(today - timedelta(days=1), time.min, zone), datetime.combine(today, time.min, zone)


async def _deliver_to(
    held: Notifying, room: asyncio.Semaphore, key: str, channel: Channel, waiting: Sequence[UUID]
) -> int:
    """Deliver to one target until it gives trouble; say how many were tried."""
    tried = 0
    with bound(tenant=key, channel=channel):
        async with room:
            for notice_id in waiting:
                try:
                    outcome = await _deliver(held, key, notice_id, channel)
                except UnavailableError:
                    _log.warning("notice_database_away", notice_id=str(notice_id))
                    break
                tried += outcome is not None
                if isinstance(outcome, timedelta):
                    break
    return tried


async def _deliver(held: Notifying, key: str, notice_id: UUID, channel: Channel) -> timedelta | bool | None:
    """Deliver one: None when it was not ours, the wait when its target is in trouble, else whether it arrived."""
    async with held.app.transaction(key) as connection:
        notice = await notices.claim_delivery(connection, notice_id, channel)
    if notice is None:
        return None
    wait, reason = await _sent(held, key, notice, channel)
    async with held.app.transaction(key) as connection:
        if reason is None:
            await notices.end_delivery(connection, notice_id, channel)
            return True
        await notices.put_off_delivery(connection, notice_id, channel, wait=wait, reason=reason)
        if wait is not None:
            await notices.put_off_target(connection, channel, wait=wait)
    return wait or False


async def _sent(held: Notifying, key: str, notice: Notice, channel: Channel) -> tuple[timedelta | None, str | None]:
    """Send, and give the wait and the reason when it did not arrive; no wait means to give up."""
    tenant = held.tenants.find(key)
    if tenant is None:
        return None, "This installation has no such tenant any more."
    (tries,) = (each.tries for each in notice.deliveries if each.channel == channel)
    try:
        async with asyncio.timeout(_SEND_LIMIT_SECONDS):
            await held.sender.send(notice, key=key, tenant=tenant, channel=channel, at=held.clock())
    except TryAgainError as trouble:
        _log.warning("notice_delayed", notice_id=str(notice.notice_id), tries=tries)
        return wait_after(tries), trouble.detail
    except TimeoutError:
        _log.warning("notice_delayed", notice_id=str(notice.notice_id), tries=tries)
        return wait_after(tries), f"It did not arrive within {_SEND_LIMIT_SECONDS:.0f} seconds."
    except GiveUpError as refused:
        _log.warning("notice_given_up", notice_id=str(notice.notice_id))
        return None, refused.detail
    except Exception as fault:  # noqa: BLE001 - the outermost frame of one delivery; the others go on
        _log.exception("notice_failed", notice_id=str(notice.notice_id))
        return wait_after(tries), f"Sending it failed ({type(fault).__name__})."
    return None, None
