"""The name an original is saved under says nothing to a browser but what it is."""

from uuid import UUID

import pytest

from knowledge.ingestion.originals import disposition, hash_original, original_place, waiting_place

pytestmark = pytest.mark.unit

_ID = UUID(int=1)


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("policies/returns.md", "attachment; filename=\"returns.md\"; filename*=UTF-8''returns.md"),
        ("政策/退货.pdf", "attachment; filename=\"__.pdf\"; filename*=UTF-8''%E9%80%80%E8%B4%A7.pdf"),
        ('a"b;c.md', "attachment; filename=\"a_b_c.md\"; filename*=UTF-8''a%22b%3Bc.md"),
        ("a\u202egpj.html", "attachment; filename=\"agpj.html\"; filename*=UTF-8''agpj.html"),
        ("x/..", "attachment; filename=\"original\"; filename*=UTF-8''original"),
        ("a\r\nSet-Cookie: b", "attachment; filename=\"aSet-Cookie__b\"; filename*=UTF-8''aSet-Cookie%3A%20b"),
    ],
)
def test_a_file_is_saved_under_its_own_safe_name(path: str, header: str) -> None:
    assert disposition(path) == header


def test_a_long_name_keeps_its_ending() -> None:
    assert len(disposition("退" * 400 + ".pdf")) < 2_000
    assert disposition("a" * 400 + ".pdf").endswith("aaa.pdf")


def test_places_of_unlike_things_are_unlike() -> None:
    places = [
        original_place("t", _ID),
        waiting_place("t", _ID, "a"),
        waiting_place("t", _ID, "a", 1),
        waiting_place("t", _ID, "b"),
        waiting_place("u", _ID, "a"),
    ]

    assert len(set(places)) == len(places)


def test_a_hash_tells_equal_bytes_under_one_key_only() -> None:
    assert hash_original(b"a", key=b"k") == hash_original(b"a", key=b"k")
    assert len({hash_original(b"a", key=b"k"), hash_original(b"b", key=b"k"), hash_original(b"a", key=b"l")}) == 3
