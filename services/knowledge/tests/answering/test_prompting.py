"""A model sees the masked question and the texts it may quote, under handles, and nothing else of ours."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.briefing import make_brief
from knowledge.answering.draft import Brief, PartEvidence
from knowledge.answering.prompting import INSTRUCTIONS, make_prompt, suits_a_model
from knowledge.retrieval.passage import Passage
from tests.support.answering import counting_handles, make_context, make_passage

pytestmark = pytest.mark.unit

RETURNS = replace(
    make_passage("茶壶可以在九天内退回。", document="doc-returns", heading="第三章"),
    title="退货办法",
    source_url="https://shop.example/returns",
)
SECRET = make_passage("例外由主管决定。", document="doc-exceptions", decision="human")
ENGLISH = make_passage("A teapot may be sent back within nine days.", document="doc-english", language="en")


def brief_of(
    *found: Passage, beside: tuple[Passage, ...] = (), question: str = "茶壶能退吗？", conditional: bool = False
) -> Brief:
    context = make_context(*found, *beside, question=question)
    evidence = PartEvidence(
        question_part=question,
        searched=f"更早的问题 {question}",
        found=context.found[: len(found)],
        conditional=conditional,
    )
    return make_brief(question, language="zh", context=context, evidence=(evidence,), new_handle=counting_handles())


def test_the_document_holds_only_what_may_be_quoted() -> None:
    document = json.loads(make_prompt(brief_of(RETURNS, beside=(SECRET,))).document)

    assert document == {
        "language": "zh",
        "question": "茶壶能退吗？",
        "passages": [{"handle": "h1", "text": "茶壶可以在九天内退回。"}],
    }


def test_nothing_of_our_records_is_in_the_prompt() -> None:
    prompt = make_prompt(brief_of(RETURNS))
    sent = prompt.instructions + prompt.document

    for ours in ("doc-returns", "退货办法", "第三章", "shop.example", str(RETURNS.passage_id), "2026-01", "更早的问题"):
        assert ours not in sent


def test_the_faults_of_the_last_try_are_named() -> None:
    brief = replace(brief_of(RETURNS), faults_to_mend=("NO_HEAD: The reply does not begin with the decision head.",))

    assert json.loads(make_prompt(brief).document)["faults"] == list(brief.faults_to_mend)


@given(st.text(max_size=200))
def test_no_question_can_leave_its_place(question: str) -> None:
    prompt = make_prompt(replace(brief_of(RETURNS), question=question))

    document = json.loads(prompt.document)
    assert document["question"] == question
    assert set(document) == {"language", "question", "passages"}
    assert prompt.instructions == INSTRUCTIONS


def test_conditional_answers_are_not_for_a_model() -> None:
    assert suits_a_model(brief_of(RETURNS))
    assert not suits_a_model(brief_of(RETURNS, conditional=True))
    assert suits_a_model(brief_of(ENGLISH, RETURNS))


def test_passages_in_another_language_are_shown_too() -> None:
    document = json.loads(make_prompt(brief_of(RETURNS, ENGLISH)).document)

    assert [passage["handle"] for passage in document["passages"]] == ["h1", "h2"]
