"""Read who did what."""

from collections.abc import Iterator, Mapping
from datetime import datetime

import httpx

from youju.http import Body
from youju.paging import Page, pages


class Act(Body):
    """One act of the audit trail."""

    number: int
    at: datetime
    actor: str
    roles: tuple[str, ...]
    act: str
    subject: str
    detail: dict[str, str | int | bool | list[str] | None]


class _Acts(Page):
    items: tuple[Act, ...]


def list_acts(client: httpx.Client, wanted: Mapping[str, str]) -> Iterator[Act]:
    """Give acts, newest first, reading only as many pages as are used. `wanted` holds conditions by their names."""
    for page in pages(client, "/v1/staff/audit", _Acts, limit="100", **wanted):
        yield from page.items
