"""Cases, steps and causes as sentences put them: topics, last steps, whose doing it was, and names of another language."""

import pytest

from knowledge.validation.cases import read_cases
from knowledge.validation.conditions import drops_exception
from knowledge.validation.contrasts import find_other_sides
from knowledge.validation.crossing import find_crossed
from knowledge.validation.sequences import find_reversed
from knowledge.validation.turned import find_turned


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("增加的运费,由买家承担,增加的税,由卖家承担。", 2),
        ("卖家应当检查,由买家承担费用。", 2),
    ],
)
def test_what_is_only_named_goes_with_what_is_said_of_it(text: str, cases: int) -> None:
    assert len(read_cases(text)) == cases


_REFUND = "Refunds are paid at once if you paid by debit card, otherwise within ten days."


@pytest.mark.parametrize(
    ("claim", "quote", "is_crossed"),
    [
        ("Members who pay by debit card wait ten days for the refund.", _REFUND, True),
        ("If you didn't pay by debit card, the refund takes ten days.", _REFUND, False),
        ("用礼品卡付的，退款要七天。", "用礼品卡支付的，立即退款，否则七天内退款。", True),
        ("不是礼品卡付的，退款要七天。", "用礼品卡支付的，立即退款，否则七天内退款。", False),
        ("寄到国外的，保管期是一年。", "对国内包裹可以保管一年，对国际包裹可以保管三十天。", True),
        ("寄到国外的，保管期是三十天。", "对国内包裹可以保管一年，对国际包裹可以保管三十天。", False),
    ],
)
def test_a_value_stays_with_the_case_it_is_told_of(claim: str, quote: str, *, is_crossed: bool) -> None:
    assert bool(list(find_crossed(claim, (quote,)))) == is_crossed


@pytest.mark.parametrize(
    ("claim", "quote", "is_other"),
    [
        ("因学员自己的原因退课，不扣费用。", "因机构原因停课的，全额退费。", True),
        ("因机构的过错停课的，退全部学费。", "因机构原因停课的，全额退费。", False),
        ("If it's your own mistake, we fix it free.", "Where it is the seller's fault, the repair is free.", True),
        (
            "If it's the seller's mistake, it is fixed free.",
            "Where it is the seller's fault, the repair is free.",
            False,
        ),
    ],
)
def test_a_cause_is_the_doing_of_one_side(claim: str, quote: str, *, is_other: bool) -> None:
    assert bool(list(find_other_sides(claim, (quote,)))) == is_other


_CURTAINS = "若要定做窗帘，请预约上门，量好尺寸，选定面料，然后支付尾款。"
_BATTERY = "Unplug the charger and wait a minute. Then install the new battery."


@pytest.mark.parametrize(
    ("claim", "quote", "is_reversed"),
    [
        ("先付尾款，再量尺寸、选面料。", _CURTAINS, True),
        ("先量尺寸，再付尾款。", _CURTAINS, False),
        ("先重新装上滤芯，再清洗水箱。", "请先清洗水箱。然后，重新装上滤芯。", True),
        ("Install the new battery first, and then unplug the charger.", _BATTERY, True),
        ("Unplug the charger first, and then put in the battery.", _BATTERY, False),
    ],
)
def test_what_comes_before_a_last_step_comes_first(claim: str, quote: str, *, is_reversed: bool) -> None:
    assert (find_reversed(claim, (quote,)) is not None) == is_reversed


def test_a_name_of_another_language_is_not_what_is_denied() -> None:
    quote = "Parcels are carried and delivered by Fleetly, not by Northwind."

    assert find_turned("包裹由 Fleetly 派送，不是 Northwind 送的。", (quote,)) is None


@pytest.mark.parametrize(
    ("claim", "is_dropped"),
    [("没有登记的，就别让访客进机房。", False), ("别让访客进机房。", True)],
)
def test_any_condition_of_another_language_may_be_the_one(claim: str, *, is_dropped: bool) -> None:
    quote = "Do not let visitors into the server room unless they are registered."

    assert drops_exception(claim, (quote,)) == is_dropped
