"""A word of the policy is read where something stands for its letters, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.respelling import looking_alike, respelled

pytestmark = pytest.mark.unit

WORDS = frozenset({"complain", "complaint", "lawyer", "boss"})
PAIRS = frozenset({"投诉", "起诉", "律师"})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("c0mplain", "complain"),
        ("a c0mp1a1nt!", "a complaint!"),
        ("1awy3r", "lawyer"),
        ("compl@int", "complaint"),
        ("b055", "boss"),
        ("tou诉", "投诉"),
        ("投 su", "投诉"),
        ("我要tou su你", "我要投诉你"),
        ("qi诉", "起诉"),
        ("lu师", "律师"),
    ],
)
def test_what_stands_for_a_letter_is_read_as_it(written: str, read: str) -> None:
    assert respelled(written, words=WORDS, pairs=PAIRS) == read


@pytest.mark.parametrize(
    "text",
    [
        "c0mpany",
        "x-c0mplain7y",
        "1111111111111111",
        "c1a1m1l1",
        "一起su图",
        "stou诉",
        "投sum",
        "tousu",
        "举bao",
        "14days",
    ],
)
def test_what_is_no_word_of_the_policy_stays(text: str) -> None:
    assert respelled(text, words=WORDS, pairs=PAIRS) == text


@given(st.text(alphabet="abcost0135789@$ 投诉起律师拆", max_size=60))
def test_a_policy_without_words_changes_nothing(text: str) -> None:
    assert respelled(text, words=frozenset(), pairs=frozenset()) == text


@given(st.text(alphabet="tousu complain01@投诉起律师拆", max_size=60))
def test_reading_twice_is_reading_once(text: str) -> None:
    once = respelled(text, words=WORDS, pairs=PAIRS)

    assert respelled(once, words=WORDS, pairs=PAIRS) == once


def test_a_character_that_looks_alike_is_read_where_the_word_is_no_other() -> None:
    assert looking_alike("我要投拆，一起拆箱", pairs=PAIRS) == "我要投诉，一起拆箱"
    assert looking_alike("投拆", pairs=frozenset({"起诉"})) == "投拆"
