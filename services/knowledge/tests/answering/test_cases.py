"""Where rules of several cases answer differently, the customer is asked which one is theirs."""

from dataclasses import replace

import pytest

from contracts.reasons import RefusalReason
from knowledge.answering.cases import case_of, facts_for
from knowledge.answering.gate import Facts, Gate, Searched, judge
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.suggesting import suggest_open_cases
from knowledge.retrieval.passage import Passage
from knowledge.versions.routing_policy import CaseFact
from tests.support.answering import make_context, make_passage, make_policy

pytestmark = pytest.mark.unit

QUESTION = "会员几天内可以退款？"


def limited(text: str, case: str | None, *, document: str) -> Passage:
    return replace(make_passage(text, document=document, about=QUESTION), applies_to=case)


MONTHLY = limited("会员可以在七天内退款。", "月付套餐", document="monthly")
YEARLY = limited("会员可以在三十天内退款。", "年付套餐", document="yearly")


PLAN = CaseFact(fact="plan", values=("月付套餐", "年付套餐", "季付套餐"))


def gate_of(
    *passages: Passage,
    question: str = QUESTION,
    signed: dict[str, str] | None = None,
    typed: dict[str, str] | None = None,
    asks: bool = True,
) -> Gate:
    context = make_context(*passages, question=question)
    searched = Searched(part=QuestionPart(question, question), context=context)
    policy = make_policy().model_copy(update={"case_facts": (PLAN,) if asks else ()})
    return judge([searched], policy=policy, facts=Facts(signed=signed or {}, typed=typed or {}))


def test_a_question_that_names_no_case_is_asked_back() -> None:
    gate = gate_of(MONTHLY, YEARLY)

    assert gate.refusal is not None
    assert gate.refusal.reason is RefusalReason.MISSING_BUSINESS_FACT
    assert (gate.missing_facts, gate.cases) == (("plan",), ("月付套餐", "年付套餐"))
    offered = suggest_open_cases(QUESTION, gate.cases, language="zh", facts=gate.missing_facts)
    assert [each.question for each in offered] == [f"{QUESTION}（月付套餐）", f"{QUESTION}（年付套餐）"]
    assert [each.facts for each in offered] == [{"plan": "月付套餐"}, {"plan": "年付套餐"}]


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


def test_cases_with_the_same_answer_are_no_question() -> None:
    same = limited("会员可以在七天内退款。", "年付套餐", document="yearly")

    assert gate_of(MONTHLY, same).refusal is None
    assert gate_of(MONTHLY, replace(YEARLY, applies_to=None)).refusal is None
    assert gate_of(MONTHLY).refusal is None


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
