"""Originals as owners see them: the bytes a revision was read from."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contracts.errors import ConflictError, NotFoundError


class OriginalNotFoundError(NotFoundError):
    """No original of this revision is kept."""


class OriginalSealedError(ConflictError):
    """This original does not open: the key it was encrypted with is gone, or its bytes were changed."""

    code = "ORIGINAL_SEALED"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedOriginal:
    """An original as owners see it: whose it is, the file it came in, and whether it is still there."""

    revision_id: UUID
    slug: str
    label: str
    path: str
    size_bytes: int
    kept_at: datetime
    deleted_at: datetime | None
    deleted_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedOriginal:
    """The bytes of an original and the path they came under."""

    path: str
    content: bytes
