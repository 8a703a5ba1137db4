"""A rule that a proviso turns keeps its sign, whichever of its two halves a claim tells."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit

RECEIPT = "Without a receipt we cannot exchange items."
NO_RECEIPT = "You don't need a receipt to exchange items."
DAMAGED = "除非商品损坏，否则不予退款。"
NOTICE = "除非收到书面通知，否则合同自动续期。"
RENEWS = "Unless written notice is received, the contract renews automatically."
CONSENT = "没有买家同意，商家不得更换商品。"


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.2)}


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (RECEIPT, "We can exchange items without a receipt."),
        (RECEIPT, "You don't need a receipt to exchange items."),
        (RECEIPT, "If you have no receipt, we can exchange items."),
        (NO_RECEIPT, "You cannot exchange items without a receipt."),
        (DAMAGED, "商品损坏的不予退款。"),
        (DAMAGED, "商品没有损坏也予退款。"),
        (DAMAGED, "除非商品损坏，否则予以退款。"),
        (NOTICE, "收到书面通知的，合同自动续期。"),
        (NOTICE, "没有收到书面通知的，合同不会续期。"),
        (RENEWS, "Unless written notice is received, the contract does not renew automatically."),
        (CONSENT, "商家无需买家同意即可更换商品。"),
    ],
)
def test_a_turned_proviso_is_refused(quote: str, claim: str) -> None:
    assert FaultCode.POLARITY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (CONSENT, "买家同意后，商家必须更换商品。"),
        (CONSENT, "经买家同意，商家应当更换商品。"),
        (RECEIPT, "With a receipt we have to exchange items."),
    ],
)
def test_what_is_not_forbidden_in_a_case_is_no_duty(quote: str, claim: str) -> None:
    assert codes(claim, quote) & {FaultCode.POLARITY_DIFFERS, FaultCode.MODALITY_DIFFERS}


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (RECEIPT, "A receipt is needed to exchange items."),
        (RECEIPT, "We can't exchange items without a receipt."),
        (NO_RECEIPT, "Items can be exchanged without a receipt."),
        (NO_RECEIPT, "No receipt is needed to exchange items."),
        (DAMAGED, "商品没有损坏的不退款。"),
        (DAMAGED, "只有商品损坏才退款。"),
        (NOTICE, "没有收到书面通知的，合同自动续期。"),
        (RENEWS, "If no written notice is received, the contract renews automatically."),
        (CONSENT, "商家更换商品须经买家同意。"),
        (CONSENT, "买家同意后，商家可以更换商品。"),
        (RECEIPT, "You must show a receipt to exchange items."),
    ],
)
def test_either_half_of_a_proviso_may_be_told(quote: str, claim: str) -> None:
    assert codes(claim, quote) == set()
