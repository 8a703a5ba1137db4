"""Two sentences disagree when they speak of the same and differ in one quantity, or say yes and no."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.conflict import Said, said
from knowledge.evaluation.disagreeing import SAME_BUT_NEGATED, SAME_SUBJECT, Numbering, disagreeing

pytestmark = pytest.mark.unit

_SAME_CHARACTERS: Final = 0.74
_FEWEST_CHARACTERS: Final = 8


def _found(texts: Sequence[str], *, known: int = 0) -> set[tuple[int, int]]:
    """Compare sentences of as many documents; the first ones are not new."""
    numbering = Numbering()
    read = [
        numbering.sentence(said("", text), text=text, document=place, is_new=place >= known)
        for place, text in enumerate(texts)
    ]
    listed = list(disagreeing(read))
    assert len(listed) == len(set(listed))
    return set(listed)


@pytest.mark.parametrize(
    ("one", "other", "disagree"),
    [
        ("茶壶的退货期限是九天。", "茶壶的退货期限是 9 天。", False),
        ("茶壶的退货期限是九天。", "茶壶的退货期限是五天。", True),
        ("茶壶的退货期限是九天。", "茶壶的退货期限是九个工作日。", False),
        ("茶壶的退货期限是九天。", "茶杯和盘子要在五天内换。", False),
        ("刻字的茶壶可以在九天内退货。", "刻字的茶壶不可以在九天内退货。", True),
        ("Tea pots can be returned within nine days.", "Tea pots can be returned within 14 days.", True),
        ("Tea pots can be returned within nine days.", "Tea pots can be repaired within 14 days.", False),
        ("17 号线首班车每 10 分钟一班。", "16 号线首班车每 8 分钟一班。", False),
        ("退款在审核通过后3个工作日内原路退回。", "审核通过后，退款于5个工作日内原路退回。", True),
        ("……", "！！", False),
    ],
)
def test_a_conflict_needs_the_same_subject_and_another_value(one: str, other: str, *, disagree: bool) -> None:
    assert bool(_found([one, other])) == disagree


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _disagree(one: Said, other: Said) -> bool:
    """Say it as it is defined, pair by pair."""
    if one.is_negated != other.is_negated and _likeness(one.subject, other.subject) >= SAME_BUT_NEGATED:
        return True
    if [each.kind for each in one.quantities] != [each.kind for each in other.quantities]:
        return False
    values = zip(one.quantities, other.quantities, strict=True)
    if sum(ours.value != theirs.value for ours, theirs in values) != 1 or one.numbered != other.numbered:
        return False
    few = min(len(one.characters), len(other.characters)) < _FEWEST_CHARACTERS
    same = not few and _likeness(one.characters, other.characters) >= _SAME_CHARACTERS
    return same or _likeness(one.subject, other.subject) >= SAME_SUBJECT


_PARTS: Final = (
    "收到商品后",
    "七天内",
    "15天内",
    "可以",
    "不可以",
    "申请退货",
    "申请换货",
    "满99元",
    "17号",
    "运费由商家承担",
)
_TEXTS: Final = st.lists(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=6).map("".join), max_size=12)


@given(texts=_TEXTS, known=st.integers(0, 12))
def test_what_is_found_is_what_comparing_every_pair_finds(texts: list[str], known: int) -> None:
    read = [said("", text) for text in texts]
    expected = {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if other >= known and texts[one] != texts[other] and _disagree(read[one], read[other])
    }

    assert _found(texts, known=known) == expected


def test_what_was_compared_before_meets_only_what_is_new() -> None:
    texts = [f"收到商品后{days}天内可以申请退货。" for days in (7, 15, 30)]

    assert _found(texts, known=2) == {(0, 2), (1, 2)}
