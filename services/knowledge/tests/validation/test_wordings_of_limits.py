"""Limits in many wordings: those that say the same follow from one another, those of the other side do not."""

from itertools import permutations, product
from typing import Final

import pytest

from knowledge.validation.facts import find_uncovered

pytestmark = pytest.mark.unit

ALIKE: Final[dict[str, tuple[str, ...]]] = {
    "most": (
        "You can take up to 9 crates.",
        "You can take at most nine crates.",
        "You can't take more than 9 crates.",
        "You may not take over 9 crates.",
        "9 crates is the maximum you can take.",
        "The most you can take is 9 crates.",
        "Never take more than 9 crates.",
        "You can take 9 crates or fewer.",
    ),
    "least": (
        "You must take at least 9 crates.",
        "You have to take 9 crates or more.",
        "You can't take fewer than 9 crates.",
        "Takings start at 9 crates.",
        "Takings from 9 crates upwards are fine.",
        "9 crates is the least you can take.",
    ),
    "within": (
        "Tell us within 9 days.",
        "Tell us in 9 days or less.",
        "You have 9 days to tell us.",
        "Tell us no later than 9 days after.",
        "Tell us before 9 days have passed.",
        "Tell us by the end of 9 days.",
    ),
    "after": (
        "Tell us after 9 days.",
        "Tell us no earlier than 9 days after.",
        "Tell us once 9 days have gone by.",
        "Tell us more than 9 days later.",
    ),
    "before": (
        "Cancel at least 9 days before the trip.",
        "Cancel no later than 9 days before the trip.",
        "You can cancel up to 9 days before the trip.",
        "Cancel 9 days ahead of the trip at the latest.",
    ),
    "shortly before": (
        "Cancel less than 9 days before the trip.",
        "Cancel in the last 9 days before the trip.",
        "Cancel no earlier than 9 days before the trip.",
    ),
    "under": ("Guests under 9 swim free.", "Guests who aren't yet 9 swim free.", "Guests swim free until they turn 9."),
    "最多": ("每人最多买9箱。", "每人不能买超过9箱。", "9箱是上限。", "每人买9箱以内。"),
    "至少": ("每人至少买9箱。", "9箱起购。", "每人购买不得少于9箱。", "每人不能买少于9箱。"),
    "以内": ("收到后9天内申请。", "收到9天里申请。", "有9天时间申请。", "收到后最晚9天申请。"),
    "以后": ("收到9天后申请。", "收到满9天以后申请。", "收到至少9天后申请。"),
    "提前": ("提前9天取消。", "出发前至少9天取消。", "不晚于出发前9天取消。"),
    "临近": ("离出发不到9天取消。", "出发前不足9天取消。"),
}
OPPOSED: Final = (
    ("within", "after"),
    ("before", "shortly before"),
    ("最多", "至少"),
    ("以内", "以后"),
    ("提前", "临近"),
    ("most", "least"),
)


@pytest.mark.parametrize("limit", ALIKE)
def test_a_limit_follows_in_another_wording(limit: str) -> None:
    pairs = permutations(ALIKE[limit], 2)

    assert not [(quote, claim) for quote, claim in pairs if list(find_uncovered(claim, (quote,)))]


@pytest.mark.parametrize(("limit", "other"), [*OPPOSED, *(pair[::-1] for pair in OPPOSED)])
def test_the_other_side_of_a_limit_does_not_follow(limit: str, other: str) -> None:
    pairs = product(ALIKE[limit], ALIKE[other])

    assert not [(quote, claim) for quote, claim in pairs if not list(find_uncovered(claim, (quote,)))]
