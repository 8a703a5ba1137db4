"""A figure keeps its value in every notation, and loses its support when the value changes."""

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from knowledge.validation.facts import find_uncovered

pytestmark = pytest.mark.unit

_HAN: Final = "零一二三四五六七八九"
_SMALL: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
Notation = Callable[[int], str]


def is_entailed(claim: str, quote: str) -> bool:
    return not list(find_uncovered(claim, (quote,)))


def in_han(number: int) -> str:
    """Write 0 to 9999 in Chinese numerals."""
    if number == 0:
        return "零"
    said, gap = "", False
    for scale, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, scale)
        if digit:
            said += ("零" if gap and said else "") + _HAN[digit] + unit
        gap = digit == 0 and bool(said)
    return said.removeprefix("一") if said.startswith("一十") else said


def in_words(number: int) -> str:
    """Write 0 to 999 in English words."""
    if number < len(_SMALL):
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    return f"{_SMALL[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")


def in_full_width(number: int) -> str:
    return str(number).translate({ord("0") + digit: chr(ord("０") + digit) for digit in range(10)})


def with_commas(number: int) -> str:
    return f"{number:,}"


CHINESE: Final[tuple[Notation, ...]] = (str, in_han, in_full_width, with_commas)
ENGLISH: Final[tuple[Notation, ...]] = (str, in_words, in_full_width, with_commas)
CHINESE_UNITS: Final = ("天", "个工作日", "小时", "个月", "元", "公斤", "倍")
ENGLISH_UNITS: Final = ("days", "business days", "hours", "months", "dollars", "kilograms", "times")


@given(st.integers(2, 9_999), st.sampled_from(CHINESE), st.sampled_from(CHINESE), st.sampled_from(CHINESE_UNITS))
def test_chinese_notations_agree(number: int, one: Notation, other: Notation, unit: str) -> None:
    assert is_entailed(f"共{one(number)}{unit}。", f"共{other(number)}{unit}。")


@given(st.integers(2, 999), st.sampled_from(ENGLISH), st.sampled_from(ENGLISH), st.sampled_from(ENGLISH_UNITS))
def test_english_notations_agree(number: int, one: Notation, other: Notation, unit: str) -> None:
    assert is_entailed(f"It takes {one(number)} {unit}.", f"It takes {other(number)} {unit}.")


@given(st.integers(2, 999), st.sampled_from(range(len(CHINESE_UNITS))))
def test_both_languages_agree(number: int, unit: int) -> None:
    claim, quote = f"共{in_han(number)}{CHINESE_UNITS[unit]}。", f"It takes {in_words(number)} {ENGLISH_UNITS[unit]}."
    assume(CHINESE_UNITS[unit] != "元")

    assert is_entailed(claim, quote)


@given(
    st.integers(2, 999), st.integers(2, 999), st.sampled_from(CHINESE), st.sampled_from(ENGLISH), st.sampled_from([0, 1, 2, 3])
)  # fmt: skip
def test_another_value_is_never_entailed(
    number: int, other: int, chinese: Notation, english: Notation, unit: int
) -> None:
    assume(number != other)

    assert not is_entailed(f"共{chinese(number)}{CHINESE_UNITS[unit]}。", f"共{chinese(other)}{CHINESE_UNITS[unit]}。")
    assert not is_entailed(
        f"It takes {english(number)} {ENGLISH_UNITS[unit]}.", f"It takes {english(other)} {ENGLISH_UNITS[unit]}."
    )


@given(st.integers(2, 999), st.sampled_from(CHINESE), st.data())
def test_another_unit_is_never_entailed(number: int, notation: Notation, data: st.DataObject) -> None:
    unit, other = data.draw(st.permutations(CHINESE_UNITS))[:2]
    # Twenty-four hours may be a day, and any count may be a count of something.
    assume("倍" not in (unit, other))

    assert not is_entailed(f"共{notation(number)}{unit}。", f"共{notation(number)}{other}。") or (unit, other) in {
        ("天", "小时"),
        ("小时", "天"),
    }


@given(st.integers(1, 9), st.integers(1, 9))
def test_tenths_discounts_and_per_cents_agree(tenths: int, other: int) -> None:
    assert is_entailed(f"付{in_han(tenths)}成。", f"付{tenths * 10}%。")
    assert is_entailed(f"打{in_han(tenths)}折。", f"打{tenths}折。")
    assert is_entailed(f"百分之{in_han(tenths * 10)}。", f"{tenths * 10} percent.")
    assert is_entailed(f"付{in_han(tenths)}成。", f"付{other * 10}%。") == (tenths == other)


@given(st.integers(1, 9_999))
def test_scales_multiply(number: int) -> None:
    assert is_entailed(f"{number}万元。", f"{number * 10_000}元。")
    assert is_entailed(f"{number}亿元。", f"{number * 100_000_000:,}元。")
    assert not is_entailed(f"{number}万元。", f"{number}元。")


@given(st.integers(1, 60))
def test_periods_convert_exactly(days: int) -> None:
    assert is_entailed(f"{days}天", f"{days * 24}小时")
    assert is_entailed(f"{days} weeks", f"{days * 7} days")
    assert is_entailed(f"{days}年", f"{days * 12}个月")
    assert not is_entailed(f"{days}个工作日", f"{days}天")
    assert not is_entailed(f"{days} months", f"{days * 30} days")


BOUNDS: Final = (
    (("不超过{}天", "最多{}天", "{}天以内", "up to {} days", "at most {} days", "no more than {} days"), "max"),
    (("不少于{}天", "至少{}天", "{}天以上", "at least {} days", "no less than {} days", "{} days or more"), "min"),
)


@given(st.integers(2, 99), st.data())
def test_bounds_agree_with_their_like_and_never_with_the_opposite(number: int, data: st.DataObject) -> None:
    (wordings, _), (opposites, _) = data.draw(st.permutations(BOUNDS))
    one, other = (data.draw(st.sampled_from(wordings)).format(number) for _ in range(2))
    opposite = data.draw(st.sampled_from(opposites)).format(number)

    assert is_entailed(one, other)
    assert not is_entailed(one, opposite)


@given(st.integers(1, 28), st.integers(1, 12), st.integers(2001, 2099))
def test_dates_agree_in_every_order(day: int, month: int, year: int) -> None:
    names = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    written = (
        f"{year}年{month}月{day}日", f"{year}-{month:02}-{day:02}", f"{names[month - 1]} {day}, {year}", f"{day} {names[month - 1]} {year}"
    )  # fmt: skip

    assert all(is_entailed(one, other) for one in written for other in written)
    assert not any(is_entailed(one.replace(str(year), str(year + 1)), one) for one in written)
