"""A period runs from the event of its quotes, and what they do at once waits for nothing."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.sequences import read_steps
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit

_FIGURES = {FaultCode.DATE_NOT_IN_QUOTE, FaultCode.NUMBER_NOT_IN_QUOTE}


def tells_otherwise(claim: str, quote: str) -> bool:
    faults = check_claim(claim, (quote,), claim_overlap=0.2, agreement=0.8)
    return any(fault.code in _FIGURES for fault in faults)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "The rent is due within ten days, counted from when the bill lands on your mat.",
            "Rent is due 10 days after signing.",
        ),
        (
            "You have ten days from the day the statement reaches them.",
            "The tenant has ten days from the date of signing.",
        ),
        ("存车费从车辆驶入那天起七日内付清。", "存车费应当自车辆驶离之日起七日内付清。"),
        ("一年的保养期从您送修那天算起。", "保养期为一年，自修好后交付之日起计算。"),
        ("会籍从签协议那天起对新馆有效。", "会籍自转让通知到达新馆时对其有效。"),
        ("The new rent applies from the day you switch rooms.", "The new rent runs from the date of signing."),
        ("退卡以后要等到这一季结束才停止收费。", "退卡后立即停止收费。"),
        (
            "The gym stops billing you only after the term is over.",
            "When you hand in the card, the gym stops billing you immediately.",
        ),
        ("先去缴费，再填表登记。", "请填表登记，选好场次，然后缴费。"),
        ("Pay the deposit first and then fill in the form.", "Fill in the form. Then pay the deposit at the counter."),
        ("Rinse the cup first and weigh the beans afterwards.", '"brew": ["weigh-beans", "grind", "rinse-cup"]'),
        ("先归还押金，再检查房屋。", "房东检查房屋后五日内，归还押金。"),
        ("The first three digits are printed on the card.", "The last three digits are printed on the card."),
        ("前三位会印在卡上。", "后三位会印在卡上。"),
    ],
)
def test_another_start_or_order_is_found(claim: str, quote: str) -> None:
    assert tells_otherwise(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The museum has thirty days from delivery to pay.", "博物馆应当自展品交付之日起30日内付款。"),
        ("邮票买了以后不退。", "邮票售出后不退。"),
        (
            "You may collect it within the following ten days by any means.",
            "You may collect it within 10 days of notice.",
        ),
        ("You can count on a call within two days of signing.", "We call within two days of signing."),
        ("The locker is emptied two days after we tell you.", "The locker is emptied two days after notification."),
        ("Leave at the latest an hour before you leave the hall.", "Leave at the latest one hour before departure."),
        ("退卡以后马上停止收费。", "退卡后立即停止收费。"),
        ("请先填表登记，再去缴费。", "请填表登记，选好场次，然后缴费。"),
        ("The last three digits are printed on the card.", "Only the last 3 digits are printed on the card."),
        ("Weigh the beans first and rinse the cup afterwards.", '"brew": ["weigh-beans", "grind", "rinse-cup"]'),
        ("先检查房屋，再归还押金。", "房东检查房屋后五日内，归还押金。"),
        ("按月付的费用", "月度费用"),
        ("每年两次检查。", "The lift is checked every six months."),
        ("门票和押金这两样都要付。", "须支付门票、押金。"),
    ],
)
def test_the_same_start_and_order_pass(claim: str, quote: str) -> None:
    assert not tells_otherwise(claim, quote)


@pytest.mark.parametrize("text", ["wash->" * 60 + "→→", "[" + '"wash", ' * 60 + "→"])
def test_a_list_that_never_ends_is_given_up(text: str) -> None:
    # By going back over every arrow this took longer than anybody waits.
    assert read_steps(text) == ()
