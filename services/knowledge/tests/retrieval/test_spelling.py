"""An unknown English word is read as the known one that is a slip away, and nothing else is touched."""

import pytest

from knowledge.retrieval import spelling

_KNOWN = {"refund": 7, "refus": 2, "deliveri": 5, "ship": 9, "phone": 30, "7": 3, "运费": 8}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("refnud", "refund"),
        ("refudn", "refund"),
        ("refundd", "refund"),
        ("refnd", "refund"),
        ("delivari", "deliveri"),
        ("iphon", None),
        ("completely", None),
    ],
)
def test_the_most_frequent_neighbour_is_meant(typed: str, meant: str | None) -> None:
    assert spelling.meant(typed, _KNOWN) == meant


def test_only_long_unknown_english_words_are_doubtful() -> None:
    terms = ["refund", "refnud", "shp", "c++", "ab-1234/5", "运费", "运", "delivari", "unknown", "another"]

    assert spelling.doubtful(terms, _KNOWN) == ["refnud", "delivari", "unknown"]


def test_the_letters_of_a_code_are_no_word() -> None:
    assert spelling.doubtful(["pixen-12", "pixen", "12", "refnud"], _KNOWN) == ["refnud"]


def test_the_first_letter_is_trusted() -> None:
    assert {each[0] for each in spelling.neighbours("refund")} == {"r"}
