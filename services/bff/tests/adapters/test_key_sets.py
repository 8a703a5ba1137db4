import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bff.adapters.key_sets import ASK_AGAIN_SECONDS, FRESH_SECONDS, KEPT_SECONDS, KeySets, read_key_set
from contracts.errors import UnavailableError
from services.bff.tests.issuing import public_jwk, rsa_key

URL = "https://login.example/keys"
KEY = rsa_key()


class World(httpx.AsyncBaseTransport):
    """An issuer and a clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked = 0
        self.status = 200
        self.body = key_set("first")

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.status == 0:
            raise httpx.ConnectError("down", request=request)
        return httpx.Response(self.status, content=self.body, headers={"Location": "https://evil.example/keys"})

    def clock(self) -> float:
        return self.now


def key_set(*key_ids: str) -> bytes:
    return json.dumps({"keys": [public_jwk(KEY, key_id) for key_id in key_ids]}).encode()


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def key_sets(world: World) -> AsyncIterator[KeySets]:
    opened = KeySets(stopwatch=world.clock, transport=world)
    yield opened
    await opened.aclose()


async def test_a_known_key_is_found_without_asking_again(world: World, key_sets: KeySets) -> None:
    found = [await key_sets.find(URL, "first") for _ in range(5)]

    assert all(found)
    assert world.asked == 1


async def test_many_at_once_ask_once(world: World, key_sets: KeySets) -> None:
    await asyncio.gather(*(key_sets.find(URL, "first") for _ in range(50)))

    assert world.asked == 1


async def test_an_unknown_key_asks_again_but_not_for_every_made_up_one(world: World, key_sets: KeySets) -> None:
    await key_sets.find(URL, "first")
    world.body = key_set("first", "second")
    for number in range(20):
        assert await key_sets.find(URL, f"made up {number}") is None
    assert world.asked == 1

    world.now += ASK_AGAIN_SECONDS

    assert await key_sets.find(URL, "second") is not None
    assert world.asked == 2


@pytest.mark.parametrize("status", [0, 301, 302, 404, 500])
async def test_while_an_issuer_is_down_its_keys_are_kept_for_a_day(
    world: World, key_sets: KeySets, status: int
) -> None:
    await key_sets.find(URL, "first")
    world.status = status
    world.now += FRESH_SECONDS + 1

    assert await key_sets.find(URL, "first") is not None

    world.now += KEPT_SECONDS
    with pytest.raises(UnavailableError):
        await key_sets.find(URL, "first")


async def test_a_key_that_was_withdrawn_is_gone_at_the_next_look(world: World, key_sets: KeySets) -> None:
    await key_sets.find(URL, "first")
    world.body = key_set("second")
    world.now += FRESH_SECONDS + 1

    # The look is taken beside the request that finds the set stale.
    await key_sets.find(URL, "first")
    await asyncio.gather(*key_sets._refreshing.values())  # pyright: ignore[reportPrivateUsage]  # to see it end

    assert await key_sets.find(URL, "first") is None
    assert world.asked == 2


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"keys": {}}', b'{"keys": ["x"]}', b"x" * 300_000])
async def test_what_is_no_key_set_is_trouble(world: World, key_sets: KeySets, body: bytes) -> None:
    world.body = body

    with pytest.raises(UnavailableError):
        await key_sets.find(URL, "first")


async def test_an_issuer_that_never_comes_to_an_end_is_not_waited_for() -> None:
    class Endless(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.Event().wait()
            raise httpx.ConnectError("never", request=request)

    key_sets = KeySets(stopwatch=World().clock, transport=Endless(), seconds=0.01)
    async with asyncio.timeout(5):
        with pytest.raises(UnavailableError):
            await key_sets.find(URL, "first")
    await key_sets.aclose()


def test_only_keys_for_signatures_are_read() -> None:
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - to see it refused
    keys = [
        public_jwk(KEY, "good"),
        public_jwk(KEY, "for encryption", use="enc"),
        public_jwk(KEY, "claims to be secret", alg="HS256"),
        public_jwk(weak, "weak"),
        {"kty": "oct", "kid": "secret", "k": "c2VjcmV0"},
        {**public_jwk(KEY, "private"), "d": "AQAB"},
        {"kty": "EC", "kid": "broken"},
        {"kid": "kindless"},
        {"kty": ["RSA"], "kid": "of several kinds"},
        {**public_jwk(KEY, "of several algorithms"), "alg": ["RS256"]},
        {**public_jwk(KEY, "numbered"), "n": 17},
        {**public_jwk(KEY, "even"), "n": "AAAA"},
    ]

    assert set(read_key_set(json.dumps({"keys": keys}).encode())) == {"good"}
