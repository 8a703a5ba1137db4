"""Ed25519 key sets and the tokens they sign: services, staff, guests.

A key set is a JWK set file; the last key signs, all keys verify. `rotate` appends a new key and drops what no living
token can bear any more; processes read a changed file by themselves. Source: RFC 7517 (JWK), RFC 8037 (Ed25519 in
JOSE), RFC 7519 (JWT).
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from jwt.algorithms import OKPAlgorithm

from contracts.errors import UnauthenticatedError
from contracts.ids import uuid7

ALGORITHM: Final = "EdDSA"
_PRIVATE: Final = "d"
_LEEWAY_SECONDS: Final = 5


class Keys(Protocol):
    """What signs and verifies now. `signing` is None where there are public keys only."""

    @property
    def signing(self) -> tuple[str, Ed25519PrivateKey] | None:
        """The key that signs, with its id."""
        ...

    @property
    def verifying(self) -> Mapping[str, Ed25519PublicKey]:
        """The keys that verify, by id."""
        ...


@dataclass(frozen=True, slots=True)
class KeySet:
    """Keys in the order they were added; `signing` is None in a set of public keys only."""

    signing: tuple[str, Ed25519PrivateKey] | None
    verifying: Mapping[str, Ed25519PublicKey]


class KeyRing:
    """The keys of a file as it is now: a changed one is read at the next use, a broken one keeps the last good state."""

    def __init__(self, file: Path) -> None:
        """Read the file once. Errors: as `read_keys`."""
        self._file = file
        self._stamp = file.stat().st_mtime_ns if file.exists() else 0
        self._keys = read_keys(file)

    @property
    def signing(self) -> tuple[str, Ed25519PrivateKey] | None:
        """The key that signs, with its id."""
        return self._fresh().signing

    @property
    def verifying(self) -> Mapping[str, Ed25519PublicKey]:
        """The keys that verify, by id."""
        return self._fresh().verifying

    def _fresh(self) -> KeySet:
        try:
            stamp = self._file.stat().st_mtime_ns
            if stamp != self._stamp:
                self._keys = read_keys(self._file)
                self._stamp = stamp
        except (OSError, ValueError):
            # Whoever wrote it writes it again; until then the keys that were good are good.
            return self._keys
        return self._keys


def private_file(folder: Path, name: str) -> Path:
    """Say where a keys directory holds the private key set of a name: service, staff or guest."""
    return folder / f"{name}.private.json"


def public_file(folder: Path, name: str) -> Path:
    """Say where a keys directory holds the public key set of a name: service, staff or guest."""
    return folder / f"{name}.public.json"


def add_key(private_file: Path, public_file: Path) -> None:
    """Append a new key to a pair of key-set files, making them when missing; the private one is for its owner only."""
    _write_pair(private_file, public_file, [*_stored(private_file), _new_key()])


def rotate(private_file: Path, public_file: Path, *, now: datetime, longest_life: timedelta) -> str:
    """Let a new key sign from now on, and drop the keys whose last token has expired; give the new key's id.

    A key stopped signing when its successor was made, so it goes once that is longer ago than any token lives.
    """
    keys = _stored(private_file)
    successors = [made_at(str(key["kid"])) for key in keys[1:]]
    living = [key for key, next_at in zip(keys, successors, strict=False) if now - next_at <= longest_life]
    fresh = _new_key()
    _write_pair(private_file, public_file, [*living, *keys[-1:], fresh])
    return str(fresh["kid"])


def revoke_others(private_file: Path, public_file: Path) -> str:
    """Make a new key the only one, so that every earlier token ends at once; give its id."""
    fresh = _new_key()
    _write_pair(private_file, public_file, [fresh])
    return str(fresh["kid"])


def made_at(key_id: str) -> datetime:
    """Say when a key was made: its id begins with the time. Source: RFC 9562 section 5.7 (UUIDv7)."""
    return datetime.fromtimestamp((UUID(hex=key_id).int >> 80) / 1000, tz=UTC)


def read_keys(file: Path) -> KeySet:
    """Read a key-set file. Errors: ValueError when missing, empty or malformed."""
    try:
        loaded = {key["kid"]: OKPAlgorithm.from_jwk(key) for key in _stored(file)}
    except (KeyError, TypeError, jwt.PyJWTError) as malformed:
        raise ValueError(f"{file} is no key set") from malformed
    if not loaded:
        raise ValueError(f"{file} holds no key")
    newest_id, newest = next(reversed(loaded.items()))
    signing = (newest_id, newest) if isinstance(newest, Ed25519PrivateKey) else None
    verifying = {kid: _public(key) for kid, key in loaded.items()}
    return KeySet(signing=signing, verifying=verifying)


def sign(keys: Keys, claims: Mapping[str, object], *, audience: str, now: datetime, lifetime: timedelta) -> str:
    """Sign claims for one audience and a short life. Errors: ValueError when the set cannot sign."""
    signing = keys.signing
    if signing is None:
        raise ValueError("this key set holds no private key")
    key_id, key = signing
    body = {**claims, "aud": audience, "iat": now, "nbf": now, "exp": now + lifetime, "jti": uuid7().hex}
    return jwt.encode(body, key, algorithm=ALGORITHM, headers={"kid": key_id})


def verify(keys: Keys, token: str, *, audience: str) -> dict[str, Any]:
    """Check signature, audience and times and give the claims.

    Errors: UnauthenticatedError for anything else, without saying what; the token never enters the message.
    """
    try:
        key = keys.verifying[str(jwt.get_unverified_header(token).get("kid"))]
        return jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            audience=audience,
            leeway=_LEEWAY_SECONDS,
            options={"require": ["exp", "iat", "nbf", "aud"]},
        )
    except (jwt.InvalidTokenError, KeyError) as refused:
        raise UnauthenticatedError from refused


def key_id_of(token: str) -> str | None:
    """Read which key a token says it was signed with, without believing it; None for what is no token."""
    try:
        return jwt.get_unverified_header(token).get("kid")
    except jwt.InvalidTokenError:
        return None


def _new_key() -> dict[str, Any]:  # as below
    fresh: dict[str, Any] = json.loads(OKPAlgorithm.to_jwk(Ed25519PrivateKey.generate()))
    return fresh | {"kid": uuid7().hex, "use": "sig", "alg": ALGORITHM}


def _write_pair(private_file: Path, public_file: Path, keys: list[dict[str, Any]]) -> None:  # as below
    # Who verifies learns of a key before anybody signs with it; a key that goes is withdrawn last, and signs no more.
    public = [{name: value for name, value in key.items() if name != _PRIVATE} for key in keys]
    kept = [key for key in _stored(public_file) if all(key["kid"] != each["kid"] for each in public)]
    _write(public_file, [*kept, *public], mode=0o644)
    _write(private_file, keys, mode=0o600)
    _write(public_file, public, mode=0o644)


def _stored(file: Path) -> list[dict[str, Any]]:  # JWK members are strings, but their set depends on the key
    return json.loads(file.read_text(encoding="utf-8"))["keys"] if file.exists() else []


def _write(file: Path, keys: list[dict[str, Any]], *, mode: int) -> None:  # as above
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_suffix(".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as out:
        json.dump({"keys": keys}, out, indent=1)
    draft.replace(file)


def _public(key: object) -> Ed25519PublicKey:
    if isinstance(key, Ed25519PrivateKey):
        return key.public_key()
    if isinstance(key, Ed25519PublicKey):
        return key
    raise ValueError("only Ed25519 keys are accepted")
