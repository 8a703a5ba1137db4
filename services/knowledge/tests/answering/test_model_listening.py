"""A reply is followed while it arrives, and left as soon as nothing can save it."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.briefing import make_brief
from knowledge.answering.draft import DeviationCode, PartEvidence
from knowledge.answering.model_listening import Listening
from knowledge.answering.model_reply import read_reply
from tests.support.answering import counting_handles, make_context, make_passage

pytestmark = pytest.mark.unit

RULE = "茶壶可以在九天内退回。"
CONTEXT = make_context(make_passage(RULE), question="能退吗？")
EVIDENCE = PartEvidence(question_part="能退吗？", searched="能退吗？", found=CONTEXT.found, conditional=False)
BRIEF = make_brief("能退吗？", language="zh", context=CONTEXT, evidence=(EVIDENCE,), new_handle=counting_handles())
HEAD = json.dumps({"decision": "answer", "quotes": [{"handle": "h1", "quote": RULE}]}, ensure_ascii=False)
REPLY = f"{HEAD}\n{RULE}[h1]"


def listening(*, accepts: bool = True) -> Listening:
    return Listening(BRIEF, accepts=lambda _: accepts)


@given(cuts=st.lists(st.integers(min_value=0, max_value=len(REPLY)), max_size=8))
def test_how_a_reply_is_cut_into_pieces_makes_no_difference(cuts: list[int]) -> None:
    heard = listening()
    edges = [0, *sorted(cuts), len(REPLY)]
    for start, end in pairwise(edges):
        heard.hear(REPLY[start:end])

    assert not heard.is_hopeless
    assert heard.draft(finish_reason="stop") == read_reply(REPLY, brief=BRIEF, finish_reason="stop")


def test_prose_is_left_at_its_first_letter() -> None:
    heard = listening()

    heard.hear(" 好")

    assert heard.is_hopeless
    assert [each.code for each in heard.draft(finish_reason="stop").deviations] == [DeviationCode.NO_HEAD]


def test_a_head_that_is_not_accepted_ends_the_listening_before_any_text() -> None:
    heard = listening(accepts=False)

    heard.hear(HEAD)

    assert heard.is_hopeless
    assert heard.draft(finish_reason=None).parts == ()


def test_a_tool_call_ends_the_listening() -> None:
    heard = listening()
    heard.hear(HEAD)

    heard.hear_tool_call()

    draft = heard.draft(finish_reason="tool_calls")
    assert [each.code for each in draft.deviations] == [DeviationCode.TOOL_CALL]
    assert draft.citations


def test_no_reply_is_followed_for_ever() -> None:
    heard = listening()
    heard.hear(HEAD)

    for _ in range(30):
        heard.hear("退" * 1_000)

    assert [each.code for each in heard.draft(finish_reason="stop").deviations] == [DeviationCode.REPLY_TOO_LONG]


def test_no_more_sentences_are_listened_to_than_an_answer_may_have() -> None:
    heard = listening()
    most = BRIEF.bounds.statements_per_answer
    heard.hear(f"{HEAD}\n\n# 1\n" + f"{RULE}[h1]\n" * (most - 1) + RULE)

    heard.hear("[h1]\n")
    assert not heard.is_hopeless
    heard.hear("\n# 1\n" + RULE[:3])
    assert not heard.is_hopeless
    heard.hear(RULE[3:] + "[h1]\n")

    assert [each.code for each in heard.draft(finish_reason="stop").deviations] == [DeviationCode.TOO_MANY_STATEMENTS]


def test_only_a_sentence_makes_a_beginning_worth_another_look() -> None:
    heard = listening()
    heard.hear(f"{HEAD}\n{RULE}[h1]\n")

    assert heard.beginning() is not None
    heard.hear("\n \n# 1\n")
    assert heard.beginning() is None


def test_what_a_database_cannot_keep_is_replaced() -> None:
    heard = listening()

    heard.hear('{"a\0\ud800')

    assert heard.text == '{"a\ufffd\ufffd'
