"""Two texts compared sentence by sentence, and a sentence word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.versions.diffing import Change, diff_texts, diff_words

pytestmark = pytest.mark.unit

_SENTENCE = st.sampled_from(["运费由商家承担。", "七天内可以退货。", "Refunds take five days.", "开票后寄出。"])
_TEXT = st.lists(_SENTENCE, max_size=12).map("\n\n".join)


def test_a_changed_number_is_shown_inside_its_sentence() -> None:
    changes = diff_texts("七天内可以退货。运费由商家承担。", "十天内可以退货。运费由商家承担。")

    assert [each.kind for each in changes] == ["changed", "same"]
    assert [(piece.kind, piece.text) for piece in changes[0].pieces] == [
        ("removed", "七"),
        ("added", "十"),
        ("same", "天内可以退货。"),
    ]


def test_words_with_spaces_are_compared_as_words() -> None:
    pieces = diff_words("Refunds take 5 days.", "Refunds take 10 days.")

    assert [(each.kind, each.text) for each in pieces] == [
        ("same", "Refunds take "),
        ("removed", "5"),
        ("added", "10"),
        ("same", " days."),
    ]


def test_what_did_not_change_is_counted_not_shown() -> None:
    sentences = [f"第{number}句。" for number in range(10)]

    changes = diff_texts("\n\n".join(sentences), "\n\n".join([*sentences, "新的一句。"]))

    assert changes[0] == Change(kind="skipped", sentences=8)
    assert [each.kind for each in changes[1:]] == ["same", "same", "added"]


def test_equal_texts_have_no_difference() -> None:
    assert diff_texts("一样。", "一样。") == ()


@given(_TEXT, _TEXT)
def test_both_texts_can_be_told_from_the_changes(before: str, after: str) -> None:
    changes = diff_texts(before, after)

    gone = sum(each.before is not None for each in changes if each.kind != "same")
    come = sum(each.after is not None for each in changes if each.kind != "same")
    assert (gone - come) == (before.count("。") + before.count(".")) - (after.count("。") + after.count("."))
    for each in changes:
        if each.kind == "changed":
            assert "".join(piece.text for piece in each.pieces if piece.kind != "added") == each.before
            assert "".join(piece.text for piece in each.pieces if piece.kind != "removed") == each.after


def test_very_long_texts_are_compared_in_bounded_time() -> None:
    before = "\n\n".join(f"{number}元。" for number in range(6_000))
    after = "\n\n".join(f"{number}角。" for number in range(6_000))

    assert len(diff_texts(before, after)) == 12_000


def test_a_text_that_repeats_itself_is_compared_in_bounded_time() -> None:
    changes = diff_texts("同一句话。\n\n" * 2_000, "同一句话。\n\n另一句。\n\n" * 1_000)

    assert sum(each.kind == "removed" for each in changes) == 1_999


def test_only_the_first_of_many_long_sentences_are_compared_by_words() -> None:
    before, after = ("\n\n".join(f"{'字' * 900}{mark}{number}。" for number in range(40)) for mark in "甲乙")

    changes = diff_texts(before, after)

    shown = [[piece.kind for piece in each.pieces] for each in changes]
    assert shown[0] == ["same", "removed", "added", "same"]
    assert shown[-1] == ["removed", "added"]
