"""Cases that are told with what holds for another, and rules told as if nothing limited them."""

import pytest

from knowledge.validation.branches import find_swapped_branches
from knowledge.validation.sufficiency import find_left_out

pytestmark = pytest.mark.unit

CONCERTS = (
    "If a concert is cancelled, the face value is refunded by the box office. "
    "If a concert is postponed, the ticket remains valid for the new date."
)
NUMBERS = "普通用户注销账号的，资料当天删除。企业用户注销账号的，资料保存三年备查。"
LETTERS = "丢失平信的，按照实际损失赔偿，但最高不超过资费的三倍。"
RATES = "双方对赔偿比例有约定的，约定比例不得低于押金的一半；未作约定的，按照押金的十分之一赔偿。"
TRIAL = "If you cancel within the first month, the annual price is refunded to you."


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("If the concert is postponed, the box office refunds the face value.", CONCERTS),
        ("When a concert is cancelled, the ticket remains valid for the new date.", CONCERTS),
        ("普通用户注销账号的，资料保存备查三年。", NUMBERS),
        ("租约里约定了赔偿比例的，就按照押金的十分之一赔偿。", RATES),
    ],
)
def test_a_case_does_not_have_what_another_has(claim: str, quote: str) -> None:
    assert find_swapped_branches(claim, (quote,)) is not None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("If the concert is cancelled, the box office refunds the face value.", CONCERTS),
        ("A postponed concert keeps its ticket valid for the new date.", CONCERTS),
        ("企业用户注销账号的，资料要备查三年。", NUMBERS),
        ("租约里没有约定赔偿比例的，就按照押金的十分之一赔偿。", RATES),
        ("账号注销以后，记录要依法保存三年。", "您注销账号后，我们删除您的资料，但记录须依法保存三年。"),
        (
            "Unless the flat was let without notice, its owner has two weeks to appeal.",
            "If a flat is let without notice, the decision is final. For other cases the owner may appeal in two weeks.",
        ),
    ],
)
def test_a_case_keeps_what_holds_for_it(claim: str, quote: str) -> None:
    assert find_swapped_branches(claim, (quote,)) is None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("平信丢失了，实际损失多少就赔多少。", LETTERS),
        ("All you need is an account: the annual price is refunded to you.", TRIAL),
        ("只要下了单，商品价款都会退还。", "如果商品签收时外观破损，商品价款予以退还。"),
    ],
)
def test_what_limits_a_rule_is_not_told_away(claim: str, quote: str) -> None:
    assert find_left_out(claim, (quote,)) is not None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("平信丢失了，按实际损失赔，封顶是资费的三倍。", LETTERS),
        ("The annual price is refunded as long as you cancel in the first month.", TRIAL),
        ("You get the annual price refunded.", TRIAL),
        (
            "The shop answers within ten days of getting your request, as long as the warranty is valid.",
            "三包有效期内商家收到更换要求的，应当自收到要求之日起十日内答复。",
        ),
        ("只要商品签收时外观破损，商品价款就予以退还。", "如果商品签收时外观破损，商品价款予以退还。"),
    ],
)
def test_what_is_said_or_left_open_is_no_limit_told_away(claim: str, quote: str) -> None:
    assert find_left_out(claim, (quote,)) is None
