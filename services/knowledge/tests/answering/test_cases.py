"""Where rules of several cases or audiences answer differently, the customer is asked which one is theirs."""

from dataclasses import replace

import pytest

from contracts.reasons import RefusalReason
from knowledge.answering.cases import case_of, facts_for, partings
from knowledge.answering.gate import judge
from knowledge.answering.judgement import Facts, Gate, Searched
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.suggesting import suggest_open_cases
from knowledge.retrieval.passage import Passage
from knowledge.versions.conflicts import KnownConflict
from knowledge.versions.routing_policy import CaseFact
from tests.support.answering import make_context, make_passage, make_policy

pytestmark = pytest.mark.unit

QUESTION = "会员几天内可以退款？"


def limited(text: str, case: str | None, *, document: str) -> Passage:
    return replace(make_passage(text, document=document, about=QUESTION), applies_to=case)


MONTHLY = limited("会员可以在七天内退款。", "月付套餐", document="monthly")
YEARLY = limited("会员可以在三十天内退款。", "年付套餐", document="yearly")


PLAN = CaseFact(fact="plan", values=("月付套餐", "年付套餐", "季付套餐"))
READER = CaseFact(
    fact="customerKind", values=("个人客户", "企业客户"), audiences={"consumer": "个人客户", "business": "企业客户"}
)
BOTH = ("public", "consumer", "business")


def read_by(text: str, *segments: str, document: str, priority: int = 0) -> Passage:
    made = make_passage(text, document=document, about=QUESTION, priority=priority)
    return replace(made, audience=segments)


CONSUMER = read_by("会员可以在七天内退款。", "consumer", document="consumer")
BUSINESS = read_by("会员可以在三十天内退款。", "business", document="business")


def gate_of(
    *passages: Passage,
    question: str = QUESTION,
    signed: dict[str, str] | None = None,
    typed: dict[str, str] | None = None,
    segments: tuple[str, ...] = ("public",),
    asks: bool = True,
) -> Gate:
    context = make_context(*passages, question=question)
    searched = Searched(part=QuestionPart(question, question), context=context)
    policy = make_policy().model_copy(update={"case_facts": (PLAN, READER) if asks else ()})
    return judge([searched], policy=policy, facts=Facts(signed=signed or {}, typed=typed or {}, segments=segments))


def answered_from(gate: Gate) -> list[str]:
    assert gate.refusal is None
    return [found.passage.document for found in gate.parts[0].evidence.found]


def test_a_question_that_names_no_case_is_asked_back() -> None:
    gate = gate_of(MONTHLY, YEARLY)

    assert gate.refusal is not None
    assert gate.refusal.reason is RefusalReason.MISSING_BUSINESS_FACT
    assert (gate.missing_facts, gate.cases) == (("plan",), ("月付套餐", "年付套餐"))
    offered = suggest_open_cases(QUESTION, gate.cases, language="zh", known=(PLAN, READER))
    assert [each.question for each in offered] == [f"{QUESTION}（月付套餐）", f"{QUESTION}（年付套餐）"]
    assert [each.facts for each in offered] == [{"plan": "月付套餐"}, {"plan": "年付套餐"}]


LISTED = CaseFact(
    fact="plan",
    values=("月付套餐", "年付套餐"),
    words={"月付套餐": ("包月", "monthly plan"), "年付套餐": ("plan", "yearly plan")},
)


def test_a_case_is_offered_in_the_customers_words_and_stays_in_the_fact_what_its_record_says() -> None:
    offered = suggest_open_cases("When?", ("月付套餐", "年付套餐"), language="en", known=(LISTED,))

    # "plan" alone would name both.
    assert [each.label for each in offered] == ["Monthly plan", "Yearly plan"]
    assert [each.question for each in offered] == ["When? (monthly plan)", "When? (yearly plan)"]
    assert [each.facts for each in offered] == [{"plan": "月付套餐"}, {"plan": "年付套餐"}]


def test_a_case_that_nobody_translated_keeps_its_name() -> None:
    listed = CaseFact(fact="kind", values=("家具", "景泰蓝"))
    offered = suggest_open_cases("When?", ("家具", "景泰蓝"), language="en", known=(listed,))
    unlisted = suggest_open_cases("什么时候？", ("brand", "Marquetry"), language="zh")

    assert [each.label for each in offered] == ["Furniture", "景泰蓝"]
    assert [each.label for each in unlisted] == ["品牌", "Marquetry"]


def test_a_case_told_as_a_sentence_is_offered_without_its_full_stop() -> None:
    abroad, at_home = "收货地址在境外的订单。", "收货地址在境内的订单。"
    listed = CaseFact(fact="destination", values=(abroad, at_home))

    offered = suggest_open_cases("几天能到？", (abroad, at_home), language="zh", known=(listed,))

    assert [each.label for each in offered] == ["收货地址在境外的订单", "收货地址在境内的订单"]
    assert offered[0].question == "几天能到？（收货地址在境外的订单）"
    assert offered[0].facts == {"destination": abroad}


def test_a_key_that_the_tenant_does_not_list_is_not_asked_for() -> None:
    gate = gate_of(MONTHLY, YEARLY, asks=False)

    assert gate.refusal is not None
    assert (gate.missing_facts, gate.cases) == ((), ("月付套餐", "年付套餐"))


def test_a_case_that_the_tenant_lists_may_be_a_sentence() -> None:
    abroad, at_home = "收货地址在境外的订单，由海外仓发出。", "收货地址在境内的订单，由本地仓发出。"
    passages = (replace(MONTHLY, applies_to=abroad), replace(YEARLY, applies_to=at_home))
    assert gate_of(*passages).refusal is None

    listed = CaseFact(fact="destination", values=(abroad, at_home))
    assert [case_of(each, (listed,)) for each in passages] == [abroad, at_home]
    assert (facts_for((abroad, at_home), (PLAN, listed)), facts_for((abroad, "x"), (listed,))) == (("destination",), ())


def test_a_signed_fact_names_the_case() -> None:
    gate = gate_of(MONTHLY, YEARLY, signed={"plan": "年付套餐"})

    assert gate.refusal is None
    assert [found.passage.document for found in gate.parts[0].evidence.found] == ["yearly"]
    assert gate_of(MONTHLY, YEARLY, signed={"plan": "something else"}).refusal is not None


def test_a_case_that_the_question_names_goes_before_the_customers_own() -> None:
    gate = gate_of(MONTHLY, YEARLY, question="月付套餐的会员几天内可以退款？", signed={"plan": "年付套餐"})

    assert answered_from(gate) == ["monthly"]


def test_a_typed_fact_names_the_case_and_makes_the_answer_conditional() -> None:
    gate = gate_of(MONTHLY, YEARLY, typed={"plan": "年付套餐"})

    (part,) = gate.parts
    assert part.refusal is None
    assert ([found.passage.document for found in part.evidence.found], part.evidence.conditional) == (["yearly"], True)
    for unknown in ({"plan": "季付套餐"}, {"plan": "something else"}, {"other": "年付套餐"}):
        assert gate_of(MONTHLY, YEARLY, typed=unknown).refusal is not None
    signed = gate_of(MONTHLY, YEARLY, signed={"plan": "月付套餐"}, typed={"plan": "年付套餐"})
    assert [found.passage.document for found in signed.parts[0].evidence.found] == ["monthly"]


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("年付的会员几天内可以退款？", "yearly"),
        ("月付会员几天内可以退款？", "monthly"),
        (f"{QUESTION}（年付套餐）", "yearly"),
    ],
)
def test_a_question_that_names_a_case_is_answered_from_its_rules(question: str, document: str) -> None:
    gate = gate_of(MONTHLY, YEARLY, question=question)

    assert gate.refusal is None
    assert [found.passage.document for found in gate.parts[0].evidence.found] == [document]


@pytest.mark.parametrize(
    ("text", "leans_on", "document"),
    [
        ("年付的呢？", ("月付的会员几天内可以退款？",), "yearly"),
        ("那要多久？", ("月付的会员几天内可以退款？",), "monthly"),
        ("那要多久？", ("月付的会员几天内可以退款？", "年付的呢？"), "yearly"),
    ],
)
def test_what_is_asked_last_names_the_case(text: str, leans_on: tuple[str, ...], document: str) -> None:
    part = QuestionPart(text, " ".join((*leans_on, text)), leans_on)
    searched = Searched(part=part, context=make_context(MONTHLY, YEARLY, question=part.searched))

    assert answered_from(judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={}))) == [document]


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("How many days may a return of furniture take?", "furniture"),
        ("How many days may a return of lamps take?", "lamps"),
        ("How many days may a return of chandeliers take?", "lamps"),
        ("吊灯几天内可以退？", "lamps"),
    ],
)
def test_a_case_is_named_in_the_other_language_or_as_the_tenant_s_customers_say(question: str, document: str) -> None:
    furniture = limited("家具可以在七天内退款。", "家具", document="furniture")
    lamps = limited("灯具可以在三十天内退款。", "灯具", document="lamps")
    kind = CaseFact(fact="kind", values=("家具", "灯具"), words={"灯具": ("chandelier", "吊灯")})
    policy = make_policy().model_copy(update={"case_facts": (kind,)})
    searched = Searched(
        part=QuestionPart(question, question), context=make_context(furniture, lamps, question=question)
    )

    assert answered_from(judge([searched], policy=policy, facts=Facts(signed={}, typed={})))[0] == document


def test_cases_with_the_same_answer_are_no_question() -> None:
    same = limited("会员可以在七天内退款。", "年付套餐", document="yearly")

    assert gate_of(MONTHLY, same).refusal is None
    assert gate_of(MONTHLY, replace(same, applies_to=None)).refusal is None
    assert gate_of(MONTHLY).refusal is None


GENERAL = replace(YEARLY, applies_to=None)


@pytest.mark.parametrize("passages", [(MONTHLY, GENERAL), (GENERAL, MONTHLY)])
def test_a_rule_for_one_case_that_says_otherwise_than_the_general_one_is_asked_about(
    passages: tuple[Passage, ...],
) -> None:
    gate = gate_of(*passages)

    assert (gate.cases, gate.missing_facts) == (("月付套餐",), ("plan",))
    offered = suggest_open_cases(QUESTION, gate.cases, language="zh", known=(PLAN, READER))
    assert [each.question for each in offered] == [f"{QUESTION}（月付套餐）", f"{QUESTION}（其他情况）"]
    assert [each.facts for each in offered] == [{"plan": "月付套餐"}, {}]
    answers = {asked.label: answered_from(gate_of(*passages, question=asked.question)) for asked in offered}
    assert answers == {"月付套餐": ["monthly"], "其他情况": ["yearly"]}


@pytest.mark.parametrize(("plan", "document"), [("月付套餐", "monthly"), ("季付套餐", "yearly")])
def test_a_fact_chooses_between_the_rule_for_its_case_and_the_general_one(plan: str, document: str) -> None:
    signed, typed = gate_of(GENERAL, MONTHLY, signed={"plan": plan}), gate_of(GENERAL, MONTHLY, typed={"plan": plan})

    assert (answered_from(signed), signed.parts[0].evidence.conditional) == ([document], False)
    assert (answered_from(typed), typed.parts[0].evidence.conditional) == ([document], True)


def test_a_rule_for_one_case_that_speaks_of_something_else_is_no_question() -> None:
    elsewhere = limited("月付套餐可以在门店或网站续订，也可以随时停用。", "月付套餐", document="elsewhere")

    assert gate_of(GENERAL, elsewhere).refusal is None
    assert gate_of(replace(GENERAL, priority=10), MONTHLY).refusal is None


@pytest.mark.parametrize(
    ("applies_to", "case"),
    [
        (None, None),
        ("月付套餐", "月付套餐"),
        ("月付套餐\n适用于所有套餐。", "月付套餐"),
        ("在境内销售的家用汽车，适用本规定。", None),
        ("x" * 41, None),
    ],
)
def test_a_case_is_a_name_of_the_record_and_no_sentence_of_the_text(applies_to: str | None, case: str | None) -> None:
    assert case_of(limited("会员可以退款。", applies_to, document="d")) == case


@pytest.mark.parametrize(
    ("passages", "cases"),
    [
        ((CONSUMER, BUSINESS), ("个人客户", "企业客户")),
        ((CONSUMER, replace(BUSINESS, priority=10)), ()),
        ((CONSUMER, read_by("会员不可以在七天内退款。", "business", document="never")), ("个人客户", "企业客户")),
        ((CONSUMER, read_by("会员可以在七天内退款。", "business", document="same")), ()),
        ((CONSUMER, read_by("七天内会员可以要求退款。", "business", document="reworded")), ()),
        ((CONSUMER, read_by("会员可以在三十天内退款。", "consumer", "business", document="both")), ()),
        ((CONSUMER, read_by("会员可以在三十天内退款。", "public", document="everybody")), ()),
        ((CONSUMER, read_by("会员可以在三十天内退款。", "partner", document="of others")), ()),
        ((CONSUMER,), ()),
    ],
)
def test_rules_for_two_audiences_are_asked_about_where_they_differ(
    passages: tuple[Passage, ...], cases: tuple[str, ...]
) -> None:
    gate = gate_of(*passages, segments=BOTH)

    assert gate.cases == cases
    assert gate.missing_facts == (("customerKind",) if cases else ())
    assert (gate.refusal is not None) == bool(cases)


EVERYBODY = read_by("会员可以在七天内退款。", "public", document="everybody")


@pytest.mark.parametrize("passages", [(EVERYBODY, BUSINESS), (BUSINESS, EVERYBODY)])
def test_of_a_public_rule_and_one_for_readers_the_customer_is_among_the_special_one_answers(
    passages: tuple[Passage, ...],
) -> None:
    assert answered_from(gate_of(*passages, segments=("public", "business"))) == ["business"]
    individual = gate_of(*passages, question="我是个人客户，会员几天内可以退款？", segments=("public", "business"))
    assert answered_from(individual) == ["everybody"]


def test_two_rules_need_not_be_alike_to_answer_one_question_otherwise() -> None:
    general = read_by(
        "会员可以在七天内退款，凭订单记录就行，不需要会员卡，也不需要发票。", "public", document="general"
    )
    special = read_by("企业客户的会员一次退款十件以上的，三十天内办理。", "business", document="special")

    assert answered_from(gate_of(general, special, segments=("public", "business"))) == ["special"]


def test_a_public_rule_of_higher_priority_or_about_something_else_stays() -> None:
    ranked = replace(EVERYBODY, priority=10)
    other = read_by("企业客户的会员可以在门店或网站上办理退款。", "business", document="other")

    assert answered_from(gate_of(ranked, BUSINESS, segments=("public", "business"))) == ["everybody"]
    assert answered_from(gate_of(EVERYBODY, other, segments=("public", "business")))[0] == "everybody"


@pytest.mark.parametrize(
    ("question", "facts", "document"),
    [
        (f"{QUESTION}（企业客户）", {}, "business"),
        ("企业客户的会员几天内可以退款？", {}, "business"),
        ("我是个人客户，会员几天内可以退款？", {}, "consumer"),
        (QUESTION, {"signed": {"customerKind": "企业客户"}}, "business"),
        (QUESTION, {"typed": {"customerKind": "企业客户"}}, "business"),
    ],
)
def test_an_audience_that_is_named_is_answered_from_its_rules(
    question: str, facts: dict[str, dict[str, str]], document: str
) -> None:
    signed, typed = facts.get("signed"), facts.get("typed")
    gate = gate_of(CONSUMER, BUSINESS, question=question, signed=signed, typed=typed, segments=BOTH)

    assert answered_from(gate) == [document]
    assert gate.parts[0].evidence.conditional == ("typed" in facts)


def test_an_audience_that_the_tenant_does_not_name_is_asked_for_by_its_segment() -> None:
    gate = gate_of(CONSUMER, BUSINESS, segments=BOTH, asks=False)

    assert (gate.cases, gate.missing_facts) == (("consumer", "business"), ())
    named = gate_of(CONSUMER, BUSINESS, question=f"{QUESTION}（business）", segments=BOTH, asks=False)
    assert answered_from(named) == ["business"]


def test_readers_are_named_in_the_language_of_their_rule() -> None:
    english = CaseFact(fact="customerKind", values=("companies",), audiences={"business": "companies"})
    names = [
        parting.cases_of(replace(BUSINESS, language=language))
        for language in ("zh", "en")
        for parting in partings((READER, english), BOTH)[1:]
    ]

    assert names == [("企业客户",), ("companies",)]


def test_known_conflicts_are_no_question_of_the_audience() -> None:
    everybody = read_by("会员可以在三十天内退款。", "public", document="everybody")
    context = make_context(CONSUMER, everybody, question=QUESTION)
    known = KnownConflict(
        passage_id=CONSUMER.passage_id,
        start=0,
        end=len(CONSUMER.text),
        other_passage_id=everybody.passage_id,
        other_sentence=everybody.text,
    )
    searched = Searched(part=QuestionPart(QUESTION, QUESTION), context=replace(context, conflicts=(known,)))
    gate = judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={}, segments=BOTH))

    assert gate.refusal is not None
    assert (gate.refusal.reason, gate.cases) == (RefusalReason.CONFLICTING_POLICY, ())


def test_of_two_rules_that_disagree_the_higher_priority_answers() -> None:
    everybody = read_by("会员可以在七天内退款。", "public", document="everybody")
    ranked = read_by("企业会员可以在三十天内退款。", "business", document="ranked", priority=10)
    other = read_by("会员可以在门店或网站退款。", "business", document="other", priority=10)

    assert answered_from(gate_of(everybody, ranked, segments=BOTH)) == ["ranked"]
    unranked = replace(ranked, priority=0, audience=("public",))
    assert answered_from(gate_of(everybody, unranked, segments=BOTH))[0] == "everybody"
    assert answered_from(gate_of(everybody, other, segments=BOTH))[0] == "everybody"
    assert gate_of(MONTHLY, replace(YEARLY, priority=10)).cases == ("月付套餐", "年付套餐")


def test_a_rule_for_a_case_that_is_not_asked_about_does_not_stand_in_for_it() -> None:
    gate = gate_of(MONTHLY, question=f"{QUESTION}（季付套餐）")

    assert gate.refusal is not None
    assert gate.refusal.reason is RefusalReason.NO_AUTHORIZED_EVIDENCE


def test_a_case_whose_rule_is_a_little_weaker_is_still_asked_about() -> None:
    context = make_context(MONTHLY, YEARLY, question=QUESTION)
    first, second = context.found
    weaker = replace(second, scores=replace(second.scores, fused=first.scores.fused / 2))
    searched = Searched(part=QuestionPart(QUESTION, QUESTION), context=replace(context, found=(first, weaker)))
    gate = judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={}))

    assert gate.cases == ("月付套餐", "年付套餐")
