from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest

from contracts.errors import UnauthenticatedError
from runtime.tokens import KeyRing, Keys, add_key, made_at, read_keys, revoke_others, rotate, sign, verify

MINUTE = timedelta(seconds=60)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    pair = tmp_path / "service.private.json", tmp_path / "service.public.json"
    add_key(*pair)
    return pair


def now() -> datetime:
    return datetime.now(UTC)


def signed(keys: Keys, *, audience: str = "knowledge", at: datetime | None = None) -> str:
    return sign(keys, {"tenant": "demo"}, audience=audience, now=at or now(), lifetime=MINUTE)


def test_a_signed_token_verifies_with_the_public_set(files: tuple[Path, Path]) -> None:
    claims = verify(read_keys(files[1]), signed(read_keys(files[0])), audience="knowledge")

    assert claims["tenant"] == "demo"


def test_rotation_keeps_old_tokens_valid_and_signs_with_the_new_key(files: tuple[Path, Path]) -> None:
    before = signed(read_keys(files[0]))

    add_key(*files)

    public = read_keys(files[1])
    after = signed(read_keys(files[0]))
    assert jwt.get_unverified_header(before)["kid"] != jwt.get_unverified_header(after)["kid"]
    assert (
        verify(public, before, audience="knowledge")["tenant"] == verify(public, after, audience="knowledge")["tenant"]
    )


def test_a_running_process_follows_a_rotation_without_a_gap(files: tuple[Path, Path]) -> None:
    signing, verifying = KeyRing(files[0]), KeyRing(files[1])
    before = signed(signing)

    rotate(*files, now=now(), longest_life=MINUTE)

    after = signed(signing)
    assert jwt.get_unverified_header(before)["kid"] != jwt.get_unverified_header(after)["kid"]
    assert {verify(verifying, token, audience="knowledge")["tenant"] for token in (before, after)} == {"demo"}


def test_a_key_goes_only_when_its_last_token_has_expired(files: tuple[Path, Path]) -> None:
    first = next(iter(read_keys(files[1]).verifying))
    second = rotate(*files, now=now(), longest_life=MINUTE)
    third = rotate(*files, now=now(), longest_life=MINUTE)

    assert list(read_keys(files[1]).verifying) == [first, second, third]

    fourth = rotate(*files, now=now() + 2 * MINUTE, longest_life=MINUTE)
    assert list(read_keys(files[1]).verifying) == [third, fourth]


def test_a_stolen_key_ends_at_once(files: tuple[Path, Path]) -> None:
    verifying, before = KeyRing(files[1]), signed(read_keys(files[0]))

    key_id = revoke_others(*files)

    assert list(verifying.verifying) == [key_id]
    with pytest.raises(UnauthenticatedError):
        verify(verifying, before, audience="knowledge")


@pytest.mark.parametrize(
    "broken", ["", "{}", "[]", '{"keys": []}', '{"keys": [{}]}', '{"keys": [{"kid": "a"}]}', '{"keys": [{"kid": []}]}']
)
def test_a_broken_file_keeps_the_keys_that_were_good(files: tuple[Path, Path], broken: str) -> None:
    ring, before = KeyRing(files[1]), signed(read_keys(files[0]))

    files[1].write_text(broken, encoding="utf-8")

    assert verify(ring, before, audience="knowledge")["tenant"] == "demo"


def test_an_id_says_when_its_key_was_made(files: tuple[Path, Path]) -> None:
    (key_id,) = read_keys(files[1]).verifying

    assert abs(now() - made_at(key_id)) < MINUTE


def test_the_private_file_is_for_its_owner_only(files: tuple[Path, Path]) -> None:
    assert files[0].stat().st_mode & 0o077 == 0
    assert '"d"' not in files[1].read_text(encoding="utf-8")


def test_a_public_set_cannot_sign(files: tuple[Path, Path]) -> None:
    with pytest.raises(ValueError, match="no private key"):
        signed(read_keys(files[1]))


@pytest.mark.parametrize("fault", ["audience", "expired", "future", "tampered", "none", "unknown key", "garbage"])
def test_any_other_token_is_refused(files: tuple[Path, Path], fault: str, tmp_path: Path) -> None:
    keys = read_keys(files[0])
    add_key(tmp_path / "other.private.json", tmp_path / "other.public.json")
    key_id = next(iter(keys.verifying))
    body = {"aud": "knowledge", "exp": now() + MINUTE, "iat": now(), "nbf": now()}
    tokens = {
        "audience": signed(keys, audience="staff"),
        "expired": signed(keys, at=now() - timedelta(hours=1)),
        "future": signed(keys, at=now() + timedelta(hours=1)),
        "tampered": signed(keys)[:-8] + "AAAAAAAA",
        "none": jwt.encode(body, "", algorithm="none", headers={"kid": key_id}),
        "unknown key": signed(read_keys(tmp_path / "other.private.json")),
        "garbage": "not.a.token",
    }

    with pytest.raises(UnauthenticatedError) as refused:
        verify(keys, tokens[fault], audience="knowledge")
    assert tokens[fault] not in str(refused.value)
