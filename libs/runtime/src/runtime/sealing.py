"""Encrypt bytes for one place in the database, under keys that can be exchanged.

AES-256-GCM with a random nonce; the place (a tenant, a row) is associated data, so bytes that are moved elsewhere do not
open there. The first key of a ring seals, every key of it opens: to exchange a key, put a new one in front.
"""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_KEY: Final = re.compile("[0-9a-fA-F]{64}")
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
# How much longer bytes are when they are sealed.
ADDED_BYTES: Final = _NONCE_BYTES + _TAG_BYTES
_NAME_DIGITS: Final = 16


class UnopenedError(Exception):
    """Bytes do not open: their key is not in the ring, they were changed, or they were sealed for another place."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """Encrypted bytes and the name of the key that opens them."""

    key_id: str
    content: bytes


class KeyRing:
    """Keys that open, the first of which seals."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Take keys of 32 bytes, the newest first. Errors: ValueError without any."""
        if not keys:
            raise ValueError("there is no key")
        self._keys = {_name(key): AESGCM(key) for key in keys}
        self.newest, *older = self._keys
        self.older = tuple(older)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read keys, 64 hexadecimal digits each, with white space between them. Errors: ValueError."""
        words = text.split()
        if not all(_KEY.fullmatch(word) for word in words):
            raise ValueError("a key is 64 hexadecimal digits")
        return cls([bytes.fromhex(word) for word in words])

    def seal(self, content: bytes, *place: str) -> Sealed:
        """Encrypt bytes for a place with the newest key."""
        nonce = os.urandom(_NONCE_BYTES)
        return Sealed(self.newest, nonce + self._keys[self.newest].encrypt(nonce, content, _bound(place)))

    def open(self, sealed: Sealed, *place: str) -> bytes:
        """Decrypt bytes that were sealed for this place. Errors: UnopenedError."""
        key = self._keys.get(sealed.key_id)
        if key is None:
            raise UnopenedError
        nonce, content = sealed.content[:_NONCE_BYTES], sealed.content[_NONCE_BYTES:]
        try:
            return key.decrypt(nonce, content, _bound(place))
        except (InvalidTag, ValueError) as changed:
            raise UnopenedError from changed


def _name(key: bytes) -> str:
    return hashlib.sha256(b"name of a key\0" + key).hexdigest()[:_NAME_DIGITS]


def _bound(place: Sequence[str]) -> bytes:
    return json.dumps(place, ensure_ascii=False).encode()
