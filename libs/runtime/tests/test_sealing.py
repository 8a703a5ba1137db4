"""What is sealed opens at its place alone, under any key of the ring."""

import pytest

from runtime.sealing import KeyRing, Sealed, UnopenedError

pytestmark = pytest.mark.unit

_OLD, _NEW = bytes(32), bytes([7]) * 32
_TEXT = "张伟 15800002605".encode()


def test_bytes_come_back_at_their_place() -> None:
    ring = KeyRing([_OLD])

    sealed = ring.seal(_TEXT, "tenant", "row")

    assert ring.open(sealed, "tenant", "row") == _TEXT
    assert _TEXT not in sealed.content


def test_equal_bytes_are_sealed_unlike() -> None:
    ring = KeyRing([_OLD])

    assert ring.seal(_TEXT, "a").content != ring.seal(_TEXT, "a").content


@pytest.mark.parametrize("place", [("tenant", "other"), ("other", "row"), ("tenantrow",), ("tenant", "row", "")])
def test_bytes_do_not_open_at_another_place(place: tuple[str, ...]) -> None:
    ring = KeyRing([_OLD])
    sealed = ring.seal(_TEXT, "tenant", "row")

    with pytest.raises(UnopenedError):
        ring.open(sealed, *place)


@pytest.mark.parametrize("length", [0, 11, 12, 20, -1])
def test_bytes_that_were_cut_do_not_open(length: int) -> None:
    ring = KeyRing([_OLD])
    sealed = ring.seal(_TEXT, "a")

    with pytest.raises(UnopenedError):
        ring.open(Sealed(sealed.key_id, sealed.content[:length]), "a")


def test_bytes_that_were_changed_do_not_open() -> None:
    ring = KeyRing([_OLD])
    sealed = ring.seal(_TEXT, "a")

    with pytest.raises(UnopenedError):
        ring.open(Sealed(sealed.key_id, sealed.content[:-1] + bytes([sealed.content[-1] ^ 1])), "a")


def test_an_older_key_opens_and_the_first_one_seals() -> None:
    before = KeyRing([_OLD]).seal(_TEXT, "a")
    ring = KeyRing([_NEW, _OLD])

    after = ring.seal(ring.open(before, "a"), "a")

    assert (ring.newest, ring.older) == (after.key_id, (before.key_id,))
    assert KeyRing([_NEW]).open(after, "a") == _TEXT
    with pytest.raises(UnopenedError):
        KeyRing([_NEW]).open(before, "a")


def test_keys_are_read_line_by_line() -> None:
    ring = KeyRing.parse(f"{_NEW.hex()}\n{_OLD.hex()}\n")

    assert (ring.newest, ring.older) == (KeyRing([_NEW]).newest, (KeyRing([_OLD]).newest,))


@pytest.mark.parametrize("text", ["", "  \n", "c0ffee", f"{_NEW.hex()} c0ffee"])
def test_what_is_no_key_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"no key|64 hexadecimal") as refused:
        KeyRing.parse(text)

    assert "c0ffee" not in str(refused.value)
