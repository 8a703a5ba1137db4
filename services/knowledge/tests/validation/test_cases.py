"""A claim is compared with the one case of its quotes that it is about: who pays there, what is denied, before or after."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation import quantities
from knowledge.validation.cases import read_cases
from knowledge.validation.claims import check_claim
from knowledge.validation.facts import find_uncovered
from knowledge.validation.quantities import find_figures
from knowledge.validation.verdict import FaultCode
from knowledge.validation.words import normalise

pytestmark = pytest.mark.unit

TWO_PAYERS = "茶壶质量问题的运费由商家承担；无理由退货的运费由买家承担。"
SHIPS = "Teapots sent to Jersey are charged a fee of $5. Cups travel at no cost to you."


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.0)}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("无理由退货的运费由商家承担。", TWO_PAYERS),
        ("质量问题的运费由买家承担。", TWO_PAYERS),
        ("Returning the teapot is at our expense.", "The customer pays for returning the teapot."),
        ("Returning the teapot is on us.", "The customer pays for returning the teapot."),
        ("茶壶运费由商家承担。", "茶壶运费向买家收取10元。"),
        ("Your drawings become our property.", "Your drawings remain your property."),
        ("客户须书面告知我们结果。", "我们须书面告知客户结果。"),
        ("The tenant repairs the boiler.", "The landlord repairs the boiler."),
        ("Only the buyer may cancel the order.", "Either party may cancel the order."),
    ],
)
def test_a_party_is_compared_within_its_case(claim: str, quote: str) -> None:
    assert FaultCode.PARTY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("无理由退货，运费买家出。", TWO_PAYERS),
        ("质量问题的，运费商家付。", TWO_PAYERS),
        ("Returning the teapot is on you.", "The customer pays for returning the teapot."),
        ("You pay $5 for a teapot to Jersey.", SHIPS),
        ("退货的运费不用买家承担。", "退货的运费由商家承担。"),
        ("钱退到您付款的账户。", "退款由我们退回您的付款账户。"),
    ],
)
def test_the_same_party_in_other_words_is_accepted(claim: str, quote: str) -> None:
    assert FaultCode.PARTY_DIFFERS not in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("茶壶损坏的，不扣押金。", "茶壶完好的，三日内退押金；茶壶损坏的，扣押金。"),
        ("You may not bring your own cup.", "You may bring your own cup, but spoons are not permitted."),
        ("Teapots that are worn can be sent back.", "Unworn teapots can be sent back."),
    ],
)
def test_a_denial_is_compared_within_its_case(claim: str, quote: str) -> None:
    assert FaultCode.POLARITY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The deposit is due after the glazing has started.", "The deposit is due before the glazing has started."),
        ("家长在开课后办理请假。", "家长在开课前办理请假。"),
        ("Teapots are charged on arrival.", "Teapots are charged when they are dispatched."),
        ("合同签订后三十日内删除数据。", "合同终止后三十日内删除数据。"),
    ],
)
def test_an_occasion_is_looked_at_from_its_side(claim: str, quote: str) -> None:
    assert FaultCode.DATE_NOT_IN_QUOTE in codes(claim, quote)


def test_what_is_not_so_until_an_event_is_so_after_it() -> None:
    assert FaultCode.DATE_NOT_IN_QUOTE not in codes(
        "You only pay after the glazing has ended.", "You do not pay until the glazing has ended."
    )


@pytest.mark.parametrize(
    ("claim", "quote", "follows"),
    [
        ("两三天到账。", "2至3天到账。", True),
        ("两三天到账。", "5天到账。", False),
        ("最多三天到账。", "两三天到账。", True),
        ("二三十天到货。", "20到30天到货。", True),
        ("七八个工作日发货。", "7至8个工作日发货。", True),
        ("七八天发货。", "7至8个工作日发货。", False),
        ("十来天发货。", "约10天发货。", True),
        ("十来天发货。", "15天发货。", False),
        ("超过十天发货。", "十几天发货。", True),
        ("It takes three or four days.", "It takes 3 to 4 days.", True),
        ("It takes three or four days.", "It takes 3 to 5 days.", False),
        ("It takes a couple of days.", "两三天。", True),
        ("At most two days.", "Within 24–48 hours.", True),
        ("At most a day.", "Within 24–48 hours.", False),
        ("Check in an hour before take-off.", "Check in no later than 60 minutes before take-off.", True),
        ("Check in at most an hour before take-off.", "Check in no later than 60 minutes before take-off.", False),
        ("这一季度的茶壶。", "当季茶壶。", True),
    ],
)
def test_spans_and_manners_of_speaking_are_read_as_they_are_meant(claim: str, quote: str, *, follows: bool) -> None:
    assert (not list(find_uncovered(claim, (quote,)))) == follows


PIECES = st.sampled_from(
    [
        "茶壶",
        "两三天",
        "周一",
        "twenty",
        "a week",
        "half",
        "正午",
        "May",
        "首",
        "3",
        "运费",
        "cups",
        "，",
        " ",
        "forty",
        "quarter",
    ]
)


@given(st.lists(PIECES, max_size=8))
def test_a_first_look_misses_no_figure(pieces: list[str]) -> None:
    text = normalise("".join(pieces))
    figures = find_figures(text)

    if not (figures.quantities or figures.moments or figures.tokens):
        return
    assert quantities.may_hold_figures(text)


@given(st.text(alphabet="茶壶买家,。;不的ab .", max_size=40))
def test_cases_lie_in_order_within_their_text(text: str) -> None:
    cases = read_cases(normalise(text))

    assert all(one.end <= other.start for one, other in pairwise(cases))
