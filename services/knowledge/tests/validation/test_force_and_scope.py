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
        ("封存以后的底片，谁都不能冲洗。", "底片封存后不得冲洗。"),
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


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You had better bring your passport.", "Guests must bring their passport."),
        ("It's a good idea to book ahead.", "Visitors must book ahead."),
        ("最好带上身份证。", "参观者必须携带身份证。"),
        ("不妨先打电话预约。", "来访前须电话预约。"),
        ("给不给换，店家说了算。", "商家应当更换。"),
        ("头盔戴不戴随您。", "骑行者应当佩戴头盔。"),
        ("戴头盔不是强制的。", "骑行者应当佩戴头盔。"),
        ("It's up to the shop whether it replaces the item.", "The shop must replace the item."),
        ("The shop is free to keep the deposit.", "The shop must return the deposit."),
        ("Wearing a helmet is at your discretion.", "Helmets must be worn."),
        ("得戴头盔才行。", "最好佩戴头盔。"),
        (
            "Stewards are obliged to keep the lane clear, though the marshal can close it.",
            "We encourage stewards to keep the lane clear, and the marshal may close it.",
        ),
        ("You have to pay by card; cash won't do.", "Payment by card is preferred but cash works too."),
        (
            "Kennels have to print their opening hours on the door.",
            "Kennels should consider printing the opening hours on it.",
        ),
    ],
)
def test_advice_and_choice_are_no_duty_and_no_duty_is_advice_or_choice(claim: str, quote: str) -> None:
    assert FaultCode.MODALITY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You're supposed to book ahead.", "Visitors must book ahead."),
        ("You've got to book ahead.", "Visitors must book ahead."),
        ("须提前预约。", "应提前预约。"),
        ("要在网上退票，您得先登录。", "登录后才能在网上退票。"),
        ("最好提前到。", "建议提前到达。"),
        (
            "It's the museum's call whether to lend a painting.",
            "The museum may, at its sole discretion, lend a painting.",
        ),
        ("换不换由店家决定。", "是否更换由商家决定。"),
        ("谁都可以不接这单。", "任何司机有权拒绝接单。"),
        (
            "You aren't obliged to say why, yet you have to name the book.",
            "Whether you say why is up to you, but you need to name the book.",
        ),
        ("本来可以不发的奖金，公司答应了就要发。", "公司承诺发放奖金的，应当发放。"),
        ("值班记录不能随便改。", "值班记录应当保存一年，不得改动。"),
    ],
)
def test_one_force_in_other_words_is_accepted(claim: str, quote: str) -> None:
    assert FaultCode.MODALITY_DIFFERS not in codes(claim, quote)


def test_feel_free_allows_something_unless_it_only_invites_to_talk() -> None:
    assert FaultCode.NOT_A_STATEMENT not in codes("Feel free to bring your own cushion.", "Guests may bring a cushion.")
    assert FaultCode.NOT_A_STATEMENT in codes("Feel free to ask anything else.", "Guests may bring a cushion.")


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You get prior notice before the gate is locked.", "The gate may be locked without notice."),
        ("The harbour always lets you know before it moves your boat.", "The harbour may move boats without warning."),
        ("锁门之前会先跟您打招呼。", "大门可以不经通知锁闭。"),
        ("The club tells you why it turns you down.", "The club may turn down applicants without giving any reason."),
        ("用不着先问房东愿不愿意，就能换锁。", "征得房东同意的，租客可以换锁。"),
        ("会费快到期时，俱乐部会发通知给您。", "俱乐部每年收取会费。您不会收到会费即将到期的通知。"),
        ("没有经理授权也能退款。", "如果经理已授权，柜员可以退款。"),
        ("You can get a refund without the manager signing.", "If the manager signs, you can get a refund."),
    ],
)
def test_what_a_rule_does_without_is_not_given_and_what_it_asks_for_not_waived(claim: str, quote: str) -> None:
    assert FaultCode.POLARITY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "If you don't have a key, the porter opens the gate.",
            "If no key is at hand, the gate is opened by the porter.",
        ),
        (
            "The landlord announces a higher rent a month ahead.",
            "A higher rent is announced a month ahead; the tenant may then leave without notice.",
        ),
        ("No reason is needed.", "Tickets may be returned without giving a reason."),
        ("没写明可以养狗的，就别带狗。", "Do not bring dogs unless the lease says that they are allowed."),
        ("交的文件必须签字。", "You may hand in papers only if they are signed."),
    ],
)
def test_what_names_a_condition_in_other_words_keeps_it(claim: str, quote: str) -> None:
    assert not codes(claim, quote) & {FaultCode.POLARITY_DIFFERS, FaultCode.CONDITION_DROPPED}
