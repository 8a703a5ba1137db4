"""Fetch the keys of tenants' token issuers: cached, asked again for an unknown key, and kept while an issuer is down.

Source: RFC 7517 (JWK sets), OpenID Connect Core 1.0 section 10.1.1 (rotation by key id).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from opentelemetry.instrumentation.utils import suppress_http_instrumentation
from pydantic import BaseModel

from contracts.errors import UnavailableError
from runtime.ending import end_all
from runtime.http import trust
from runtime.logging import get_logger

FRESH_SECONDS: Final = 600.0
# Whoever sends made-up key ids makes us ask their issuer once in this time, not once a request.
ASK_AGAIN_SECONDS: Final = 30.0
# An issuer that is down for longer cannot withdraw a stolen key; then its tokens prove nothing any more.
KEPT_SECONDS: Final = 86_400.0
_TIMEOUT: Final = httpx.Timeout(3.0, connect=2.0)
# For a whole answer, however slowly it trickles in: whoever brings an unknown key waits for it.
_SECONDS: Final = 5.0
_SIZE_BYTES: Final = 256 * 1024
_MOST_KEYS: Final = 64
_RSA_BITS: Final = 2048
_KINDS: Final = frozenset({"RSA", "EC", "OKP"})

Stopwatch = Callable[[], float]

_log = get_logger("key_sets")


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that verifies. One that says its algorithm serves no other."""

    key: Any  # one of several classes of two libraries
    algorithm: str | None


class _Stored(BaseModel):
    keys: tuple[dict[str, Any], ...]  # the members depend on the kind of key


@dataclass(frozen=True, slots=True)
class _Fetched:
    keys: Mapping[str, PublicKey]
    at: float


class KeySets:
    """The public keys of every issuer that a tenant trusts, by address."""

    def __init__(
        self, *, stopwatch: Stopwatch, transport: httpx.AsyncBaseTransport | None = None, seconds: float = _SECONDS
    ) -> None:
        """Prepare a client of its own: no redirects, no proxies of the environment, nothing of our traces."""
        self._client = httpx.AsyncClient(
            timeout=_TIMEOUT, follow_redirects=False, trust_env=False, verify=trust(), transport=transport
        )
        self._stopwatch = stopwatch
        self._seconds = seconds
        self._fetched: dict[str, _Fetched] = {}
        self._asked_at: dict[str, float] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._refreshing: dict[str, asyncio.Task[None]] = {}

    async def find(self, url: str, key_id: str) -> PublicKey | None:
        """Give the key of that id, or None when the issuer does not have it.

        Errors: UnavailableError while nothing recent enough is known and the issuer does not answer.
        """
        known = self._known(url)
        if known is not None and key_id in known.keys:
            if self._age(known) > FRESH_SECONDS:
                self._refresh_later(url)
            return known.keys[key_id]
        async with self._locks.setdefault(url, asyncio.Lock()):
            await self._ask(url)
        known = self._known(url)
        if known is None:
            raise UnavailableError
        return known.keys.get(key_id)

    async def aclose(self) -> None:
        """Close the client."""
        await end_all(self._refreshing.values())
        await self._client.aclose()

    def _known(self, url: str) -> _Fetched | None:
        found = self._fetched.get(url)
        return found if found is not None and self._age(found) <= KEPT_SECONDS else None

    def _age(self, fetched: _Fetched) -> float:
        return self._stopwatch() - fetched.at

    def _refresh_later(self, url: str) -> None:
        if url not in self._refreshing:
            self._refreshing[url] = asyncio.create_task(self._ask(url))
            self._refreshing[url].add_done_callback(lambda _: self._refreshing.pop(url))

    async def _ask(self, url: str) -> None:
        """Ask an issuer, unless it was asked a moment ago; trouble keeps what is known."""
        now = self._stopwatch()
        asked_at = self._asked_at.get(url)
        if asked_at is not None and now - asked_at < ASK_AGAIN_SECONDS:
            return
        self._asked_at[url] = now
        try:
            async with asyncio.timeout(self._seconds):
                keys = await self._fetch(url)
        except (httpx.HTTPError, ValueError, TimeoutError) as trouble:
            _log.warning("key_set_lost", url=url, error=type(trouble).__name__)
            return
        self._fetched[url] = _Fetched(keys, now)
        _log.info("key_set_read", url=url, keys=len(keys))

    async def _fetch(self, url: str) -> Mapping[str, PublicKey]:
        with suppress_http_instrumentation():
            async with self._client.stream("GET", url, headers={"Accept": "application/json"}) as response:
                if response.status_code != HTTPStatus.OK:
                    raise ValueError("the answer is no key set")
                body = bytearray()
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > _SIZE_BYTES:
                        raise ValueError("the key set is too large")
        return read_key_set(bytes(body))


def read_key_set(body: bytes) -> Mapping[str, PublicKey]:
    """Read the usable keys of a set by id: for signatures, asymmetric and long enough; others are left out.

    Errors: ValidationError, which is a ValueError, when it is no key set.
    """
    listed = _Stored.model_validate_json(body).keys[:_MOST_KEYS]
    found = {str(each.get("kid", "")): _usable(each) for each in listed}
    return {key_id: key for key_id, key in found.items() if key_id and key is not None}


def _usable(stored: dict[str, Any]) -> PublicKey | None:  # as in _Stored
    if stored.get("use", "sig") != "sig" or "d" in stored:
        return None
    try:
        if stored.get("kty") not in _KINDS:
            return None
        key: Any = jwt.PyJWK(stored).key  # as in PublicKey
    except (jwt.PyJWTError, TypeError, ValueError):
        return None
    is_short = isinstance(key, RSAPublicKey) and key.key_size < _RSA_BITS
    return None if is_short else PublicKey(key, stored.get("alg"))
