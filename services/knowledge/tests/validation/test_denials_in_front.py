"""A claim cuts no denial off the stretch that it repeats, and may deny the same words from another place."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


def faults(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.2)}


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("非会员可以退货。", "会员可以退货。"),
        ("未拆封商品可以退货。", "拆封商品可以退货。"),
        ("无发票不予退货。", "发票不予退货。"),
        ("不是所有商品都可以退货。", "所有商品都可以退货。"),
        ("禁止员工向客户收取现金。", "员工向客户收取现金。"),
        ("Unopened goods can be returned.", "Opened goods can be returned."),
        ("Non-members pay for shipping.", "Members pay for shipping."),
        ("Neither sale items nor gift cards can be returned.", "Gift cards can be returned."),
        ("No sale items, gift cards or vouchers can be returned.", "Vouchers can be returned."),
        ("Not all items qualify for free shipping.", "All items qualify for free shipping."),
        ("None of the deposits are refunded.", "The deposits are refunded."),
        ("It is not true that the buyer pays for returns.", "The buyer pays for returns."),
    ],
)
def test_a_stretch_without_the_denial_in_front_of_it_is_refused(quote: str, claim: str) -> None:
    assert FaultCode.POLARITY_DIFFERS in faults(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("We don't accept cash and you can pay by card.", "You can pay by card."),
        ("We do not accept cash, so you must pay by card.", "You must pay by card."),
        ("Not only sale items but also gift cards can be returned.", "Gift cards can be returned."),
        ("Gift cards can be returned. Not all gift cards can be returned.", "Gift cards can be returned."),
        ("仅会员可以退换特价商品。", "会员可以退换特价商品。"),
        ("本店不收现金，客户可以刷卡。", "客户可以刷卡。"),
    ],
)
def test_a_denial_of_something_else_stays_with_it(quote: str, claim: str) -> None:
    assert faults(claim, quote) == set()


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Neither sale items nor gift cards can be returned.", "Gift cards cannot be returned."),
        ("No deposits are refunded after check-in.", "Deposits are not refunded after check-in."),
        ("三分之一的学费可以退还。", "可以退还三分之一的学费。"),
        ("禁止员工向客户收取现金。", "员工不得向客户收取现金。"),
    ],
)
def test_a_cue_may_stand_elsewhere(quote: str, claim: str) -> None:
    assert faults(claim, quote) == set()
