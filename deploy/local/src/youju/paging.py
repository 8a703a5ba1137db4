"""Read lists of the staff API to their last page, or as far as somebody looks."""

from collections.abc import Iterator
from typing import TypeVar

import httpx

from youju.http import Body, parsed


class Page(Body):
    """A page of a list; a subclass says what its items are."""

    next_cursor: str | None


PageT = TypeVar("PageT", bound=Page)


def pages(client: httpx.Client, place: str, of: type[PageT], /, **query: str) -> Iterator[PageT]:
    """Give page after page, asking for the next only when it is wanted. Errors: Trouble when knowledge refuses."""
    while True:
        page = parsed(client.get(place, params=query), of)
        yield page
        if page.next_cursor is None:
            return
        query["cursor"] = page.next_cursor
