"""Ask knowledge which sentences seem to disagree, and tell it which pairs may stand."""

from collections.abc import Iterator
from urllib.parse import quote

import httpx

from youju.http import Body, checked, parsed


class Sentence(Body):
    """One of two sentences, with where it stands."""

    slug: str
    label: str
    sentence: str


class Dismissal(Body):
    """Why both may stand, and who said so."""

    reason: str
    dismissed_by: str


class Conflict(Body):
    """Two sentences that seem to disagree."""

    key: str
    one: Sentence
    other: Sentence
    dismissal: Dismissal | None


class _Conflicts(Body):
    items: tuple[Conflict, ...]
    next_cursor: str | None


def list_conflicts(client: httpx.Client, version: int) -> Iterator[Conflict]:
    """Give the conflicts of a version in its order. Errors: Trouble when there is no such version."""
    query: dict[str, str] = {"limit": "100"}
    while True:
        page = parsed(client.get(f"/v1/staff/versions/{version}/conflicts", params=query), _Conflicts)
        yield from page.items
        if page.next_cursor is None:
            return
        query["cursor"] = page.next_cursor


def dismiss_conflict(client: httpx.Client, key: str, reason: str) -> None:
    """Let both sentences stand. Errors: Trouble when there is no such pair."""
    checked(client.put(_place(key), json={"reason": reason}))


def restore_conflict(client: httpx.Client, key: str) -> None:
    """Open a conflict again. Errors: Trouble when knowledge refuses."""
    checked(client.delete(_place(key)))


def _place(key: str) -> str:
    return f"/v1/staff/conflicts/{quote(key, safe='')}/dismissal"
