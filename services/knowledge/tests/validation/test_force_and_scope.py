"""Words of force and scope (must, may, all, whenever, whatever) are compared with the rule of the quotes that they tell."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.0, agreement=0.9)}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "Once all the keys are handed in, you get your deposit back.",
            "The deposit is paid back after the keys have been returned.",
        ),
        (
            "Deposits come back no matter whether you paid by card or in cash.",
            "Deposits are repaid after check-out, whether paid by card, in cash or otherwise.",
        ),
        (
            "The gym may end your membership even if it gives no reason.",
            "The gym may end a membership at any time, with or without cause.",
        ),
        ("Whenever you board, show your pass.", "Passengers must show the pass each time they board."),
        (
            "A dog bite is treated like any other injury.",
            "We treat dog bites as we treat injuries caused by anyone else.",
        ),
        ("无论是买的还是送的，门票都不能转让。", "门票不得转让，无论以购买、赠送还是其他方式取得。"),
        ("不是所有课程都能录播。", "部分课程不提供录播。"),
        ("等全部货款付清，我们就发货。", "货款付清后发货。"),
        ("夜班补贴一律是两百元。", "夜班补贴始终为200元。"),
    ],
)
def test_what_sweeps_no_further_than_its_rule_promises_nothing(claim: str, quote: str) -> None:
    assert FaultCode.OVER_PROMISE not in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Members get in free no matter what.", "Members may enter free on weekdays."),
        ("You get your fee back whatever your reason.", "The fee is refunded if you fall ill."),
        ("However late you are, we hold your table.", "We hold tables for fifteen minutes."),
        ("Whenever you like, you can swap the class.", "Classes may be swapped each time a term begins."),
    ],
)
def test_a_sweep_that_no_rule_makes_is_refused(claim: str, quote: str) -> None:
    assert FaultCode.OVER_PROMISE in codes(claim, quote)
