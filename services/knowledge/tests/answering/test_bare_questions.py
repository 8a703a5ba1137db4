"""A question that names no more than an act is answered by whatever treats the act."""

from dataclasses import replace

import pytest

from contracts.reasons import EvidenceStrength
from knowledge.answering.bare_questions import goods_in, is_bare
from knowledge.answering.briefing import make_brief
from knowledge.answering.composing import compose
from knowledge.answering.gate import judge
from knowledge.answering.judgement import Facts, Judgement, Searched
from knowledge.answering.matters import matter_of, says
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.sufficiency import holder_of
from knowledge.retrieval.passage import Passage
from knowledge.versions.routing_policy import Bounds
from tests.support.answering import counting_handles, make_context, make_passage, make_policy

pytestmark = pytest.mark.unit

GOODS = "You can return goods within nine days. Faulty goods can be returned within twelve days."
REPAIRS = "We repair and return items within four days."


def part(question: str) -> QuestionPart:
    return QuestionPart(question, question)


def under(heading: str, text: str, *, document: str = "doc") -> Passage:
    language = "en" if text.isascii() else "zh"
    return replace(make_passage(text, language=language, document=document), heading_path=(heading,))


def judged(question: str, *passages: Passage, strength: EvidenceStrength = "medium") -> Judgement:
    context = make_context(*passages, question=question, strength=strength)
    searched = Searched(part=part(question), context=context)
    return judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={})).parts[0]


@pytest.mark.parametrize(
    "question",
    [
        "How long do I have to exchange something?",
        "What is the return period?",
        "Can I get my money back?",
        "Can I return a lamp?",
        "退货期限",
        "收到货后多久可以退货",
        "茶壶能退吗？",
    ],
)
def test_a_question_of_an_act_alone_or_of_a_kind_of_goods_is_bare(question: str) -> None:
    assert is_bare(part(question))


@pytest.mark.parametrize(
    "question",
    [
        "Is there a fee for returns?",
        "Can I return a subscription?",
        "Can I return my points?",
        "Can I return a lamp to a shop?",
        "Can I return it after 60 days?",
        "What colours are there?",
        "退货要手续费吗？",
        "优惠券能退吗？",
        "去年的茶壶还能上门退吗？",
    ],
)
def test_a_question_with_a_word_to_answer_is_not(question: str) -> None:
    assert not is_bare(part(question))


def test_the_goods_of_a_question_are_read() -> None:
    assert goods_in(part("Can I return a lamp?")) == "lamp"
    assert goods_in(part("茶壶能退吗？")) == "茶壶"
    assert goods_in(part("Can I return it?")) is None


@pytest.mark.parametrize("question", ["How long do I have to return something?", "Can I return a lamp?"])
def test_what_treats_the_act_answers_in_the_middle_band_behind_what_shares_its_words(question: str) -> None:
    judgement = judged(question, under("Repairs", REPAIRS, document="repairs"), under("Sending back", GOODS))

    assert judgement.refusal is None
    assert judgement.evidence.found[0].passage.document == "doc"


def test_a_period_needs_no_word_of_its_name_where_it_is_given() -> None:
    missed = under("The return period", "Whoever missed the return period may write to us.", document="missed")

    judgement = judged("What is the return period?", missed, under("Sending back", GOODS))

    assert [found.passage.document for found in judgement.evidence.found][:1] == ["doc"]


@pytest.mark.parametrize(
    ("question", "heading", "text"),
    [
        ("Can I return a lamp?", "Tea", "Tea can be returned within nine days."),
        ("Can I transfer it?", "Points", "Points cannot be transferred."),
        ("Can I cancel it?", "Insurance", "Insurance can be cancelled within nine days."),
        ("Can I return a lamp?", "Repairs", REPAIRS),
        ("Do you charge for returning a lamp?", "Sending back", GOODS),
    ],
)
def test_a_rule_of_something_else_does_not(question: str, heading: str, text: str) -> None:
    assert judged(question, under(heading, text)).refusal is not None


@pytest.mark.parametrize(
    ("question", "heading", "text"),
    [
        ("Can I transfer my order?", "How points are spent", "Points cannot be transferred to anybody."),
        ("订单能转让吗？", "积分怎么用", "积分不能转让给别人。"),
    ],
)
def test_the_strongest_rule_about_another_thing_does_not_either(question: str, heading: str, text: str) -> None:
    assert judged(question, under(heading, text), strength="high").refusal is not None


def test_a_thing_that_a_strong_rule_only_names_keeps_nothing_back() -> None:
    rule = under("Sending back", "Goods can be returned within nine days with the invoice.")

    assert judged("What is the return period?", rule, strength="high").refusal is None


def test_goods_with_a_rule_of_their_own_do_not_fall_under_the_general_one() -> None:
    own = under("Lamps", "The lamp cannot be returned.", document="lamps")

    assert judged("Can I return a lamp?", under("Sending back", GOODS), own).refusal is not None


def test_all_sentences_that_say_it_of_the_act_are_quoted_and_no_others() -> None:
    question = "退货期限"
    steps = under("怎么退货", "1. 申请退货。\n2. 在收到退货地址后七天内寄出。", document="steps")
    rule = under("哪些能退", "商品在九天内能退。有毛病的商品在十二天内可以退货。包装要完好。")
    context = make_context(steps, rule, question=question)
    searched = Searched(part=part(question), context=context)

    (only,) = judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={})).parts

    brief = make_brief(
        question, language="zh", context=context, evidence=(only.evidence,), new_handle=counting_handles()
    )
    draft = compose(brief, bounds=Bounds())
    quoted = [each.text.strip() for each in draft.parts if each.kind == "statement"]
    assert quoted == ["商品在九天内能退。", "有毛病的商品在十二天内可以退货。"]


@pytest.mark.parametrize(
    "text", ["在收到退货地址后七天内寄出。", "仓库收到退货后，两天内检查。", "在九天内申请换货，逾期不能退。"]
)
def test_a_time_beside_the_act_is_not_said_of_it(text: str) -> None:
    question = "多久可以退货？"
    holds = holder_of(question)

    assert holds is not None
    assert says("商品在九天内能退。", matter_of(part(question)), holds)
    assert not says(text, matter_of(part(question)), holds)
