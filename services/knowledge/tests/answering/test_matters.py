"""What is quoted treats the act that is asked about, and speaks of the things that are."""

from dataclasses import replace

import pytest

from knowledge.answering.choosing import Chosen
from knowledge.answering.gate import judge
from knowledge.answering.judgement import Facts, Searched
from knowledge.answering.matters import matter_of, says, says_of_another, speaks_of, treats
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.sufficiency import holder_of
from tests.support.answering import make_context, make_passage, make_policy

pytestmark = pytest.mark.unit


def part(question: str) -> QuestionPart:
    return QuestionPart(question, question)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Can I return a lamp?", {"return"}),
        ("Is installation free?", {"install"}),
        ("Can the exchange be picked up at my door?", {"pick up"}),
        ("Does the cover pass when it is transferred?", {"transfer"}),
        ("What happens if I cancel?", {"cancel"}),
        ("When the parcel is late, can I cancel?", {"cancel"}),
        ("Can I return what I got when the shop delivered twice?", {"return"}),
        ("I bought a teapot. It broke. Will you repair it?", {"repair"}),
        ("I want to swap the teapot.", {"exchange", "replace"}),
        ("You shipped it and it broke.", set[str]()),
        ("Who delivered the stones of the tower?", {"deliver"}),
        ("When was the king returned to the throne?", set[str]()),
        ("上门取件收费吗？", {"pick up"}),
        ("换货能上门取件吗", {"pick up"}),
        ("分期可以提前还清吗？", {"pay off"}),
        ("取消之后多久能退款？", {"refund"}),
        ("How long does a refund take?", {"refund"}),
        ("When do I get my refund?", {"refund"}),
        ("Can I get my money back?", {"give back"}),
        ("Are lamps refundable?", {"give back"}),
        ("能退吗？", {"give back"}),
        ("可以退款吗？", {"give back"}),
        ("退货要手续费吗？", {"return"}),
        ("我想退掉这把茶壶。", {"return"}),
        ("茶壶有几种颜色？", set[str]()),
        ("月票能转给同事吗？", {"transfer"}),
        ("Can I give the ticket to a friend?", {"transfer"}),
        ("删掉的照片能恢复吗？", {"restore"}),
        ("Where do I check my reading history?", {"look up"}),
        ("借书记录在哪里查？", {"look up"}),
        ("检查要多久？", set[str]()),
        ("How can the tower be viewed as a sign?", set[str]()),
    ],
)
def test_the_clause_that_asks_says_what_is_to_be_done(question: str, asked: set[str]) -> None:
    assert matter_of(part(question)).asked == asked


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Can I extend the warranty?", {"warranty"}),
        ("Is there interest on instalments?", {"interest", "instalment"}),
        ("Are you interested in parts of it?", set[str]()),
        ("预售的定金退吗？", {"deposit"}),
        ("优惠券可以转让吗？", {"coupon"}),
        ("Is there a restocking fee?", {"handling fee"}),
        ("退票手续费多少？", {"handling fee"}),
        ("Is the library open at weekends?", {"weekend"}),
        ("图书馆每天 8 点开门吗？", {"weekend"}),
    ],
)
def test_things_of_a_service_are_told_from_goods(question: str, things: set[str]) -> None:
    assert matter_of(part(question)).things == things


def test_a_follow_up_that_names_nothing_is_about_what_it_leans_on() -> None:
    leaning = QuestionPart("And for lamps?", "Can I return a kettle? And for lamps?", ("Can I return a kettle?",))

    assert matter_of(leaning).asked == {"return"}


@pytest.mark.parametrize(
    ("question", "heading", "text"),
    [
        ("Can I return a lamp?", "Returns", "All goods go back within nine days."),
        ("Can I return a lamp?", "What is sent back", "All goods within nine days."),
        ("How are faulty goods replaced?", "Exchanges", "We exchange what is broken."),
        ("Is installation free?", "上门安装怎么收费", "每件收费 30 元。"),
        ("能上门取件吗？", "Home collection", "We collect goods from your door."),
        ("Can points be used for shipping?", "Points", "Points do not cover the freight."),
        ("How long do I have to return a cup?", "Returns", "Cups can be returned, and are refunded, within nine days."),
        ("How long does a refund take?", "Refunds", "The money is returned within two days."),
        ("Can I get my money back?", "Refunds", "We refund what is sent back."),
        ("Can I get my money back?", "Sending back", "All goods can be returned within nine days."),
        ("Can I return a cup?", "Cups", "You can get a refund within nine days."),
        ("能退款吗？", "退货", "九天内可以退货。"),
        ("几天内可以退货？", "退款", "可以在九天内退款。"),
        ("退货要多久？", "退货", "商品在九天内退回。"),
        ("Do I get a refund when I cancel?", "Cancelling", "Cancelled orders are returned to the shop in nine days."),
        ("How much is the shipping?", "Freight", "The cost of delivery is four coins."),
    ],
)
def test_a_text_treats_the_matter_in_whatever_words_and_language(question: str, heading: str, text: str) -> None:
    assert treats(chosen(text, heading), matter_of(part(question)))


@pytest.mark.parametrize(
    ("question", "heading", "text"),
    [
        ("Can I return a lamp?", "How long the warranty lasts", "Lamps are sent in for repair."),
        ("Is installation free?", "Paying in instalments", "Three instalments are free of interest."),
        ("上门取件收费吗？", "上门安装怎么收费", "上门安装每件收费 30 元。"),
        ("Can I extend the warranty?", "Gift cards", "A gift card can be extended once."),
        ("优惠券可以转让吗？", "积分怎么用", "积分不可以转让。"),
        ("Can faulty goods be exchanged?", "Returns and exchanges > Returns", "Faulty goods can be returned."),
        ("Who pays for shipping a repair?", "Return freight", "The buyer pays for return shipping."),
        ("How long do I have to return a cup?", "Repairs", "We repair and return cups within nine days."),
        (
            "How long do I have to return a cup?",
            "Refunds",
            "Once a refund is approved, the money is returned in a day.",
        ),
        ("How long does a refund take?", "Goods", "Goods can be returned within nine days."),
        ("What is the return period?", "Money", "The money is returned within nine days."),
        ("What is the return period?", "Refunds", "A refund takes nine days."),
        ("退款要多久？", "退货", "九天内可以退货。"),
        ("多久能退货？", "到账", "款项在两天内退回原支付账户。"),
        ("Can I cancel an order?", "Unpaid orders", "We cancel orders that are not paid."),
        ("How much is the shipping?", "Returns", "Within nine days from the day after delivery."),
    ],
)
def test_a_text_about_another_act_or_thing_does_not(question: str, heading: str, text: str) -> None:
    assert not treats(chosen(text, heading), matter_of(part(question)))


def chosen(text: str, heading: str) -> Chosen:
    language = "en" if text.isascii() else "zh"
    passage = replace(make_passage(text, language=language), heading_path=tuple(heading.split(" > ")))
    return Chosen(passage=passage, sentences=passage.sentences, score=1.0)


@pytest.mark.parametrize(
    ("question", "text", "is_another"),
    [
        ("How much does a repair cost?", "We repair cups; a cup that stays broken is replaced free of charge.", True),
        ("How much does a repair cost?", "A repair costs $4, and a broken cup is replaced free of charge.", False),
        ("How much does a repair cost?", "It costs $4.", False),
        ("退款多久到账？", "四天内可以取消。", True),
        ("退款多久到账？", "取消后，四天内退款。", False),
    ],
)
def test_what_another_act_takes_is_not_said_of_the_one_asked(question: str, text: str, is_another: bool) -> None:  # noqa: FBT001 - a table
    holds = holder_of(question)

    assert holds is not None
    assert says_of_another(text, matter_of(part(question)), holds) == is_another


def test_freight_is_treated_whatever_is_sent() -> None:
    question = "Who pays the postage?"
    holds = holder_of(question)

    assert holds is not None
    assert says("The member pays for return shipping.", matter_of(part(question)), holds)


@pytest.mark.parametrize("question", ["How do I return a book?", "还书要怎么还，怎么退？"])
def test_the_steps_answer_who_asks_for_the_way(question: str) -> None:
    rule = replace(make_passage("可以退书。Books can be returned.", document="rule"), heading_path=("退书 Returns",))
    steps = replace(
        make_passage("1. 交书。\n2. 退书。Return it.", document="steps"),
        heading_path=("怎么退书 How to return a book",),
    )
    searched = Searched(part=part(question), context=make_context(rule, steps, question=question))

    (only,) = judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={})).parts

    assert [found.passage.document for found in only.evidence.found][:1] == ["steps"]


def test_a_passage_may_name_the_matter_anywhere() -> None:
    matter = matter_of(part("Can I return a lamp?"))

    assert speaks_of(make_passage("Lamps are repaired. Kettles are returned.", language="en"), matter)
    assert not speaks_of(make_passage("Lamps are repaired.", language="en"), matter)


QUESTION = "茶壶几天内可以退？"


def test_a_near_miss_gives_way_to_the_rule_about_what_is_asked() -> None:
    near = make_passage("茶壶在三十天内维修。", document="repairs", about=QUESTION)
    rule = make_passage("茶壶可以在九天内退回。", document="returns", about=QUESTION)

    def judged(*names: str) -> tuple[str | None, list[str]]:
        made = {"repairs": near, "returns": rule}
        context = make_context(*(made[name] for name in names), question=QUESTION)
        searched = Searched(part=part(QUESTION), context=context)
        (only,) = judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={})).parts
        return only.lacking, [found.passage.document for found in only.evidence.found]

    assert judged("repairs") == ("what is asked about", [])
    assert judged("repairs", "returns") == (None, ["returns"])
