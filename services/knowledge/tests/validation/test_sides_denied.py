"""A side that a claim denies is not taken, and only ways and exceptions are read as such."""

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
            "A spoken word can't change the lease; an oral promise can't either.",
            "The lease may only be changed in writing.",
        ),
        ("门店停业的，余额退给您。", "经营者停业的，余额退还，并以短信通知。"),
        (
            "Go past your quota and the line stops.",
            "If the use of the line you provided exceeds the quota, the line stops.",
        ),
        ("异议可以发邮件提出。", "Objections are sent to desk@example.org."),
    ],
)
def test_what_is_denied_or_only_named_is_no_other_side(claim: str, quote: str) -> None:
    assert codes(claim, quote) == set()


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("An oral notice changes the lease.", "The lease may only be changed by written notice."),
        ("余额会折成现金给您。", "余额以代金券返还。"),
        ("请到门店办理退款。", "退款以短信申请。"),
    ],
)
def test_what_is_taken_is_another_side(claim: str, quote: str) -> None:
    assert codes(claim, quote) & {FaultCode.UNSUPPORTED_WORDS}
