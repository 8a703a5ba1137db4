"""A claim tells no result where its quotes tell an effort, and no denying rule as if it granted something."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.0, agreement=0.9)}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Your complaint is resolved within five days.", "We reply to complaints within five days."),
        ("We get your parcel back to you: we recover it within a week.", "We look into lost parcels within a week."),
        ("The bank will refund you within ten days.", "The bank decides on a disputed charge within ten days."),
        ("The council approves applications within a month.", "The council reviews applications within a month."),
        ("The board reverses the ban within two weeks.", "The board considers objections within two weeks."),
        ("投诉后三天内就能解决。", "客服应当在三日内回复投诉。"),
        ("平台两天内赔给您。", "平台应当在两日内核实情况并联系您。"),
        ("Lockers are free for members, including guests.", "Lockers are free for members."),
        ("没有会员卡也没关系，更衣柜免费用。", "凭会员卡可以免费使用更衣柜。"),
        ("申请交上去，街道十天内批准。", "街道应当在十日内对申请进行审核。"),
    ],
)
def test_a_result_follows_from_no_effort_and_a_sweep_from_no_rule(claim: str, quote: str) -> None:
    assert FaultCode.OVER_PROMISE in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You hear from us about your complaint within five days.", "We reply to complaints within five days."),
        ("Your refund is decided on within ten days.", "The bank decides on a refund within ten days."),
        ("If you want it repaired, we check it first.", "We inspect the device before any repair."),
        ("The clinic gets approval first.", "The clinic contacts the insurer for permission first."),
        ("The board looks at your objection within two weeks.", "The board considers objections within two weeks."),
        ("我们三天内给您答复。", "客服应当在三日内回复投诉。"),
        ("主管批准以后，客服来办。", "经主管审批后由客服办理。"),
        ("If it was you, there's a chance we restore the kiln.", "We may choose to reinstate the kiln after a review."),
        ("You're free not to tell us any names.", "Telling us names is voluntary."),
    ],
)
def test_an_effort_told_as_one_is_accepted(claim: str, quote: str) -> None:
    assert FaultCode.OVER_PROMISE not in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "With a good reason, the grace period can be stretched.",
            "Members get a grace period of ten days after each invoice. The grace period cannot be extended for any reason.",
        ),
        ("押金不够也没关系，我们照样给您办新卡。", "押金不足的，无法办理新的会员卡。"),
        ("因为场馆的原因少上的课，不再照合同的课价退。", "因场馆原因少上课的，按照合同的课价退还余额。"),
        (
            "I can't move your slot again, though I can still swap the class.",
            "The desk cannot move the slot or swap the class.",
        ),
        (
            "A guest who is sent away gets the ticket refunded.",
            "Guests who disturb others are sent away with no refund.",
        ),
        ("续保时理赔记录也会跟着带过去。", "续保时保额保持不变。续保时理赔记录不会跟着带过去。"),
    ],
)
def test_a_denying_rule_is_not_told_as_a_granting_one(claim: str, quote: str) -> None:
    assert FaultCode.POLARITY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "Cancel four weeks ahead and you get everything back.",
            "Cancelled at least two weeks ahead, the fee is refunded in full. Without a cancellation it is not refunded.",
        ),
        (
            "对结果不服，可以在十天内申诉。",
            "对结果有异议的，可以在十日内提出申诉。",
        ),
        (
            "The bank statement will do, even though you have no receipt.",
            "As proof of purchase we accept a receipt or a bank statement.",
        ),
        (
            "Unless the ticket was cancelled without notice, you have a week to complain.",
            "Complaints are heard within a week. If we cancel a ticket without notice, no complaint is possible.",
        ),
        ("押金不够的那部分，补齐以后再办卡。", "押金不足的，对不足的部分补齐后办理会员卡。"),
        ("所有情况下门槛都是十块。", "不论哪种情况，门槛均为十元。"),
        ("Swapping the class is off the table once it has begun.", "The class cannot be swapped after it has begun."),
        ("You can add a guest, but taking one off isn't possible.", "Guests may be added but not removed."),
        ("The jury, not a computer, decides on prizes.", "Prizes are decided on by people and not by any program."),
        ("值班的和带班的都不能外传，也不能涂改。", "值班人员和带班人员不得涂改或者外传。"),
        ("代收电费的，不能再找住户要手续费。", "代收电费的，不得向住户收取手续费。"),
        ("餐费和住宿费都不用您出。", "餐费和住宿费由公司承担。"),
        ("外包以后，公司照样要负责。", "工作外包的，不免除公司的责任。"),
        ("学徒的工钱不能比最低工资还少。", "作坊应当支付不低于最低工资的工钱。"),
        ("搬家公司要关门，得提前十天公告。", "搬家公司停业的，应当提前十日公告，并妥善处理尚未搬走的家具。"),
        ("I can switch the kiln on for you free of charge.", "You should enable the kiln at no cost for the user."),
    ],
)
def test_what_only_describes_a_case_denies_nothing(claim: str, quote: str) -> None:
    assert not codes(claim, quote) & {FaultCode.POLARITY_DIFFERS, FaultCode.MODALITY_DIFFERS, FaultCode.OVER_PROMISE}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "We are obliged to give you a credit.",
            "If you did not use the add-on, we would consider giving you a credit.",
        ),
        ("欠费超过三十天，电厂必须给您断电。", "欠费超过三十日的，供电企业可以中止供电。"),
    ],
)
def test_nobody_must_do_what_somebody_may_do_whatever_it_is_called(claim: str, quote: str) -> None:
    assert FaultCode.MODALITY_DIFFERS in codes(claim, quote)
