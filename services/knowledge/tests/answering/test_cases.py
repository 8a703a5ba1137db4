"""Where rules of several cases answer differently, the customer is asked which one is theirs."""

from dataclasses import replace

import pytest

from contracts.reasons import RefusalReason
from knowledge.answering.cases import case_of
from knowledge.answering.gate import Facts, Gate, Searched, judge
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.suggesting import suggest_open_cases
from knowledge.retrieval.passage import Passage
from tests.support.answering import make_context, make_passage, make_policy

pytestmark = pytest.mark.unit

QUESTION = "会员几天内可以退款？"


def limited(text: str, case: str | None, *, document: str) -> Passage:
    return replace(make_passage(text, document=document, about=QUESTION), applies_to=case)


MONTHLY = limited("会员可以在七天内退款。", "月付套餐", document="monthly")
YEARLY = limited("会员可以在三十天内退款。", "年付套餐", document="yearly")


def gate_of(*passages: Passage, question: str = QUESTION) -> Gate:
    context = make_context(*passages, question=question)
    searched = Searched(part=QuestionPart(question, question), context=context)
    return judge([searched], policy=make_policy(), facts=Facts(signed={}, typed={}))


def test_a_question_that_names_no_case_is_asked_back() -> None:
    gate = gate_of(MONTHLY, YEARLY)

    assert gate.refusal is not None
    assert gate.refusal.reason is RefusalReason.MISSING_BUSINESS_FACT
    assert (gate.missing_facts, gate.cases) == (("appliesTo",), ("月付套餐", "年付套餐"))
    offered = suggest_open_cases(QUESTION, gate.cases, language="zh")
    assert [each.question for each in offered] == [f"{QUESTION}（月付套餐）", f"{QUESTION}（年付套餐）"]


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
