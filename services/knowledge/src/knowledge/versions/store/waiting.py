"""Files and archives of an import that wait to be read: encrypted as soon as they arrive, where there are keys."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, case, func

from knowledge.ingestion.originals import waiting_place
from runtime.sealing import ADDED_BYTES, KeyRing, Sealed, UnopenedError

_NO_KEY: Final = "Files of this import wait under a key that this process does not have."


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waiting bytes of an import are stored and read with; without keys as they are."""

    tenant: str
    import_id: UUID
    ring: KeyRing | None

    def stored(self, content: bytes, path: str, number: int = 0) -> dict[str, bytes | str | None]:
        """Give the columns `content` and `key_id` of bytes that wait."""
        if self.ring is None:
            return {"content": content, "key_id": None}
        sealed = self.ring.seal(content, *waiting_place(self.tenant, self.import_id, path, number))
        return {"content": sealed.content, "key_id": sealed.key_id}

    def read(self, content: bytes, key_id: str | None, path: str, number: int = 0) -> bytes:
        """Give bytes that wait as they arrived. Errors: UnopenedError."""
        if key_id is None:
            return content
        if self.ring is None:
            raise UnopenedError(_NO_KEY)
        place = waiting_place(self.tenant, self.import_id, path, number)
        return self.ring.open(Sealed(key_id, bytes(content)), *place)


def arrived_bytes(content: Column[bytes], key_id: Column[str]) -> ColumnElement[int]:
    """Count stored bytes as they were before they were encrypted."""
    return func.octet_length(content) - case((key_id.is_(None), 0), else_=ADDED_BYTES)
