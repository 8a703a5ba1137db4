"""What a claim adds or takes in: costs, papers, gifts and cases that its quotes do not speak of."""

import pytest

from knowledge.validation.additions import find_added
from knowledge.validation.inclusions import find_taken_in, find_told_of_all

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You get the rest back, less a small handling fee.", "The rest is paid back within a week."),
        ("We open the locker again in return for a deposit.", "We open the locker again on request."),
        ("Bring a passport to collect the kettle.", "Kettles are collected at the desk."),
        ("退货后另送您一张代金券。", "退货后五天内退款。"),
        ("改签要征得店长同意。", "改签在出发前一天办理。"),
    ],
)
def test_what_no_quote_speaks_of_is_added(claim: str, quote: str) -> None:
    assert list(find_added(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You get the rest back, less a small handling fee.", "The rest is paid back; €2 are deducted."),
        ("There is no fee for collecting a kettle.", "Kettles are collected at the desk."),
        ("Coming without a passport is fine.", "Kettles are collected at the desk."),
        ("Bring a passport to collect the kettle.", "领取茶壶须出示证件。"),
        ("不收手续费。", "退货后五天内退款。"),
        ("改签要征得店长同意。", "改签由店长批准。"),
        ("Boots on sale are sent back with the receipt.", "Boots on sale are sent back with proof of purchase."),
    ],
)
def test_what_is_denied_or_known_is_not_added(claim: str, quote: str) -> None:
    assert not list(find_added(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Boots can be exchanged, weekends included.", "Boots can be exchanged on weekdays."),
        ("Boots can be exchanged, including sandals.", "Boots can be exchanged."),
        ("所有车位停放都免费，地下的也一样。", "地面车位停放免费。"),
        ("车位包括居住区的都免费。", "非居住区车位免费。"),
    ],
)
def test_a_case_that_no_quote_takes_in(claim: str, quote: str) -> None:
    assert list(find_taken_in(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Boots can be exchanged, weekends included.", "Boots can be exchanged on all days, on weekends too."),
        ("Nobody rides here, including children.", "Children and adults do not ride here."),
        ("车位包括居住区的都免费。", "居住区车位免费。"),
        ("按同样的价格续订。", "按相同的价格续订。"),
        ("Even in a heavy storm the bridge stays open.", "遇有大风的，桥梁照常开放。"),
        ("Once you've taken even one leg, nothing changes.", "Nothing changes once a leg is taken."),
    ],
)
def test_a_case_that_a_quote_names(claim: str, quote: str) -> None:
    assert not list(find_taken_in(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("All repairs are free.", "The first two repairs are free, later ones cost €5."),
        ("所有茶壶都能修。", "部分茶壶能修。"),
    ],
)
def test_what_holds_for_a_part_is_not_told_of_all(claim: str, quote: str) -> None:
    assert find_told_of_all(claim, (quote,)) is not None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "Two repairs are free and every further repair costs €5.",
            "The first two repairs are free, later ones cost €5.",
        ),
        ("Not all repairs are free.", "The first two repairs are free, later ones cost €5."),
        ("All boots are repaired.", "All boots are repaired, but only some kettles."),
        ("不是所有茶壶都能修。", "部分茶壶能修。"),
    ],
)
def test_what_holds_for_all_or_is_denied_of_all_stays(claim: str, quote: str) -> None:
    assert find_told_of_all(claim, (quote,)) is None
