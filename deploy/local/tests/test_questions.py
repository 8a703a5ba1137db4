"""In the terminal an answer, a refusal and a failure look different and end with different statuses."""

from datetime import UTC, date, datetime

import pytest

from contracts.reasons import FailureCode, RefusalReason
from youju.commands.questions import follow
from youju.trouble import Trouble
from youju_client.bodies import CitationView, Part, Suggestion
from youju_client.events import CompletedEvent, DeltaEvent, ErrorEvent, Event, HeartbeatEvent, MetadataEvent

pytestmark = pytest.mark.unit

_CITED = CitationView(
    index=1,
    title="Returns",
    section="Deadline",
    revision="2026-07",
    effective_from=date(2026, 7, 1),
    effective_to=None,
    updated_at=datetime(2026, 7, 1, tzinfo=UTC),
    quote="Within fifteen days.",
    detail_url="/v1/detail",
    source_url=None,
)
_OPENING: tuple[Event, ...] = (
    MetadataEvent(trace_id="t", knowledge_version=1, as_of=date(2026, 8, 1), language="en"),
    HeartbeatEvent(),
)
_CHINESE: tuple[Event, ...] = (MetadataEvent(trace_id="t", knowledge_version=1, as_of=date(2026, 8, 1), language="zh"),)
_DELTA = DeltaEvent(kind="statement", text="Within fifteen days.", citations=(1,), new_citations=(_CITED,))
_ANSWER = CompletedEvent(
    answer="Within fifteen days.",
    parts=(Part(kind="statement", text="Within fifteen days.", citations=(1,), question_part=None),),
    coverage="full",
    refused=False,
    refusal_reason=None,
    reason_code=None,
    missing_facts=(),
    handoff="none",
    suggestions=(),
)
_REFUSAL = _ANSWER.model_copy(
    update={
        "answer": "",
        "parts": (),
        "coverage": "none",
        "refused": True,
        "refusal_reason": "We need to know the order's status.",
        "reason_code": RefusalReason.MISSING_BUSINESS_FACT,
        "missing_facts": ("order_status",),
        "handoff": "offered",
        "suggestions": (Suggestion(label="Shipped", question="Can I return a shipped order?", facts={}),),
    }
)


def test_an_answer_is_printed_with_marks_and_its_citations_below(capsys: pytest.CaptureFixture[str]) -> None:
    status = follow([*_OPENING, _DELTA, _ANSWER])

    assert status == 0
    assert capsys.readouterr().out.splitlines() == [
        "Within fifteen days. [1]",
        "",
        "[1] Returns · Deadline · 2026-07, in force from 2026-07-01",
        "    “Within fifteen days.”",
    ]


def test_a_refusal_names_what_is_missing_and_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    said = DeltaEvent(kind="template", text="We need to know the order's status.", citations=(), new_citations=())

    status = follow([*_OPENING, said, _REFUSAL])

    assert status == 3
    assert capsys.readouterr().out.splitlines() == [
        "— We need to know the order's status.",
        "  reason: MISSING_BUSINESS_FACT",
        "  missing: order_status",
        "  try: Shipped: Can I return a shipped order?",
        "  You can ask for a person.",
    ]


def test_a_question_in_chinese_is_answered_in_chinese_throughout(capsys: pytest.CaptureFixture[str]) -> None:
    until = _CITED.model_copy(update={"title": "退货", "section": "期限", "effective_to": date(2026, 12, 31)})
    delta = DeltaEvent(kind="statement", text="十五天内可以退货。", citations=(1,), new_citations=(until,))

    assert follow([*_CHINESE, delta, _ANSWER]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "[1] 退货 · 期限 · 2026-07，2026-07-01 起生效，有效至 2026-12-31"


def test_a_refusal_in_chinese_has_no_english_label(capsys: pytest.CaptureFixture[str]) -> None:
    spoken = Suggestion(label="已发货", question="已发货还能退吗？", facts={})
    refused = _REFUSAL.model_copy(update={"refusal_reason": "需要知道订单状态。", "suggestions": (spoken,)})

    follow([*_CHINESE, refused])

    assert capsys.readouterr().out.splitlines() == [
        "— 需要知道订单状态。",
        "  原因：MISSING_BUSINESS_FACT",
        "  还缺少：order_status",
        "  可以试试：已发货：已发货还能退吗？",
        "  可以转人工客服。",
    ]


def test_a_failure_in_chinese_takes_back_in_chinese() -> None:
    with pytest.raises(Trouble, match="请再问一次") as failed:
        follow([*_CHINESE, _DELTA])

    assert failed.value.details == ("上面显示的内容都不算回答。",)


def test_a_failure_takes_back_what_was_printed() -> None:
    error = ErrorEvent(code=FailureCode.KNOWLEDGE_TIMEOUT, message="It took too long.", retryable=True, trace_id="t")

    with pytest.raises(Trouble, match="It took too long") as failed:
        follow([*_OPENING, _DELTA, error])

    assert failed.value.details == ("Nothing printed above is an answer.",)


def test_a_stream_that_ends_early_is_a_failure() -> None:
    with pytest.raises(Trouble, match="ended before the answer was complete"):
        follow([*_OPENING, _DELTA])
