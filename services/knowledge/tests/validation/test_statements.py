"""Only a statement can be a claim: no question, no echo of one, no talk about the conversation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.claims import check_claim
from knowledge.validation.statements import asks, echoes, is_statement, split_claims
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "sentence",
    [
        "You asked whether the kettle can be returned.",
        "Can I return the kettle?",
        "能退吗？",
        "您问的是茶壶能不能退。",
        "能退吗。",
        "“能退吗？”",
        "好的，茶壶可以退。",
        "根据您提供的资料，茶壶可以退。",
        "Based on the passages, kettles can be returned.",
        "I found that kettles can be returned.",
        "Let me know if you need more.",
        "Here is what the policy says.",
        "I can help you with that.",
        "I cannot find anything on kettles.",
        "为什么",
        "希望以上回答对您有帮助。",
        "作为人工智能助手，我来回答。",
        "Thank you for your question.",
    ],
)
def test_talk_and_questions_state_nothing(sentence: str) -> None:
    assert not is_statement(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I can swap the boots, but I can't refund them.",
        "不给退的，要告诉您为什么。",
        "店家还得讲清楚为什么。",
        "You are asked to confirm the order.",
        "No receipt is needed.",
        "No. 5 applies.",
        "您的订单可以取消。",
        "商家问题导致的退货免运费。",
        "Heyday kettles are sold by the year.",
        "以七天为限。",
        "Your kettle can be returned.",
    ],
)
def test_a_rule_is_a_statement(sentence: str) -> None:
    assert is_statement(sentence)


def test_a_question_is_refused_though_its_words_are_quoted() -> None:
    faults = check_claim("茶壶可以退货吗？", ("茶壶可以退货。",), claim_overlap=0.2)

    assert FaultCode.NOT_A_STATEMENT in {fault.code for fault in faults}


def test_what_the_policy_says_of_questions_may_be_repeated() -> None:
    sentence = "If you have any other questions, write to the desk."

    assert check_claim(sentence, (sentence,), claim_overlap=0.2) == ()


def test_a_question_that_is_answered_stays_with_its_answer() -> None:
    claims = list(split_claims("No receipt? Then you get store credit. It is valid for a year. Anything else?"))

    assert claims == ["No receipt? Then you get store credit.", "It is valid for a year.", "Anything else?"]


def test_a_claim_that_repeats_the_question_echoes_it() -> None:
    assert echoes("Can I return it? You can.", ("Can I return it?",))
    assert not echoes("You can return it.", ("Can I return it?",))
    assert echoes("能退吗，可以退。", ("能退吗",))
    assert not echoes("退货运费由买家承担。", ("退货运费",))
    assert not echoes("Can I return it?s.", ("",))


@given(st.lists(st.sampled_from(["能退吗？", "可以退。", "Is it free? ", "It is free. ", "3.5 元。"]), max_size=6))
def test_claims_keep_every_word_in_order(sentences: list[str]) -> None:
    text = "".join(sentences)

    assert "".join(split_claims(text)).replace(" ", "") == text.replace(" ", "")


@given(st.text(max_size=40))
def test_a_question_mark_at_the_end_always_asks(text: str) -> None:
    assert asks(f"{text}？")
    assert asks(f"{text}?")
