"""What is numeric is read as a whole: mixed notations, fractions, names with figures; a share is no whole."""

from fractions import Fraction

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.numerals import read_number
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.2)}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1万5千", 15_000), ("2亿5千万", 250_000_000), ("1千2百万", 12_000_000), ("1千5百", 1_500), ("3万2百", 30_200)],
)
def test_figures_and_characters_mix(text: str, value: int) -> None:
    assert read_number(text) == Fraction(value)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("年费为1万5千元。", "年费为15000元。"),
        ("注册资本为2亿5千万元。", "注册资本为2.5亿元。"),
        ("3/4的费用由商家承担。", "75%的费用由商家承担。"),
        ("We refund 2/3 of the fee.", "We refund two thirds of the fee."),
        ("三分之一的学费可以退还。", "1/3的学费可以退还。"),
        ("型号X-200支持防水IP68。", "X-200支持IP68防水。"),
        ("Delivery takes 2/3 days.", "Delivery takes 2/3 days."),
    ],
)
def test_another_notation_is_accepted(quote: str, claim: str) -> None:
    assert codes(claim, quote) == set()


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("年费为1万5千元。", "年费为5千元。"),
        ("注册资本为2亿5千万元。", "注册资本为2亿元。"),
        ("We refund 2/3 of the fee.", "We refund 1/3 of the fee."),
        ("适配型号为A200。", "适配型号为B200。"),
        ("适用系统为Android12及以上。", "适用系统为iOS12及以上。"),
        ("使用优惠码SAVE20可减20元。", "使用优惠码SALE20可减20元。"),
        ("Use form A-38 to apply.", "Use form A-3 to apply."),
        ("See clause 4.2.1.3 for details.", "See clause 4.2.1 for details."),
        ("See clause 4.2.1.3 for details.", "See clause 2.1.3 for details."),
    ],
)
def test_another_figure_or_name_is_refused(quote: str, claim: str) -> None:
    assert FaultCode.NUMBER_NOT_IN_QUOTE in codes(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Half of the deposit is returned if you cancel a week ahead.", "The deposit is returned if you cancel a week ahead."),
        ("We refund 2/3 of the fee.", "We refund the fee."),
        ("三分之一的学费可以退还。", "学费可以退还。"),
        ("退还50%的押金。", "押金会退还。"),
        ("押金的50%可以退还。", "押金可以退还。"),
    ],
)  # fmt: skip
def test_a_share_is_not_told_as_the_whole(quote: str, claim: str) -> None:
    assert FaultCode.UNSUPPORTED_WORDS in codes(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Half of the deposit is returned.", "Part of the deposit is returned."),
        ("Half of the deposit is returned. The deposit is due at booking.", "The deposit is due at booking."),
        ("退还一半押金。", "押金退还一半。"),
        ("取消预订收取50%手续费。", "取消预订会收取手续费。"),
    ],
)
def test_a_part_may_be_told_without_its_figure(quote: str, claim: str) -> None:
    assert codes(claim, quote) == set()
