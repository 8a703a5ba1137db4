"""Keep the bytes a revision was read from: encrypted for their tenant and revision, named without telling anything."""

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote
from uuid import UUID

_LONGEST_NAME: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedOriginal:
    """An encrypted original and the name of the key that opens it. Equal bytes of a tenant have equal hashes."""

    content_hash: str
    size_bytes: int
    key_id: str
    content: bytes


def hash_original(content: bytes, *, key: bytes) -> str:
    """Name bytes so that equal ones are told, and nothing else without the tenant's key of masked values."""
    return hmac.digest(key, b"original\0" + content, hashlib.sha256).hex()


def original_place(tenant: str, revision_id: UUID) -> tuple[str, ...]:
    """Name the place that an original is encrypted for."""
    return ("original", tenant, str(revision_id))


def waiting_place(tenant: str, import_id: UUID, path: str, number: int = 0) -> tuple[str, ...]:
    """Name the place that a file, or a part of an archive, is encrypted for while it waits to be read."""
    return ("waiting", tenant, str(import_id), path, str(number))


def disposition(path: str) -> str:
    """Give the header that has a browser save a file and not show it, whatever its name holds. Source: RFC 6266."""
    name = PurePosixPath(path).name[-_LONGEST_NAME:]
    # A mark of direction would show another ending than the file has.
    shown = "".join(each for each in name if unicodedata.category(each)[0] != "C").lstrip(".") or "original"
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "-_.") else "_" for each in shown)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(shown, safe='')}"
