"""What comes first, what held before, and the ways a rule names stay as the quotes have them."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.commitments import find_promises
from knowledge.validation.conditions import drops_exception, find_cut_out
from knowledge.validation.contrasts import read_sides
from knowledge.validation.crossing import find_crossed
from knowledge.validation.history import find_rewritten
from knowledge.validation.means import find_absent_ways
from knowledge.validation.sequences import find_reversed
from knowledge.validation.statements import is_statement
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit

_FRAME = "The frame is welded only after the customer has signed the drawing."
_LOAN = "借阅人还清欠书后，馆员办理退卡手续。"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("We weld the frame first, and the customer signs the drawing afterwards.", _FRAME),
        ("The frame is welded before the customer has signed the drawing.", _FRAME),
        ("馆员办理退卡手续以后，借阅人再还清欠书。", _LOAN),
        ("借阅人还清欠书前，馆员办理退卡手续。", _LOAN),
        ("可以先申请退卡，办完以后再缴纳罚款。", "申请退卡前，须缴纳全部罚款。"),
        ("我们先发邮件给对方，过几天再核实您的材料。", "If we can verify your papers, we will e-mail the other side."),
        (
            "We shut the line down first and then try to let you know.",
            "If we need to shut the line down, we will let you know first.",
        ),
    ],
)
def test_steps_told_the_other_way_round_are_found(claim: str, quote: str) -> None:
    assert find_reversed(claim, (quote,)) is not None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("First the customer signs the drawing, then we weld the frame.", _FRAME),
        ("Once the customer has signed the drawing, the frame is welded.", _FRAME),
        ("We do not weld the frame before the customer has signed the drawing.", _FRAME),
        ("先还清欠书，馆员才办理退卡手续。", _LOAN),
        ("The kettle can be descaled once free of charge.", "After two years the kettle is descaled free of charge."),
        ("先还清欠书，然后再办退卡。", "申请退卡前，须还清全部欠书。"),
        ("我们先核实您的材料，再发邮件给对方。", "If we can verify your papers, we will e-mail the other side."),
        (
            "We let you know first and then shut the line down.",
            "If we need to shut the line down, we will let you know first.",
        ),
        (
            "Your key stays valid even after you leave.",
            "Leaving does not end the validity of your key. Call before you leave.",
        ),
    ],
)
def test_steps_in_their_order_pass(claim: str, quote: str) -> None:
    assert find_reversed(claim, (quote,)) is None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You can book the loom by phone.", "The loom can be booked two days ahead."),
        ("Hand the key in at the counter.", "The key is handed in on the last day."),
        ("您可以打电话预约织机。", "织机可提前两天预约。"),
        ("钥匙可以到店归还。", "钥匙应在最后一天归还。"),
    ],
)
def test_a_way_that_no_quote_has_in_mind_is_found(claim: str, quote: str) -> None:
    assert list(find_absent_ways(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Ring us to book the loom.", "The loom is booked through our hotline."),
        ("The shop sells phones.", "Telephones are sold."),
        ("您会收到电子邮件通知。", "The renter is told by email."),
        ("网上买的织机可以退。", "The loom, when bought on our site, can be returned."),
        ("A phone call isn't enough.", "The notice must be in writing."),
    ],
)
def test_a_way_that_a_quote_has_in_mind_passes(claim: str, quote: str) -> None:
    assert not list(find_absent_ways(claim, (quote,)))


_FEE = "The mooring fee was raised from 40 euros to 55 euros in spring."


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The mooring fee is 40 euros.", _FEE),
        ("Mooring used to be free.", "Mooring costs 55 euros."),
        ("停泊费是四十元。", "停泊费由40元调整为55元。"),
        ("从前停泊不收费。", "停泊每天收费55元。"),
    ],
)
def test_what_no_longer_holds_or_never_did_is_found(claim: str, quote: str) -> None:
    assert list(find_rewritten(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The mooring fee is 55 euros now.", _FEE),
        ("The mooring fee was 40 euros until spring.", _FEE),
        ("Mooring used to cost 40 euros.", _FEE),
        ("停泊费原来是40元。", "停泊费由40元调整为55元。"),
    ],
)
def test_before_and_now_as_the_quotes_have_them_pass(claim: str, quote: str) -> None:
    assert not list(find_rewritten(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Whatever pass you hold, the sauna is included.", "Holders of the winter pass may use the sauna."),
        ("The pass can be handed on, whatever the reason.", "The pass can be handed on in case of illness."),
        ("The fee comes back automatically.", "Members may apply for the fee to be returned."),
        ("费用会自动退还。", "会员可以申请退还费用。"),
    ],
)
def test_sweeping_and_unasked_for_needs_a_quote(claim: str, quote: str) -> None:
    assert list(find_promises(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The fee goes back to whichever card it came from.", "The fee is returned to the card it was paid with."),
        ("Anyone renting over ten skis leaves a deposit.", "Rentals of more than ten skis require a deposit."),
        ("Hold off on any waxing until the skis are dry.", "Skis shall not be waxed until they are dry."),
        ("什么时候能滑要看天气。", "滑雪时间以天气为准。"),
        ("The pass renews automatically.", "The pass renews by itself."),
    ],
)
def test_what_only_describes_sweeps_nothing(claim: str, quote: str) -> None:
    assert not list(find_promises(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "To stop the pass from renewing, cancel it a week before the season.",
            "The pass renews unless you cancel it a week before the season.",
        ),
        ("We only open the lift after the rope has been checked.", "The lift opens only after the rope was checked."),
        ("There is no lift at night.", "The lift runs from eight to five, except in a storm."),
        ("只要没有醉酒，租客最多赔50元。", "The renter pays at most 50 yuan, except when drunk."),
    ],
)
def test_a_condition_named_in_other_words_is_not_dropped(claim: str, quote: str) -> None:
    assert not drops_exception(claim, (quote,))


def test_an_exception_left_out_is_dropped() -> None:
    assert drops_exception("The lift runs every day.", ("The lift runs every day, except in a storm.",))


@pytest.mark.parametrize(
    "claim",
    ["Sorry, the lift is closed on Mondays.", "Unfortunately, skis can't be swapped.", "很抱歉，周一不开放。"],
)
def test_regret_before_a_rule_is_manners(claim: str) -> None:
    assert is_statement(claim)


def test_us_is_no_country_and_check_in_no_cheque() -> None:
    assert not read_sides("write to us once you have checked in")
    assert not read_sides("online check-in")


def test_the_other_side_of_a_bound_is_another_case() -> None:
    quote = "Baskets over $60 travel free; a flat rate of $9 applies to smaller baskets."

    assert not list(find_crossed("Sending costs $9 if your basket is $60 or less.", (quote,)))


def test_matters_named_alike_help_where_languages_differ() -> None:
    claim, quote = "押金在14天内退还。", "The deposit is refunded within 14 days."

    assert not check_claim(claim, (quote,), claim_overlap=0.2, agreement=0.31)
    assert FaultCode.UNSUPPORTED_WORDS in {
        fault.code for fault in check_claim("茶壶很好看。", (quote,), claim_overlap=0.2, agreement=0.31)
    }


@pytest.mark.parametrize(
    ("claim", "quote", "cut"),
    [
        (
            "The workshop returns the bicycle and charges for the parts used.",
            "The workshop returns the bicycle within two days; if the owner asks for more, it calls first and charges for the parts used.",
            "within two days; if the owner asks for more, it calls first ",
        ),
        (
            "承租人退还场地时应当按照登记表逐项清点物品。",
            "承租人退还场地时应当在当日交回钥匙；双方另有约定的，从其约定，但应当按照登记表逐项清点物品，不得遗漏。",
            "在当日交回钥匙;双方另有约定的,从其约定,但应当",
        ),
        (
            "The lift runs every day and stops at all the floors.",
            "The lift runs every day, also at night, and stops at all the floors.",
            None,
        ),
        ("The lift runs every day, also at night.", "The lift runs every day, also at night, except in a storm.", None),
        ("", "The lift runs every day.", None),
    ],
)
def test_a_sentence_is_not_repeated_without_the_limit_in_its_middle(claim: str, quote: str, cut: str | None) -> None:
    assert find_cut_out(claim, (quote,)) == cut
