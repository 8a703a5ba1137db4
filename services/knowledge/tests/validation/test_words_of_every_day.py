"""What agents say every day: the case a figure belongs to, examples of a limit, sides and promises in other words."""

import pytest

from knowledge.validation.anchors import find_other_starts
from knowledge.validation.attachment import find_misattached
from knowledge.validation.commitments import find_promises
from knowledge.validation.contrasts import find_other_sides
from knowledge.validation.crossing import find_crossed
from knowledge.validation.facts import find_uncovered

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (
            "The frame is guaranteed for one year, all other parts for four years.",
            "Everything other than the frame has 48 months.",
        ),
        (
            "After six wrong codes the door stays shut for 20 minutes. You can open it at once with your key.",
            "I cannot open it for you before the 20 minutes are up.",
        ),
        (
            "The storage charge was reduced from £9 to £6. It is not asked for if the balance is under £20.",
            "With a balance of less than £20 there is no storage charge.",
        ),
    ],
)
def test_a_figure_in_other_words_stays_with_its_case(quote: str, claim: str) -> None:
    assert not list(find_crossed(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (
            "课程未过一半的，退还三成；超过一半的，不予退费。",
            "课程超过一半以后，退还三成。",
        ),
        ("Parcels under 2 kg cost $4, parcels over 2 kg cost $9.", "A parcel over 2 kg costs $4."),
    ],
)
def test_a_figure_of_the_other_case_is_seen(quote: str, claim: str) -> None:
    assert list(find_crossed(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("The fee is not paid back.", "You won't get the fee back even though the match was cancelled."),
        ("You must claim the bonus by the 4th.", "The bonus isn't automatic."),
        ("The charge is waived if you fall ill.", "If you fall ill you pay no charge."),
        ("The score does not expire.", "The score is valid forever."),
        ("Quantities are not limited.", "Quantities are unlimited."),
        ("The pump is covered for two years.", "The pump has a two-year warranty."),
        ("No reason need be given.", "You can leave for any reason."),
        ("退还全部定金。", "定金全额退。"),
        ("票据恕不退换。", "You can't get it back at all."),
        ("发生或者可能发生漏水的，应当立即关窑。", "哪怕只是有可能漏水，也得马上关窑。"),
        ("We charge 2% before June and nothing otherwise.", "In July it costs nothing."),
        ("三包有效期内可以更换窑炉。", "The kiln can be swapped within the three-guarantees period."),
        ("The kiln sends us the score.", "All we get from the kiln is the score."),
        ("All pots are judged by humans.", "您的陶器由真人来评，不会交给自动程序。"),
    ],
)
def test_what_only_sounds_like_a_promise_is_none(quote: str, claim: str) -> None:
    assert not list(find_promises(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("You may hand it back if it is damaged.", "You may hand it back for any reason."),
        ("The score is kept for a year.", "The score is valid forever."),
        ("The pump is new.", "The pump has a two-year warranty."),
        ("退还定金。", "定金全额退。"),
        ("发生漏水的，应当立即关窑。", "哪怕只是有可能漏水，也得马上关窑。"),
        ("未经您同意，我们不会公开照片。", "任何情况下我们都不会公开照片。"),
    ],
)
def test_a_case_made_of_all_cases_is_a_promise(quote: str, claim: str) -> None:
    assert list(find_promises(claim, (quote,)))


def test_what_ends_stops_and_what_is_lowered_is_reduced() -> None:
    assert not list(find_other_sides("It stops by itself.", ("The trial ends, it does not continue.",)))
    assert not list(find_other_sides("A reduction is told.", ("We may lower your limit, or raise it.",)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Guests under 16 pay nothing.", "If your daughter is 12, she pays nothing."),
        ("Guests aged 6 to 15 pay half.", "A nine-year-old pays half."),
        ("Orders over $40 ship free; smaller orders cost $5.", "For an order worth $30 you pay $5."),
        ("提前5日以上取消的，全额退款。", "离入住还有8天的时候取消，全退。"),
        ("须提前24小时取消，否则扣款。", "只剩3小时才取消，会扣款。"),
        ("消费满十次的，次年免年费。", "刷满十次，第二年就不收年费。"),
        ("双方须到场。", "两个人都要到场。"),
    ],
)
def test_an_example_keeps_a_limit(quote: str, claim: str) -> None:
    assert not list(find_uncovered(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Guests under 16 pay nothing.", "If your daughter is 17, she pays nothing."),
        ("Guests aged 6 to 15 pay half.", "A sixteen-year-old pays half."),
        (
            "Orders over $40 ship free; a flat fee of $5 is due for smaller orders.",
            "Smaller orders have a flat fee of $7.",
        ),
        ("须提前7天通知。", "要提前30天才行。"),
        ("提前5日以上取消的，全额退款。", "离入住还有2天的时候取消，全退。"),
    ],
)
def test_an_example_beyond_a_limit_follows_from_nothing(quote: str, claim: str) -> None:
    assert list(find_uncovered(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Ask within 20 days of delivery.", "The 20 days begin on the day you place the order."),
        (
            "The report is sent within 9 days after the tenant has handed over the keys.",
            "It is sent within 9 days of giving notice.",
        ),
        ("收货后8天内可以换。", "8天是从付款那天开始算的。"),
    ],
)
def test_a_period_counted_from_another_event_is_seen(quote: str, claim: str) -> None:
    assert list(find_other_starts(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("Ask within 20 days of delivery.", "The 20 days begin on the day you receive it."),
        ("收货后8天内可以换。", "8天是从签收那天开始算的。"),
        ("运费按重量计算，下单后3天内发货。", "运费按重量算。"),
    ],
)
def test_a_period_counted_from_the_same_event_follows(quote: str, claim: str) -> None:
    assert not list(find_other_starts(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim", "is_seen"),
    [
        ("A towel costs €3 per guest.", "A towel costs €3 per room.", True),
        ("A towel costs €3 per guest.", "A towel costs €3 a head.", False),
        ("Freight is $2 per kilogram.", "Freight is $2 a kilo.", False),
        ("Freight is $2 per kilogram.", "Freight is $2 per parcel.", True),
        ("The fee is €3 for each room.", "The fee is €3.", False),
    ],
)
def test_what_an_amount_is_asked_for_is_compared(quote: str, claim: str, *, is_seen: bool) -> None:
    assert bool(list(find_misattached(claim, (quote,)))) == is_seen


def test_the_sooner_of_two_is_not_the_later() -> None:
    quote = "It ends on 4 May or with the last lesson, whichever comes first."

    assert list(find_other_sides("It ends on 4 May or with the last lesson, whichever is later.", (quote,)))
    assert not list(find_other_sides("It ends at whichever is sooner.", (quote,)))


def test_what_held_before_a_date_from_which_on_something_else_holds_is_told() -> None:
    quote = "From 3 May the fee is $8; until then it was $6."

    assert not list(find_uncovered("The fee was $6 before 3 May.", (quote,)))
    assert list(find_uncovered("The fee is $8 before 3 May.", ("From 3 May the fee is $8.",)))
