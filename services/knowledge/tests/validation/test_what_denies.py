"""A negation denies what it governs: prefixes describe, cases are supposed, and who cannot get round a thing must do it."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


def is_turned(claim: str, *quotes: str) -> bool:
    faults = check_claim(claim, quotes, claim_overlap=0.0, agreement=0.9)
    return any(fault.code is FaultCode.POLARITY_DIFFERS for fault in faults)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Members and everyone else may row here.", "Members and non-members may row here."),
        ("Boats that aren't motorised moor for a fee.", "Non-motorised boats moor for a fee."),
        ("紧急的打电话，别的事写信也行。", "紧急事项请致电，非紧急事项请写信。"),
        ("没有 Harbour-Pass 船证的人下不了水。", "下水须持有 Harbour-Pass 船证。"),
        ("No mooring ticket yet? Buy one at the kiosk.", "If you have no mooring ticket, buy one at the kiosk."),
        ("还没买船票？在码头现买就行。", "未购船票的乘客可在码头现场购票。"),
        ("Apply at the harbour office, not at the museum.", "申请须向港务办公室提出，博物馆没有受理窗口。"),
        ("船坏了，租船行得赔。", "不论船只是否不合格，租船行都应当赔偿。"),
        ("船坏了，租船行躲不掉赔偿。", "船只损坏的，由租船行赔偿。"),
        ("客人要船票，船家不能推脱不给。", "客人索要船票的，船家应当给予。"),
        ("If a boat sinks, the harbour cannot get out of paying.", "The harbour pays for the damage to boats."),
        ("价钱里没有包括救生衣。", "价格不含救生衣。"),
        ("您最多只能带两条狗上船。", "每位乘客最多携带两条狗上船。"),
        (
            "If the rules say nothing else, the two of you agree on a time.",
            "Unless the rules say otherwise, both agree.",
        ),
        ("船上的桨不能随便毁掉。", "船桨应当保管好，不得擅自损毁。"),
        (
            "Came by another gate? The north gate lets you in.",
            "Whoever comes by a gate other than the north gate, goes to the north gate.",
        ),
        ("The harbour accepts no liability for it.", "The harbour may close a berth without notice or liability."),
        (
            "Your berth number stays with us unless you agree.",
            "We will not share your berth number without your consent.",
        ),
        ("The mooring fee isn't paid back.", "There are no refunds of the mooring fee you paid."),
        ("After mooring, there will be no further charges.", "You will not be charged again after mooring."),
    ],
)
def test_what_denies_the_same_is_accepted(claim: str, quote: str) -> None:
    assert not is_turned(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Moor first: you can do so before you ask us.", "You cannot moor before you ask us."),
        ("Berths are refundable.", "Berths are non-refundable."),
        ("船坏了，租船行不予赔偿。", "船损坏的，由租船行赔偿。"),
        ("未经船主同意也可以下水。", "未经船主同意不得下水。"),
        ("价格含救生衣。", "价格不含救生衣。"),
        ("船桨可以毁掉。", "船桨应当保管好，不得擅自损毁。"),
        ("No berth? You can't buy a ticket at the kiosk.", "If you have no berth, you can buy a ticket at the kiosk."),
        ("We pay the mooring fee back.", "The mooring fee is not refunded."),
        ("We share your berth number.", "We do not sell, rent or share your berth number."),
        ("您可以更改泊位的位置。", "不能更改泊位的位置。"),
        ("Cups may be sold.", "You may not copy, lend, or sell cups."),
    ],
)
def test_what_denies_the_contrary_is_refused(claim: str, quote: str) -> None:
    assert is_turned(claim, quote)
