"""Ask knowledge which sentences seem to disagree, and tell it which pairs may stand."""

from collections.abc import Iterator
from urllib.parse import quote

import httpx

from youju.http import Body, checked
from youju.paging import Page, pages


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


class Conflicts(Page):
    """A page of them. Where `is_cut`, there may be more than the version lists, where `is_partial`, than were looked for."""

    items: tuple[Conflict, ...]
    is_cut: bool = False
    is_partial: bool = False


def list_conflicts(client: httpx.Client, version: int) -> Iterator[Conflicts]:
    """Give the conflicts of a version in its order, page by page. Errors: Trouble when there is no such version."""
    return pages(client, f"/v1/staff/versions/{version}/conflicts", Conflicts, limit="100")


def dismiss_conflict(client: httpx.Client, key: str, reason: str) -> None:
    """Let both sentences stand. Errors: Trouble when there is no such pair."""
    checked(client.put(_place(key), json={"reason": reason}))


def restore_conflict(client: httpx.Client, key: str) -> None:
    """Open a conflict again. Errors: Trouble when knowledge refuses."""
    checked(client.delete(_place(key)))


def _place(key: str) -> str:
    return f"/v1/staff/conflicts/{quote(key, safe='')}/dismissal"
