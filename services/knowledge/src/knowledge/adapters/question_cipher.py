"""Encrypts questions as they were typed: each under a key of its own, which an installation key wraps.

To exchange installation keys only the wrapped keys are written again; the ciphertexts, which the answer log's chain
covers, stay as they are.
"""

import secrets
from dataclasses import replace
from typing import Final
from uuid import UUID

from knowledge.answering.log import Original
from runtime.sealing import KeyRing, Sealed

_KEY_BYTES: Final = 32


class QuestionCipher:
    """Encrypts and decrypts questions."""

    def __init__(self, ring: KeyRing) -> None:
        """Use the installation's keys."""
        self._ring = ring

    @property
    def older(self) -> tuple[str, ...]:
        """Name the keys that still open and wrap no more."""
        return self._ring.older

    def seal(self, question: str, *, tenant: str, attempt_id: UUID) -> Original:
        """Encrypt a question for its attempt."""
        key = secrets.token_bytes(_KEY_BYTES)
        place = _place(tenant, attempt_id)
        wrapped = self._ring.seal(key, *place, "key")
        ciphertext = KeyRing([key]).seal(question.encode(), *place).content
        return Original(key_id=wrapped.key_id, wrapped_key=wrapped.content, ciphertext=ciphertext)

    def open(self, original: Original, *, tenant: str, attempt_id: UUID) -> str:
        """Decrypt a question. Errors: runtime.sealing.UnopenedError."""
        key = KeyRing([self._unwrapped(original, tenant, attempt_id)])
        sealed = Sealed(key.newest, original.ciphertext)
        return key.open(sealed, *_place(tenant, attempt_id)).decode()

    def wrap_anew(self, original: Original, *, tenant: str, attempt_id: UUID) -> Original:
        """Wrap a question's key with the newest installation key. Errors: runtime.sealing.UnopenedError."""
        key = self._unwrapped(original, tenant, attempt_id)
        wrapped = self._ring.seal(key, *_place(tenant, attempt_id), "key")
        return replace(original, key_id=wrapped.key_id, wrapped_key=wrapped.content)

    def _unwrapped(self, original: Original, tenant: str, attempt_id: UUID) -> bytes:
        return self._ring.open(Sealed(original.key_id, original.wrapped_key), *_place(tenant, attempt_id), "key")


def _place(tenant: str, attempt_id: UUID) -> tuple[str, ...]:
    return ("question", tenant, str(attempt_id))
