"""A question that speaks of nobody in the conversation has to find its words in what is quoted."""

import pytest

from contracts.reasons import RefusalCause, RefusalReason
from knowledge.answering.choosing import question_terms
from knowledge.answering.gate import judge
from knowledge.answering.general_questions import carried, is_general
from knowledge.answering.judgement import Facts, Gate, Searched
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.same_words import with_same
from knowledge.answering.wording import terms_of
from tests.support.answering import make_context, make_passage, make_policy

pytestmark = pytest.mark.unit


def part(question: str) -> QuestionPart:
    return QuestionPart(question, question)


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the company?",
        "In which year was the tower built?",
        "The tower was built by whom?",
        "Is the tower older than the bridge?",
        "What did the US government plan?",
        "WHAT IS THE NAME OF THE RIVER?",
    ],
)
def test_a_question_about_the_world_is_general(question: str) -> None:
    assert is_general(part(question))


@pytest.mark.parametrize(
    "question",
    [
        "Can I get my money back?",
        "How long do you keep chats?",
        "When will you’ve shipped it to us?",
        "WHEN DO YOU SHIP?",
        "return shipping cost",
        "Please explain the refund policy.",
        "谁创办了这家公司？",
    ],
)
def test_a_customer_s_own_question_and_one_in_chinese_are_not(question: str) -> None:
    assert not is_general(part(question))


def test_a_follow_up_is_not_measured_by_the_words_of_the_one_before() -> None:
    earlier = "How long is the warranty for kettles?"

    assert not is_general(QuestionPart("And for lamps?", f"{earlier} And for lamps?", (earlier,)))


def test_what_only_says_which_kind_of_thing_is_wanted_need_not_be_carried() -> None:
    question = "How fast are items dispatched?"
    terms = question_terms(question, {})

    assert carried(question, terms, "Goods and items are dispatched within 48 hours.") == 1.0
    assert carried(question, terms, "Nothing of it.") == 0.0
    assert carried("How long does it take?", question_terms("How long does it take?", {}), "Three days.") == 0.0


@pytest.mark.parametrize("text", ["The plan is billed monthly.", "The plan is billed yearly."])
def test_of_two_things_to_choose_from_one_is_enough(text: str) -> None:
    question = "Is the plan billed monthly or yearly?"

    assert carried(question, question_terms(question, {}), text) == 1.0
    assert carried(question, question_terms(question, {}), "Something is new.") == 0.0


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who bears the postage for faulty goods?", "The seller pays for shipping where an item is faulty."),
        ("Is international shipping available?", "We do not ship to other countries."),
        ("How are broken kettles mended?", "We repair a kettle that does not work; do not break it open."),
        ("Can a lost card be frozen?", "If you lose the card, we freeze it."),
        ("How long are purchase records stored?", "We keep order records for 3 years."),
    ],
)
def test_a_word_is_carried_by_another_with_the_same_meaning(question: str, text: str) -> None:
    assert carried(question, question_terms(question, {}), text) >= 0.5


@pytest.mark.parametrize("text", ["The courier rang at the door.", "Cards can be blocked.", "A record was broken."])
def test_a_word_of_another_meaning_carries_nothing(text: str) -> None:
    question = "Who bears the postage for faulty goods?"

    assert carried(question, question_terms(question, {}), text) == 0.0


def test_what_means_the_same_adds_only_what_is_asked_for() -> None:
    text = terms_of("The seller covers shipping.")

    assert with_same(terms_of("postage pay"), text) == text | terms_of("postage pay")
    assert with_same(terms_of("kettle 茶壶"), text) == text


NEAR_MISS = "The tower stands beside the old bridge and is open every day."


def gate_of(question: str, **thresholds: float) -> Gate:
    passage = make_passage(NEAR_MISS, language="en", about=question)
    policy = make_policy()
    bands = policy.thresholds.model_copy(update=thresholds)
    searched = Searched(part=part(question), context=make_context(passage, question=question))
    return judge([searched], policy=policy.model_copy(update={"thresholds": bands}), facts=Facts(signed={}, typed={}))


def test_a_passage_on_the_topic_does_not_answer_a_general_question() -> None:
    gate = gate_of("Who commissioned the demolition of the wooden tower gate?")

    assert gate.refusal is not None
    assert (gate.refusal.reason, gate.refusal.cause, gate.parts[0].lacking) == (
        RefusalReason.NO_AUTHORIZED_EVIDENCE,
        RefusalCause.BELOW_THRESHOLD,
        "words of the question",
    )


@pytest.mark.parametrize(
    ("question", "thresholds"),
    [
        ("Is the tower open every day?", {}),
        ("Can I see the wooden gate and its demolition from your tower?", {}),
        ("Who commissioned the demolition of the wooden tower gate?", {"covered_in_general": 0.0}),
    ],
)
def test_what_carries_it_and_a_customer_s_own_question_are_answered(
    question: str, thresholds: dict[str, float]
) -> None:
    assert gate_of(question, **thresholds).refusal is None
