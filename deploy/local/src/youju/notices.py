"""See what owners were told and whether it arrived, and send it again."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import quote

import httpx

from youju.http import Body, parsed
from youju.paging import Page, pages


class Delivery(Body):
    """Where a notice went or is on its way to."""

    channel: str
    state: str
    tries: int
    delivered_at: datetime | None
    reason: str | None


class Notice(Body):
    """What owners were told."""

    notice_id: str
    kind: str
    subject: str
    period: str
    items: tuple[dict[str, str | int | None], ...]
    created_at: datetime
    deliveries: tuple[Delivery, ...]


class _Notices(Page):
    items: tuple[Notice, ...]


def list_notices(client: httpx.Client, kind: str | None) -> Iterator[Notice]:
    """Give notices, newest first, reading only as many pages as are used; those of one kind when it is named."""
    named = {"kind": kind} if kind else {}
    for page in pages(client, "/v1/staff/notices", _Notices, limit="100", **named):
        yield from page.items


def resend_notice(client: httpx.Client, notice_id: str) -> Notice:
    """Have a notice delivered again. Errors: Trouble when there is no such notice."""
    return parsed(client.post(f"/v1/staff/notices/{quote(notice_id, safe='')}/resend"), Notice)
