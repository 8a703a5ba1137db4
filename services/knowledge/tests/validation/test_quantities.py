"""Looks that spare work change no reading: a figure is found wherever it stands."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowledge.validation.dates import Moment, find_moments
from knowledge.validation.notations import FIGURE
from knowledge.validation.quantities import find_figures, is_equal
from knowledge.validation.units import are_compatible

pytestmark = pytest.mark.unit

WORDS = st.sampled_from(
    [
        "3", "12.5", "1,000", "$", "us$5", "usd 20", "%", "percent", "days", "day", "business days", "hours", "p.m.", "am", "of", "the",
        "one", "two", "twelve", "forty", "hundred", "million", "dozen", "first", "fourth", "1st", "half", "by half", "half a", "half price",
        "a", "an", "third", "and a half", "a couple of", "weeks", "month", "year", "twice", "double", "immediately", "right away",
        "at once", "same day", "instantly", "no one", "at first", "in the first place", "third parties", "b2b", "a-1", "100gb", "99bikes",
        "may", "march", "jan. 5", "monday", "noon", "midnight", "12:30", "2026-05-01", "1/2", "to", "or", "between", "and", "we", "return",
        "三", "两三", "二十", "十几", "百分之", "三分之", "万", "天", "个月", "个工作日", "元", "块", "折", "成", "半", "一半", "半年", "个半", "第", "首", "次",
        "双倍", "立即", "当天", "最后一", "统一", "单一", "一般", "年", "月", "日", "号", "周", "星期", "点", "时", "上午", "中午", "午夜", "正午", "到", "和", "退货",
    ]
)  # fmt: skip
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from(["", " ", "-", ","])), max_size=12).map(
    lambda pieces: "".join(f"{word}{gap}" for word, gap in pieces)
)
# Letters begin a figure at the beginning of a word alone.
PLAIN = re.compile(rf"(?:(?<![a-z0-9])(?=[a-z])|(?=[^a-z])){FIGURE}")


@given(text=TEXTS)
@example(text="十几十几")
def test_looking_at_the_first_word_misses_no_figure(text: str) -> None:
    found = [
        match.span() for match in PLAIN.finditer(text) if match.lastgroup not in ("idiom", "token", "name", "vague")
    ]
    if not find_moments(text):
        said = {(each.start, each.end) for each in find_figures(text).quantities}
        assert said == set(found)


@given(text=TEXTS)
def test_texts_that_are_not_read_hold_nothing(text: str) -> None:
    looked_at = f"午:\x00{text}"
    assert [_parts(each) for each in find_moments(text)] == [_parts(each) for each in find_moments(looked_at)]
    assert [each[:4] for each in find_figures(text).quantities] == [
        each[:4] for each in find_figures(looked_at).quantities
    ]


def _parts(moment: Moment) -> tuple[str, tuple[int | None, ...], str]:
    return moment.kind, moment.parts, moment.side


@given(one=TEXTS, other=TEXTS)
@example(one="33%", other="1/3")
@example(one="15 days", other="半个月")
def test_figures_are_equal_as_their_values_are(one: str, other: str) -> None:
    for claimed in find_figures(one).quantities:
        for quoted in find_figures(other).quantities:
            if claimed.value == quoted.value:
                assert is_equal(claimed, quoted) is are_compatible(claimed.base, quoted.base)
            elif "count" not in (claimed.base, quoted.base) and claimed.base == quoted.base != "percent":
                assert not is_equal(claimed, quoted)
