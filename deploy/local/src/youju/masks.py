"""Ask knowledge what it masked, and tell it which values may stay."""

from collections.abc import Iterator
from urllib.parse import quote

import httpx

from youju.http import Body, checked
from youju.paging import Page, pages


class MaskSummary(Body):
    """One place where personal data stood."""

    slug: str
    label: str
    field: str = "text"
    kind: str
    start: int
    hash: str
    allowed: bool
    context: str


class _Masks(Page):
    items: tuple[MaskSummary, ...]


def list_masks(client: httpx.Client, version: int) -> Iterator[MaskSummary]:
    """Give the masks of a version by document and place. Errors: Trouble when there is no such version."""
    for page in pages(client, f"/v1/staff/versions/{version}/masks", _Masks, limit="100"):
        yield from page.items


def allow_value(client: httpx.Client, value_hash: str) -> None:
    """Let a value stay from the next import on. Errors: Trouble when knowledge refuses."""
    checked(client.put(_place(value_hash)))


def end_allowance(client: httpx.Client, value_hash: str) -> None:
    """Mask a value again from the next import on. Errors: Trouble when knowledge refuses."""
    checked(client.delete(_place(value_hash)))


def _place(value_hash: str) -> str:
    return f"/v1/staff/mask-allowances/{quote(value_hash, safe='')}"
