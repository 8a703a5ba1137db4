"""A reply is read as the draft it is, and every departure from the agreed form is a fault of that draft."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.reasons import RefusalReason
from knowledge.answering.briefing import make_brief
from knowledge.answering.draft import Brief, DeviationCode, Draft, DraftCitation, PartEvidence
from knowledge.answering.model_head import Head, read_head
from knowledge.answering.model_reply import head_only, read_reply
from knowledge.answering.templates import TEMPLATES
from knowledge.retrieval.passage import PolicyContext
from knowledge.validation.validator import validate
from knowledge.validation.verdict import FaultCode
from knowledge.versions.routing_policy import Bounds
from tests.support.answering import counting_handles, make_context, make_passage

pytestmark = pytest.mark.unit

RULE = "茶壶可以在九天内退回。"
FREIGHT = "退货的运费由买家承担。"
RETURNS = make_passage(f"{RULE}{FREIGHT}退货要填写申请表。", document="returns")
BOTH = (("h1", RULE), ("h1", FREIGHT))


def brief_for(*parts: str, uncovered: tuple[int, ...] = ()) -> Brief:
    context = make_context(RETURNS, question="".join(parts))
    evidence = tuple(
        PartEvidence(
            question_part=part,
            searched=part,
            found=() if number in uncovered else context.found,
            conditional=False,
        )
        for number, part in enumerate(parts, start=1)
    )
    return make_brief("".join(parts), language="zh", context=context, evidence=evidence, new_handle=counting_handles())


def head(*quotes: tuple[str, str], **more: object) -> str:
    listed = [{"handle": handle, "quote": quote} for handle, quote in quotes]
    return json.dumps({"decision": "answer", "quotes": listed, **more}, ensure_ascii=False)


ONE = brief_for("茶壶几天内可以退？")
TWO = brief_for("茶壶几天内可以退？", "运费谁承担？")
HALF = brief_for("茶壶几天内可以退？", "能刻字吗？", uncovered=(2,))


def read(reply: str, brief: Brief = ONE, finish_reason: str | None = "stop") -> Draft:
    return read_reply(reply, brief=brief, finish_reason=finish_reason)


def faults_of(draft: Draft, brief: Brief = ONE) -> set[FaultCode]:
    verdict = validate(draft, brief=brief, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)
    return {fault.code for fault in verdict.faults}


def shown(draft: Draft, brief: Brief) -> str:
    verdict = validate(draft, brief=brief, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)
    assert verdict.answer is not None, verdict.faults
    return verdict.answer.text


def test_an_honest_reply_passes_whole() -> None:
    draft = read(f"{head(('h1', RULE))}\n九天之内，您可以退回茶壶。[h1]\n")

    assert shown(draft, ONE) == "九天之内，您可以退回茶壶。"


def test_citations_are_numbered_by_first_use() -> None:
    draft = read(f"{head(*BOTH)}\n运费由买家承担。 [h1/2]\n{RULE}[h1/1]")

    assert draft.citations == (DraftCitation("h1", FREIGHT), DraftCitation("h1", RULE))
    assert [part.citations for part in draft.parts] == [(1,), (2,)]
    assert faults_of(draft) == set()


def test_a_handle_without_a_number_means_all_its_quotes() -> None:
    draft = read(f"{head(*BOTH)}\n茶壶可以在九天内退回，运费由买家承担。[h1]")

    assert [part.citations for part in draft.parts] == [(1, 2)]


def test_parts_stand_in_the_order_of_the_question() -> None:
    draft = read(f"{head(*BOTH)}\n# 2\n{FREIGHT}[h1/2]\n# 1\n{RULE}[h1/1]", TWO)

    assert shown(draft, TWO) == f"关于“茶壶几天内可以退？”：\n{RULE}\n关于“运费谁承担？”：\n{FREIGHT}"


def test_a_part_the_gate_left_uncovered_is_marked_by_us() -> None:
    draft = read(f"{head(('h1', RULE))}\n# 1\n{RULE}[h1]", HALF)

    assert "关于“能刻字吗？”，我们没有找到足以回答的依据。" in shown(draft, HALF)


def test_a_part_the_model_finds_uncovered_is_marked_by_us() -> None:
    draft = read(f"{head(('h1', RULE), not_covered=[2])}\n# 1\n{RULE}[h1]", TWO)

    assert "关于“运费谁承担？”，我们没有找到足以回答的依据。" in shown(draft, TWO)


def test_a_refusal_is_a_head_alone() -> None:
    reply = json.dumps({"decision": "refuse", "reason": "NO_AUTHORIZED_EVIDENCE"})

    assert read(reply).refusal is RefusalReason.NO_AUTHORIZED_EVIDENCE
    assert read(f"{reply}\n抱歉。").refusal is None
    assert FaultCode.TRAILING_TEXT in faults_of(read(f"{reply}\n抱歉。"))


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("", FaultCode.EMPTY_STREAM),
        ("  \n ", FaultCode.EMPTY_STREAM),
        (f"{RULE}[h1]", FaultCode.NO_HEAD),
        (f"好的！{head(('h1', RULE))}\n{RULE}[h1]", FaultCode.NO_HEAD),
        (f"```json\n{head(('h1', RULE))}\n```\n{RULE}[h1]", FaultCode.NO_HEAD),
        (head(("h1", RULE))[:-9], FaultCode.HEAD_MALFORMED),
        ('{"decision": "answer", "quotes": []}', FaultCode.HEAD_MALFORMED),
        ('{"decision": "perhaps"}', FaultCode.HEAD_MALFORMED),
        ('{"decision": "refuse", "reason": "I would rather not"}', FaultCode.HEAD_MALFORMED),
        (head(("h1", RULE), mood="good"), FaultCode.HEAD_MALFORMED),
        (head(("h1", RULE + "\0")), FaultCode.HEAD_MALFORMED),
        (head(("h1", RULE)).replace("九", "\\ud800"), FaultCode.HEAD_MALFORMED),
        ("{" * 20_000, FaultCode.HEAD_MALFORMED),
        ('{"a":' * 20_000, FaultCode.HEAD_MALFORMED),
        (head(("h1", RULE)), FaultCode.EMPTY_DRAFT),
        (f"{head(('h1', RULE))}\n{RULE}[h1]\n希望对您有帮助！", FaultCode.TRAILING_TEXT),
        (f"{head(('h1', RULE))}\n{RULE}[h1] 希望对您有帮助！", FaultCode.TRAILING_TEXT),
        (f"{head(('h1', RULE))}\n您好。\n{RULE}[h1]", FaultCode.UNCITED_CLAIM),
        (f"{head(('h1', RULE))}\n{RULE}[h2]", FaultCode.UNKNOWN_CITATION),
        (f"{head(('h9', RULE))}\n{RULE}[h9]", FaultCode.UNKNOWN_CITATION),
        (f"{head(('h1', RULE))}\n{RULE}[h1/2]", FaultCode.UNKNOWN_CITATION),
        (f"{head(('h1', RULE))}\n{RULE}[h1/{'9' * 5000}]", FaultCode.UNKNOWN_CITATION),
        (f"{head(('h1', RULE))}\n{RULE}[h1, h1]", FaultCode.DUPLICATE_CITATION),
        (f"{head(('h1', RULE), ('h1', RULE))}\n{RULE}[h1]", FaultCode.DUPLICATE_CITATION),
        (f"{head(*BOTH)}\n{RULE}[h1/1]", FaultCode.UNUSED_CITATION),
        (f"{head(('h1', RULE))}\n{RULE}[h1]{RULE}[h1]", FaultCode.MARKUP_IN_TEXT),
        (f"{head(('h1', RULE))}\n[h1]", FaultCode.EMPTY_DRAFT),
        (f"{head(('h1', RULE), not_covered=[1])}\n{RULE}[h1]", FaultCode.HEAD_AND_TEXT_DIFFER),
        (f"{head(('h1', RULE))}\n# 7\n{RULE}[h1]", FaultCode.PART_UNANSWERED),
    ],
)
def test_a_departure_from_the_form_is_a_fault(reply: str, code: FaultCode) -> None:
    assert code in faults_of(read(reply))


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (f"{RULE}[h1]", FaultCode.NO_HEAD),
        (head(("h1", RULE))[:-9], FaultCode.HEAD_MALFORMED),
        (f"{head(('h1', RULE))}\n{RULE}[h1] 希望对您有帮助！", FaultCode.TRAILING_TEXT),
    ],
)
def test_what_was_read_no_further_than_its_fault_is_not_said_to_state_nothing(reply: str, code: FaultCode) -> None:
    assert faults_of(read(reply)) == {code}


def test_text_for_a_part_the_gate_refused_is_a_fault() -> None:
    draft = read(f"{head(*BOTH)}\n# 1\n{RULE}[h1/1]\n# 2\n{FREIGHT}[h1/2]", HALF)

    assert FaultCode.HEAD_AND_TEXT_DIFFER in faults_of(draft, HALF)


def test_a_part_that_is_neither_answered_nor_marked_is_a_fault() -> None:
    draft = read(f"{head(('h1', RULE))}\n# 1\n{RULE}[h1]", TWO)

    assert FaultCode.PART_UNANSWERED in faults_of(draft, TWO)


@pytest.mark.parametrize("finish_reason", ["length", "content_filter", None])
def test_a_reply_that_was_cut_short_is_a_fault(finish_reason: str | None) -> None:
    draft = read(f"{head(('h1', RULE))}\n{RULE}[h1]", finish_reason=finish_reason)

    assert FaultCode.TRUNCATED in faults_of(draft)


def test_every_deviation_is_a_fault_of_the_same_name() -> None:
    assert {FaultCode(code).value for code in DeviationCode} == {code.value for code in DeviationCode}


@given(cut=st.integers(min_value=0, max_value=400))
def test_a_reply_cut_anywhere_is_never_shown_differently(cut: int) -> None:
    whole = f"{head(*BOTH)}\n# 1\n{RULE}[h1/1]\n# 2\n{FREIGHT}[h1/2]"
    draft = read(whole[:cut], TWO)
    verdict = validate(draft, brief=TWO, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)

    assert verdict.answer is None or cut >= len(whole)


@given(cut=st.integers(min_value=0, max_value=200))
def test_a_head_is_read_as_soon_as_it_is_whole(cut: int) -> None:
    whole = head(("h1", RULE))

    found = read_head(whole[:cut])

    assert isinstance(found, Head) == (cut >= len(whole))


@given(st.text(max_size=300), st.sampled_from(["stop", "length", None]))
def test_any_text_at_all_is_read_without_an_exception(reply: str, finish_reason: str | None) -> None:
    for text in (reply, f"{head(('h1', RULE))}\n{reply}"):
        draft = read(text, finish_reason=finish_reason)
        verdict = validate(draft, brief=ONE, bounds=Bounds(), claim_overlap=0.2, templates=TEMPLATES)
        assert verdict.answer is None or all(part.citations for part in verdict.answer.parts)


def test_a_head_alone_has_no_sentence() -> None:
    found = read_head(head(("h1", RULE)))

    assert isinstance(found, Head)
    assert head_only("raw", found).parts == ()


def test_a_context_without_passages_is_read_all_the_same() -> None:
    empty = replace(ONE, context=PolicyContext(version=7, found=(), candidates=(), term_idf={}), handles=())

    assert FaultCode.UNKNOWN_CITATION in faults_of(read(f"{head(('h1', RULE))}\n{RULE}[h1]"), empty)
