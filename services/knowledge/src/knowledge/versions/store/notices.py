"""Notices to owners: made once, delivered at least once, listed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import RowMapping, func, select, text, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.notices import notice, notice_delivery
from knowledge.versions.acts import Acting
from knowledge.versions.notices import (
    Channel,
    Delivery,
    Notice,
    NoticeDraft,
    NoticeKind,
    NoticeNotFoundError,
    notice_subject,
)
from knowledge.versions.store.audit import record_act

# A sender that dies gives its notice back after this.
_LEASE: Final = text("clock_timestamp() + interval '2 minutes'")

_UNNOTICED: Final = text("""
    SELECT version.number, count(*) AS hints
    FROM version JOIN conflict_hint ON conflict_hint.version = version.number
    WHERE version.state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED')
      AND NOT EXISTS (SELECT FROM notice
                      WHERE notice.kind = 'CONFLICT' AND notice.subject = 'version:' || version.number)
    GROUP BY version.number ORDER BY version.number
""")
# Whole days only: the notice of a day is made when the day is over, so that one holds all of it.
_REFUSED: Final = text("""
    SELECT attempt FROM answer_log
    WHERE reason = 'CONFLICTING_POLICY' AND closed_at >= :since AND closed_at < :until
    ORDER BY closed_at LIMIT 200
""")


# The first of every target before the second of any.
_DUE: Final = text("""
    SELECT tenant, notice, channel
    FROM (SELECT tenant, notice, channel, due_at,
                 row_number() OVER (PARTITION BY tenant, channel ORDER BY due_at, notice) AS place
          FROM notice_delivery
          WHERE state = 'PENDING' AND due_at <= clock_timestamp()) AS due
    WHERE place <= :most_each
    ORDER BY place, due_at
    LIMIT :limit
""")


async def make_notice(
    connection: AsyncConnection, draft: NoticeDraft, *, tenant: str, notice_id: UUID, channels: Sequence[Channel]
) -> bool:
    """Make a notice and what delivers it; say whether it is new. Repeat: the first one of a kind, subject and period stays."""
    made = await connection.execute(
        insert(notice)
        .values(
            tenant=tenant,
            id=notice_id,
            kind=draft.kind,
            subject=draft.subject,
            period=draft.period,
            items=[dict(item) for item in draft.items],
        )
        .on_conflict_do_nothing()
        .returning(notice.c.id)
    )
    if made.one_or_none() is None:
        return False
    rows = [{"tenant": tenant, "notice": notice_id, "channel": channel} for channel in channels]
    if rows:
        await connection.execute(insert(notice_delivery), rows)
    return True


async def unnoticed_conflicts(connection: AsyncConnection) -> list[tuple[int, int]]:
    """List versions whose hints of conflicts nobody was told about, as (version, hints)."""
    return [(row.number, row.hints) for row in await connection.execute(_UNNOTICED)]


async def refused_for_conflicts(connection: AsyncConnection, *, since: datetime, until: datetime) -> list[UUID]:
    """List attempts that were refused because policies disagree, between two moments."""
    rows = await connection.execute(_REFUSED, {"since": since, "until": until})
    return [row.attempt for row in rows]


async def due_deliveries(connection: AsyncConnection, *, limit: int, most_each: int) -> list[tuple[str, UUID, Channel]]:
    """List deliveries that are due, so many a tenant and channel, as (tenant, notice, channel): for the sweeper."""
    rows = await connection.execute(_DUE, {"limit": limit, "most_each": most_each})
    return [(row.tenant, row.notice, row.channel) for row in rows]


async def claim_delivery(connection: AsyncConnection, notice_id: UUID, channel: Channel) -> Notice | None:
    """Take a due delivery for two minutes and give its notice; None when another pulse has it."""
    columns = notice_delivery.c
    mine = (columns.notice == notice_id, columns.channel == channel)
    free = (
        select(columns.notice)
        .where(*mine, columns.state == "PENDING", columns.due_at <= func.clock_timestamp())
        .with_for_update(skip_locked=True)
    )
    if (await connection.execute(free)).one_or_none() is None:
        return None
    taking = update(notice_delivery).where(*mine).values(due_at=_LEASE, tries=columns.tries + 1)
    await connection.execute(taking)
    (found,) = await _with_deliveries(connection, select(notice).where(notice.c.id == notice_id))
    return found


async def end_delivery(connection: AsyncConnection, notice_id: UUID, channel: Channel) -> None:
    """Note that a notice has arrived."""
    delivered = {"state": "DELIVERED", "delivered_at": func.clock_timestamp(), "reason": None}
    await _write(connection, notice_id, channel, delivered)


async def put_off_delivery(
    connection: AsyncConnection, notice_id: UUID, channel: Channel, *, wait: timedelta | None, reason: str
) -> None:
    """Note why a notice did not arrive, and when to try again; without a wait it is given up."""
    if wait is None:
        await _write(connection, notice_id, channel, {"state": "GIVEN_UP", "reason": reason})
    else:
        await _write(connection, notice_id, channel, {"due_at": func.clock_timestamp() + wait, "reason": reason})


async def put_off_target(connection: AsyncConnection, channel: Channel, *, wait: timedelta) -> None:
    """Let everything else that is due over a channel wait too; it counts as no try."""
    columns = notice_delivery.c
    due = (columns.channel == channel, columns.state == "PENDING", columns.due_at <= func.clock_timestamp())
    free = select(columns.tenant, columns.notice, columns.channel).where(*due).with_for_update(skip_locked=True)
    putting_off = update(notice_delivery).where(tuple_(columns.tenant, columns.notice, columns.channel).in_(free))
    await connection.execute(putting_off.values(due_at=func.clock_timestamp() + wait))


async def send_again(connection: AsyncConnection, acting: Acting, *, notice_id: UUID) -> Notice:
    """Have a notice delivered anew over every channel on which its delivery has ended, under the same id.

    Repeat: what is on its way stays on its way. Errors: NoticeNotFoundError.
    """
    known = await _with_deliveries(connection, select(notice).where(notice.c.id == notice_id))
    if not known:
        raise NoticeNotFoundError
    columns = notice_delivery.c
    anew = {"state": "PENDING", "tries": 0, "due_at": func.clock_timestamp(), "delivered_at": None, "reason": None}
    ended = update(notice_delivery).where(columns.notice == notice_id, columns.state != "PENDING")
    channels = (await connection.execute(ended.values(**anew).returning(columns.channel))).scalars().all()
    if channels:
        subject, detail = notice_subject(notice_id), {"channels": sorted(channels)}
        await record_act(connection, acting, "NOTICE_RESENT", subject=subject, detail=detail)
    (found,) = await _with_deliveries(connection, select(notice).where(notice.c.id == notice_id))
    return found


async def list_notices(
    connection: AsyncConnection, *, before: UUID | None, limit: int, kind: NoticeKind | None = None
) -> list[Notice]:
    """List notices, newest first, before one; those of one kind when it is named."""
    listing = select(notice).order_by(notice.c.id.desc()).limit(limit)
    if before is not None:
        listing = listing.where(notice.c.id < before)
    return await _with_deliveries(connection, listing if kind is None else listing.where(notice.c.kind == kind))


async def _write(connection: AsyncConnection, notice_id: UUID, channel: Channel, values: dict[str, Any]) -> None:
    columns = notice_delivery.c  # columns of several types
    mine = (columns.notice == notice_id, columns.channel == channel, columns.state == "PENDING")
    await connection.execute(update(notice_delivery).where(*mine).values(values))


async def _with_deliveries(connection: AsyncConnection, listing: Any) -> list[Notice]:  # a SELECT of whole rows
    rows = (await connection.execute(listing)).mappings().all()
    ids = [row["id"] for row in rows]
    told = select(notice_delivery).where(notice_delivery.c.notice.in_(ids)).order_by(notice_delivery.c.channel)
    deliveries: dict[UUID, list[Delivery]] = {}
    for row in (await connection.execute(told)).mappings():
        fields: dict[str, Any] = {name: row[name] for name in Delivery.__slots__}
        deliveries.setdefault(row["notice"], []).append(Delivery(**fields))
    return [_notice(row, deliveries.get(row["id"], [])) for row in rows]


def _notice(row: RowMapping, deliveries: Sequence[Delivery]) -> Notice:
    return Notice(
        notice_id=row["id"],
        kind=row["kind"],
        subject=row["subject"],
        period=row["period"],
        items=tuple(row["items"]),
        created_at=row["created_at"],
        deliveries=tuple(deliveries),
    )
