"""What owners are told without asking: once a week what is overdue, once each rule that ends, each conflict."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from contracts.errors import NotFoundError
from contracts.ids import printed
from knowledge.versions.acts import version_subject
from knowledge.versions.agenda import Agenda, leaves_a_gap

NoticeKind = Literal["OVERDUE", "EXPIRING", "CONFLICT", "RECALL"]
Channel = Literal["webhook", "email"]
Item = Mapping[str, str | int | None]

# Two weeks are enough to write the text that follows.
DAYS_AHEAD: Final = 14
_MOST_ITEMS: Final = 200
_WAITS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1440))


class NoticeNotFoundError(NotFoundError):
    """There is no such notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeDraft:
    """A notice before it is made. There is one for a kind, a subject and a period, however often it is drafted."""

    kind: NoticeKind
    subject: str
    period: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Where a notice went or is on its way to."""

    channel: Channel
    state: Literal["PENDING", "DELIVERED", "GIVEN_UP"]
    tries: int
    delivered_at: datetime | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice as it is listed and sent."""

    notice_id: UUID
    kind: NoticeKind
    subject: str
    period: str
    items: tuple[Item, ...]
    created_at: datetime
    deliveries: tuple[Delivery, ...]


def drafts_of(found: Agenda, *, today: date) -> tuple[NoticeDraft, ...]:
    """Draft what an agenda has to say: the overdue rules of the week, and every rule that ends without a follower."""
    expiring = tuple(
        NoticeDraft(
            kind="EXPIRING",
            subject=f"{rule.slug}:{rule.label}",
            period=str(rule.effective_to),
            items=({"slug": rule.slug, "label": rule.label, "owner": rule.owner, "lastDay": str(rule.effective_to)},),
        )
        for rule in found.expiring
        if leaves_a_gap(rule)
    )
    if not found.overdue:
        return expiring
    items: tuple[Item, ...] = tuple(
        {"slug": rule.slug, "label": rule.label, "owner": rule.owner, "reviewDate": str(rule.review_date)}
        for rule in found.overdue[:_MOST_ITEMS]
    )
    return (NoticeDraft(kind="OVERDUE", subject="documents", period=week_of(today), items=items), *expiring)


def conflict_draft(version: int, hints: int) -> NoticeDraft:
    """Draft that sentences of a version seem to disagree."""
    subject = version_subject(version)
    return NoticeDraft(kind="CONFLICT", subject=subject, period="", items=({"version": version, "hints": hints},))


def refused_draft(attempts: Iterable[str], *, day: date) -> NoticeDraft:
    """Draft that customers were refused this day because two policies disagree."""
    items: tuple[Item, ...] = tuple({"attempt": attempt} for attempt in attempts)
    return NoticeDraft(kind="CONFLICT", subject="answers", period=str(day), items=items[:_MOST_ITEMS])


def notice_subject(notice_id: UUID) -> str:
    """Name a notice in the audit trail."""
    return f"notice:{printed('ntc', notice_id)}"


def week_of(day: date) -> str:
    """Name the week of a day. Source: ISO 8601."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


def wait_after(tries: int) -> timedelta | None:
    """Say how long to wait after so many failed tries; None when it is time to give up."""
    return _WAITS[tries - 1] if tries <= len(_WAITS) else None
