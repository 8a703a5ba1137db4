"""Ed25519 key sets and the tokens they sign: services, staff, guests.

A key set is a JWK set file; the last key signs, all keys verify, so that a key is rotated by appending a new
one and dropping the oldest later. Source: RFC 7517 (JWK), RFC 8037 (Ed25519 in JOSE), RFC 7519 (JWT).
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from jwt.algorithms import OKPAlgorithm

from contracts.errors import UnauthenticatedError
from contracts.ids import uuid7

ALGORITHM: Final = "EdDSA"
_PRIVATE: Final = "d"
_LEEWAY_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class KeySet:
    """Keys in the order they were added; `signing` is None in a set of public keys only."""

    signing: tuple[str, Ed25519PrivateKey] | None
    verifying: Mapping[str, Ed25519PublicKey]


def private_file(folder: Path, name: str) -> Path:
    """Say where a keys directory holds the private key set of a name: service, staff or guest."""
    return folder / f"{name}.private.json"


def public_file(folder: Path, name: str) -> Path:
    """Say where a keys directory holds the public key set of a name: service, staff or guest."""
    return folder / f"{name}.public.json"


def add_key(private_file: Path, public_file: Path) -> None:
    """Append a new key to a pair of key-set files, making them when missing; the private one is for its owner only."""
    fresh = json.loads(OKPAlgorithm.to_jwk(Ed25519PrivateKey.generate()))
    fresh |= {"kid": uuid7().hex, "use": "sig", "alg": ALGORITHM}
    keys = [*_stored(private_file), fresh]
    _write(private_file, keys, mode=0o600)
    _write(public_file, [{k: v for k, v in key.items() if k != _PRIVATE} for key in keys], mode=0o644)


def read_keys(file: Path) -> KeySet:
    """Read a key-set file. Errors: ValueError when missing, empty or malformed."""
    keys = _stored(file)
    if not keys:
        raise ValueError(f"{file} holds no key")
    loaded = {key["kid"]: OKPAlgorithm.from_jwk(key) for key in keys}
    newest_id, newest = next(reversed(loaded.items()))
    signing = (newest_id, newest) if isinstance(newest, Ed25519PrivateKey) else None
    verifying = {kid: _public(key) for kid, key in loaded.items()}
    return KeySet(signing=signing, verifying=verifying)


def sign(keys: KeySet, claims: Mapping[str, object], *, audience: str, now: datetime, lifetime: timedelta) -> str:
    """Sign claims for one audience and a short life. Errors: ValueError when the set cannot sign."""
    if keys.signing is None:
        raise ValueError("this key set holds no private key")
    key_id, key = keys.signing
    body = {**claims, "aud": audience, "iat": now, "nbf": now, "exp": now + lifetime, "jti": uuid7().hex}
    return jwt.encode(body, key, algorithm=ALGORITHM, headers={"kid": key_id})


def verify(keys: KeySet, token: str, *, audience: str) -> dict[str, Any]:
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
