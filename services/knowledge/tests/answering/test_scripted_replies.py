"""Wherever a reply breaks off, honest or not, what passes is what a passage says."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.briefing import make_brief
from knowledge.answering.draft import PartEvidence
from knowledge.answering.model_listening import Listening
from knowledge.answering.model_reply import read_reply
from knowledge.answering.prompting import make_prompt
from knowledge.answering.templates import TEMPLATES
from knowledge.validation.beginnings import passed_beginning
from knowledge.validation.validator import validate
from knowledge.versions.routing_policy import Bounds
from tests.support.answering import counting_handles, make_context, make_passage
from tests.support.scripted_replies import REPLIES, Order, read_order

pytestmark = pytest.mark.unit

PASSAGE = make_passage(
    "茶壶可以在9天内退回。退货的运费由买家承担。刻字的茶壶不可以退回。退回的茶壶要擦干净。退货要填写申请表。",
    document="returns",
)
QUESTIONS = ("茶壶几天内可以退回？", "运费由谁承担？")
CONTEXT = make_context(PASSAGE, question="".join(QUESTIONS))
BRIEF = make_brief(
    "".join(QUESTIONS),
    language="zh",
    context=CONTEXT,
    evidence=tuple(
        PartEvidence(question_part=part, searched=part, found=CONTEXT.found, conditional=False) for part in QUESTIONS
    ),
    new_handle=counting_handles(),
)
ONE_PART = replace(BRIEF, question_parts=QUESTIONS[:1], evidence=BRIEF.evidence[:1], question=QUESTIONS[0])
# One that obeys the question says only what the question says: it needs a question that gives orders.
LIES_AND_TRUTHS = sorted(REPLIES.keys() - {"injection-following"})


def order_of(parts: int) -> Order:
    prompt = make_prompt(BRIEF if parts > 1 else ONE_PART)
    return read_order([{"content": prompt.instructions}, {"content": prompt.document}])


@given(
    behaviour=st.sampled_from(LIES_AND_TRUTHS),
    parts=st.sampled_from([1, 2]),
    cut=st.integers(min_value=0, max_value=600),
    finish_reason=st.sampled_from(["stop", "length", None]),
)
def test_what_passes_is_what_the_passage_says(behaviour: str, parts: int, cut: int, finish_reason: str | None) -> None:
    brief = BRIEF if parts > 1 else ONE_PART
    order = order_of(parts)
    draft = read_reply(REPLIES[behaviour](order, order)[:cut], brief=brief, finish_reason=finish_reason)

    verdict = validate(draft, brief=brief, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)

    said = [part.text.strip() for part in verdict.answer.parts if part.kind == "statement"] if verdict.answer else []
    assert all(sentence in PASSAGE.text for sentence in said)
    assert not said or finish_reason == "stop"


def test_an_honest_reply_to_two_parts_passes_whole() -> None:
    draft = read_reply(REPLIES["honest"](order_of(2), order_of(2)), brief=BRIEF, finish_reason="stop")

    verdict = validate(draft, brief=BRIEF, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)

    assert verdict.answer is not None
    assert verdict.answer.coverage == "full"


@given(behaviour=st.sampled_from(LIES_AND_TRUTHS), parts=st.sampled_from([1, 2]), cut=st.integers(0, 900))
def test_what_is_shown_early_begins_what_is_shown_in_the_end(behaviour: str, parts: int, cut: int) -> None:
    brief = BRIEF if parts > 1 else ONE_PART
    order = order_of(parts)
    reply = REPLIES[behaviour](order, order)
    heard = Listening(brief, accepts=lambda _: True)
    heard.hear(reply[:cut])
    beginning = heard.beginning()
    if beginning is None:
        return

    early = passed_beginning(beginning, brief=brief, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)

    whole = read_reply(reply, brief=brief, finish_reason="stop")
    shown = early.parts if early else ()
    assert all(part.text.strip() in PASSAGE.text for part in shown if part.kind == "statement")
    if not whole.deviations:
        assert [(part.text, part.citations) for part in shown] == [
            (part.text, part.citations) for part in whole.parts[: len(shown)]
        ]


def test_a_rule_waits_for_the_sentence_that_limits_it() -> None:
    limited = make_passage("茶壶可以在9天内退回。但刻字的除外。退货要填写申请表。", document="limited")
    context = make_context(limited, question=QUESTIONS[0])
    evidence = replace(ONE_PART.evidence[0], found=context.found)
    brief = replace(ONE_PART, context=context, evidence=(evidence,))
    order = replace(order_of(1), passages=(("h1", limited.text),))
    lines = REPLIES["honest at length"](order, order).splitlines(keepends=True)
    seen: list[int] = []

    for count in range(2, 5):
        heard = Listening(brief, accepts=lambda _: True)
        heard.hear("".join(lines[:count]) + "\n")
        beginning = heard.beginning()
        assert beginning is not None
        early = passed_beginning(beginning, brief=brief, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)
        seen.append(len(early.parts) if early else 0)

    assert seen == [0, 1, 2]
