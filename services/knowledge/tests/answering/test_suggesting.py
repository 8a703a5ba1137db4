"""Suggestions are next questions that lead somewhere."""

from dataclasses import replace

from knowledge.answering.judgement import Searched
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.suggesting import suggest_cases, suggest_sections
from tests.support.answering import make_context, make_passage, make_policy

RULE = 'An order with the status "new" is cancelled under "My orders"; one with the status "sent" is not.'


def test_the_cases_a_rule_names_are_offered_and_buttons_are_not() -> None:
    passage = make_passage(RULE, language="en", requires_facts=("orderStatus",))

    offered = suggest_cases("Can I cancel?", [passage], missing_facts=("orderStatus",), known={"channel": "web"})

    assert [suggestion.label for suggestion in offered] == ["new", "sent"]
    assert offered[0].facts == {"channel": "web", "orderStatus": "new"}
    assert offered[0].question == "Can I cancel?"


def test_nothing_is_offered_for_a_fact_the_rule_does_not_depend_on() -> None:
    assert suggest_cases("Q", [make_passage(RULE)], missing_facts=("orderStatus",), known={}) == ()


def test_two_missing_facts_are_not_guessed_at() -> None:
    passage = make_passage(RULE, requires_facts=("orderStatus", "payment"))

    assert suggest_cases("Q", [passage], missing_facts=("orderStatus", "payment"), known={}) == ()


def test_sections_that_name_what_is_asked_about_are_offered_first() -> None:
    question = "茶壶可以退吗？"
    near = make_passage("茶壶可以维修。", document="repairs", heading="维修")
    right = make_passage("商品可以退。", document="returns", heading="退货")
    searched = Searched(part=QuestionPart(question, question), context=make_context(near, right, question=question))

    offered = suggest_sections([searched], language="zh", policy=make_policy())

    assert [each.label.rpartition("：")[2] for each in offered] == ["退货", "维修"]


def test_a_section_of_what_the_customer_does_with_the_time_asked_for_comes_first() -> None:
    question = "How many days do I have to return an old lamp?"
    ours, bare, rule = (
        replace(make_passage(text, language="en"), heading_path=(heading,))
        for heading, text in (
            ("Repairs", "We repair and return lamps within nine days."),
            ("Boxes", "Lamps are returned in a box."),
            ("Returns", "Lamps can be returned within nine days."),
        )
    )
    context = make_context(ours, bare, rule, question=question)
    searched = Searched(part=QuestionPart(question, question), context=context)

    offered = suggest_sections([searched], language="en", policy=make_policy())

    assert [each.label.rpartition(": ")[2] for each in offered] == ["Returns", "Boxes", "Repairs"]
