"""Every figure of a claim follows from its quotes, or the claim is rejected."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.facts import find_uncovered
from knowledge.validation.numerals import read_number
from knowledge.validation.quantities import find_figures
from knowledge.validation.words import normalise


def uncovered(claim: str, quote: str) -> list[str]:
    return [figure.said for figure in find_uncovered(claim, (quote,))]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000", 1000), ("3.5", Fraction(7, 2)), ("1.5万", 15000), ("5千", 5000), ("二十", 20), ("两", 2), ("廿", 20),
        ("一百零五", 105), ("三万二千", 32000), ("一亿二千万", 120_000_000), ("二〇二四", 2024), ("十五", 15),
        ("twenty-one", 21), ("one hundred and fifty", 150), ("two thousand", 2000), ("3 million", 3_000_000),
    ],
)  # fmt: skip
def test_a_number_has_its_value(text: str, value: Fraction) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("五个工作日内退款", "5 个工作日内退款"),
        ("Refunded within five business days.", "退款在五个工作日内完成。"),
        ("3天", "72 hours"),
        ("two weeks", "14 天"),
        ("一年", "12 months"),
        ("费率为 0.05%", "费率为万分之五"),
        ("付三成", "pay 30%"),
        ("满 1万 元", "满 10,000 元"),
        ("半年", "six months"),
        ("一个半月", "1.5个月"),
        ("half of the price", "价格的百分之五十"),
        ("a third of it", "三分之一"),
        ("５天", "5天"),
        ("at most 30 days", "不超过30天"),
        ("no later than 30 days", "within 30 days"),
        ("at least 3 years", "不少于三年"),
        ("more than 90 days", "超过90天"),
        ("5到7个工作日", "between 5 and 7 business days"),
        ("up to $5,000", "up to $5,000 USD"),
        ("24 hours a day", "twenty-four (24) hours per day"),
        ("Starts on May 1.", "Starts on May 1, 2026."),
        ("2026年5月1日起", "2026-05-01 起"),
        ("5月2日放假", "5月1日、2日放假"),
        ("下午三点", "15:00"),
        ("周六", "on Saturdays"),
        ("18岁以上", "at least 18 years old"),
        ("双倍赔偿", "赔偿两倍"),
        ("the 3rd attempt", "第三次"),
        ("pick one of them", "pick any"),
        ("一般都可以", "都可以"),
        ("within a week", "7天内"),
        ("call 400-800-1234", "call 400-800-1234 today"),
        ("see 3.5.1", "see 3.5.1"),
        ("最多2GB", "a maximum of 2 GB"),
    ],
)
def test_an_equal_figure_is_entailed(claim: str, quote: str) -> None:
    assert uncovered(claim, quote) == []


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("5 天内退款", "5 个工作日内退款"),
        ("30 months", "30 days"),
        ("one month", "30 days"),
        ("30 euros", "30 dollars"),
        ("30万元", "30元"),
        ("40%", "14%"),
        ("30%", "30 days"),
        ("at least 5 people", "at most 5 people"),
        ("more than 30 days", "within 30 days"),
        ("30天后", "30天内"),
        ("under 30 days", "over 30 days"),
        ("exactly 25 days", "about 25 days"),
        ("takes 7 days", "takes 5 to 7 days"),
        ("May 2", "May 1"),
        ("2026年", "2025年"),
        ("周六", "周日"),
        ("9:30", "9:00"),
        ("call 400-800-1235", "call 400-800-1234"),
        ("version 3.5.2", "version 3.5.1"),
        ("within a week", "within a month"),
        ("the third time", "the second time"),
        ("退款立即到账", "退款到账"),
        ("七折", "八折"),
        ("3 倍", "2 倍"),
    ],
)
def test_another_figure_is_not_entailed(claim: str, quote: str) -> None:
    assert uncovered(claim, quote) != []


TEMPLATES = (
    "Refunds take {n} days.", "Pay ${n} at most.", "退款在{n}个工作日内到账。", "不超过{n}元。", "Up to {n}% is due.",
    "{n}小时内答复。", "At least {n} items.", "自2{n}年起", "Order no. {n} ships.", "on May {n}", "{n}", "a{n}b", "x-{n}.7.1", "{n}shops sells pens.", "{n}g_only",
)  # fmt: skip


@given(st.sampled_from(TEMPLATES), st.integers(0, 9_999))
def test_a_text_carries_all_its_own_figures(template: str, number: int) -> None:
    text = template.format(n=number)

    assert uncovered(text, text) == []


@given(st.sampled_from(TEMPLATES), st.integers(2, 9_999), st.data())
def test_changing_any_digit_is_noticed(template: str, number: int, data: st.DataObject) -> None:
    quote = template.format(n=number)
    at = data.draw(st.sampled_from([match.start() for match in re.finditer(r"\d", quote)]))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != quote[at]]))
    claim = quote[:at] + digit + quote[at + 1 :]

    assert uncovered(claim, quote) != [] or is_same_number(claim, quote)


def is_same_number(claim: str, quote: str) -> bool:
    return [int(d) for d in re.findall(r"\d+", claim)] == [int(d) for d in re.findall(r"\d+", quote)]


@given(
    st.text(
        alphabet="0123456789一二两十百千万亿半成折分之第年月日天周个元%$.,:/-()（） abcdays内后起至到不超过",
        max_size=40,
    )
)
def test_no_digit_passes_unread(text: str) -> None:
    normal = normalise(text)
    figures = find_figures(normal)
    read = "".join(q.said for q in figures.quantities) + "".join(figures.tokens)
    read += "".join(figures.names) + "".join(normal[m.start : m.end] for m in figures.moments)

    assert sorted(c for c in normal if c.isdigit()) == sorted(c for c in read if c.isdigit())


def test_a_run_of_digits_too_long_for_a_number_is_compared_as_text() -> None:
    run = "12" * 3000

    assert uncovered(run, f"{run}.") == []
    assert uncovered(f"3{run}", run) != []


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("A fortnight passes at most.", "within 14 days"),
        ("每月最多两次", "每月仅可两次"),
        ("Restored after 60 days it is not.", "Restored for 60 days."),
        ("不到两个小时就不能改签", "仅限两小时以上改签"),
        ("From the sixth time on it costs a fee.", "The first five are free, after that a fee applies."),
        ("周六不上门", "周末不上门"),
        ("half a pound each", "£0.50 each"),
        ("30 pence", "£0.30"),
        ("两件", "两件商品"),
    ],
)
def test_another_way_to_say_a_limit_is_entailed(claim: str, quote: str) -> None:
    assert uncovered(claim, quote) == []


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("每人限购两件", "每人限购两箱"),
        ("two boxes each", "two bottles each"),
        ("14:00以前入住", "14:00以后入住"),
        ("Apply after May 1.", "Apply before May 1."),
        ("within a fortnight", "within 10 days"),
        ("Restored after 60 days it is.", "Restored for up to 60 days."),
        ("起飞前两小时以内可以改签", "改签仅限起飞前两小时以上"),
    ],
)
def test_another_measure_or_side_is_not_entailed(claim: str, quote: str) -> None:
    assert uncovered(claim, quote) != []
