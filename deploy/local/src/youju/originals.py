"""Look at the files that revisions were read from, fetch one, delete one."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import httpx

from youju.http import Body, checked
from youju.paging import Page, pages
from youju.trouble import Trouble


class Original(Body):
    """The file a revision was read from."""

    revision_id: str
    slug: str
    label: str
    path: str
    size_bytes: int
    kept_at: datetime
    deleted_at: datetime | None
    deleted_by: str | None

    @property
    def file_name(self) -> str:
        """Give a name that stays in the folder it is written to."""
        name = "".join(each for each in PurePosixPath(self.path).name if each.isprintable()).lstrip(".")
        return name or "original"


class _Originals(Page):
    items: tuple[Original, ...]


def list_originals(client: httpx.Client, slug: str | None) -> Iterator[Original]:
    """Give originals by document, to the last page; those of one document when it is named."""
    named = {"slug": slug} if slug else {}
    for page in pages(client, "/v1/staff/originals", _Originals, limit="100", **named):
        yield from page.items


def find_original(client: httpx.Client, slug: str, label: str | None) -> Original:
    """Give the original of a document's revision, the newest that is kept when no label says which.

    Errors: Trouble when none is kept.
    """
    kept = [each for each in list_originals(client, slug) if label in {None, each.label} and each.deleted_at is None]
    if not kept:
        raise Trouble(f"No original of {slug}{f' ({label})' if label else ''} is kept.")
    return max(kept, key=lambda each: each.kept_at)


def fetch_original(client: httpx.Client, original: Original, target: Path) -> None:
    """Write an original to a new file that only we may read. Errors: Trouble, also when the file exists."""
    content = checked(client.get(_place(original))).content
    try:
        target.touch(mode=0o600, exist_ok=False)
        target.write_bytes(content)
    except FileExistsError as taken:
        raise Trouble(f"{target} exists already.") from taken
    except OSError as refused:
        raise Trouble(f"{target} cannot be written: {refused.strerror}.") from refused


def delete_original(client: httpx.Client, original: Original) -> None:
    """Delete an original and every copy of its bytes. Errors: Trouble when knowledge refuses."""
    checked(client.delete(_place(original)))


def _place(original: Original) -> str:
    return f"/v1/staff/revisions/{quote(original.revision_id, safe='')}/original"
