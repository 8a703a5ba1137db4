from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bff.attempts.asking import AttemptPendingError, check_as_of, detected_language
from bff.attempts.attempt import Completed, Failed, Turn
from bff.attempts.failures import failed, failure_of, failure_sentence
from bff.attempts.handoff import with_raised_handoff
from bff.attempts.retrying import RetryLimitError, check_retry, retried_as_of
from bff.attempts.view import attempt_view
from contracts.answers import Suggestion
from contracts.errors import InvalidRequestError
from contracts.reasons import RETRYABLE_FAILURES, FailureCode, Handoff, Language
from services.bff.tests.attempts.making import make_answer, make_attempt, make_refusal

pytestmark = pytest.mark.unit

TODAY = date(2026, 11, 29)
ATTEMPT = make_attempt()
REFUSED = Turn(question="?", refused=True, failure_code=None)
ANSWERED = Turn(question="?", refused=False, failure_code=None)
BROKEN = Turn(question="?", refused=False, failure_code=FailureCode.KNOWLEDGE_ERROR)
LATE = Turn(question="?", refused=False, failure_code=FailureCode.KNOWLEDGE_TIMEOUT)
CANCELLED = Turn(question="?", refused=False, failure_code=FailureCode.CANCELLED)
RANK: dict[Handoff, int] = {"none": 0, "offered": 1, "required": 2}


def suggested(result: Completed | Failed) -> list[str]:
    assert isinstance(result, Completed)
    return [suggestion.question for suggestion in result.outcome.suggestions]


def handoff_of(result: Completed | Failed) -> Handoff:
    return result.handoff if isinstance(result, Failed) else result.outcome.handoff


@pytest.mark.parametrize(
    ("result", "history", "handoff"),
    [
        (make_refusal(), (), "offered"),
        (make_refusal(), (REFUSED,), "required"),
        (make_refusal(), (ANSWERED, REFUSED), "offered"),
        (make_refusal("required"), (REFUSED,), "required"),
        (make_refusal("none"), (REFUSED,), "offered"),
        (make_answer(), (REFUSED, REFUSED), "none"),
        (make_answer(), (BROKEN, BROKEN), "offered"),
        (make_answer(), (BROKEN, LATE), "none"),
        (make_answer(), (CANCELLED, CANCELLED), "none"),
        (failed(failure_of(FailureCode.KNOWLEDGE_ERROR)), (BROKEN,), "offered"),
        (failed(failure_of(FailureCode.KNOWLEDGE_ERROR)), (LATE,), "none"),
        (failed(failure_of(FailureCode.KNOWLEDGE_ERROR)), (REFUSED,), "none"),
        (failed(failure_of(FailureCode.CANCELLED)), (CANCELLED,), "none"),
    ],
)
def test_the_handoff_rises_after_two_of_a_kind(
    result: Completed | Failed, history: tuple[Turn, ...], handoff: Handoff
) -> None:
    assert handoff_of(with_raised_handoff(result, ATTEMPT, history)) == handoff


@given(
    result=st.sampled_from([make_refusal(), make_answer(), failed(failure_of(FailureCode.INTERNAL))]),
    history=st.lists(st.sampled_from([REFUSED, ANSWERED, BROKEN, LATE, CANCELLED]), max_size=5).map(tuple),
)
def test_the_handoff_is_never_lowered_and_rises_by_one_step(
    result: Completed | Failed, history: tuple[Turn, ...]
) -> None:
    raised = with_raised_handoff(result, ATTEMPT, history)

    assert RANK[handoff_of(raised)] - RANK[handoff_of(result)] in (0, 1)


@pytest.mark.parametrize(
    ("question", "language", "asked"),
    [
        ("能退吗？", "zh", ["我要转人工客服。"]),
        ("能退吗？ 运费谁承担？", "zh", ["能退吗？", "运费谁承担？", "我要转人工客服。"]),
        ("买错了。能退吗？能退吗？", "zh", ["我要转人工客服。"]),
        ("1?2?3?4?", "en", ["I want to talk to a person."]),
        ("Refund? Who pays?", "en", ["Refund?", "Who pays?", "I want to talk to a person."]),
        ("投诉", "zh", ["我要转人工客服。"]),
    ],
)
def test_after_the_same_end_twice_there_is_a_way_on(question: str, language: Language, asked: list[str]) -> None:
    attempt = make_attempt(question=question, language=language)
    twice_failed = make_attempt(
        question=question, language=language, status="FAILED", failure_code=FailureCode.INTERNAL, handoff="offered"
    )

    assert suggested(with_raised_handoff(make_refusal(), attempt, (REFUSED,))) == asked
    assert [each.question for each in attempt_view(twice_failed, None).suggestions] == asked


def test_what_knowledge_suggests_stays_and_an_answer_needs_nothing_more() -> None:
    known = Suggestion(label="退货", question="退货怎么规定的？", facts={})
    refusal = make_refusal()
    outcome = refusal.outcome.model_copy(update={"suggestions": (known,)})

    raised = with_raised_handoff(replace(refusal, outcome=outcome), ATTEMPT, (REFUSED,))

    assert suggested(raised) == [known.question]
    assert suggested(with_raised_handoff(make_refusal(), ATTEMPT, ())) == []
    assert suggested(with_raised_handoff(make_answer(), ATTEMPT, (BROKEN, BROKEN))) == []
    assert attempt_view(make_attempt(status="FAILED", failure_code=FailureCode.INTERNAL), None).suggestions == ()


@pytest.mark.parametrize("code", FailureCode)
def test_every_failure_has_a_sentence_and_knows_whether_to_try_again(code: FailureCode) -> None:
    end = failed(failure_of(code))

    assert (end.code, end.retryable) == (code, code in RETRYABLE_FAILURES)
    assert failure_sentence(code, "en").endswith(".")
    assert failure_sentence(code, "zh").endswith("。")


@pytest.mark.parametrize(
    ("text", "language"),
    [("退款", "zh"), ("refund 退", "zh"), ("㐀", "zh"), ("𠮷", "zh"), ("refund", "en"), ("😀", "en"), ("", "en")],
)
def test_any_han_character_makes_a_question_chinese(text: str, language: str) -> None:
    assert detected_language(text) == language


@pytest.mark.parametrize(
    ("as_of", "past_dates", "expected"),
    [
        (None, False, TODAY),
        (TODAY, False, TODAY),
        (date(2026, 1, 1), True, date(2026, 1, 1)),
        (date(2026, 1, 1), False, None),
        (date(2026, 11, 30), False, None),
        (date(2026, 11, 30), True, None),
    ],
)
def test_the_day_asked_about_is_never_later_than_today(
    *, as_of: date | None, past_dates: bool, expected: date | None
) -> None:
    if expected is None:
        with pytest.raises(InvalidRequestError, match="asOf"):
            check_as_of(as_of, today=TODAY, past_dates=past_dates)
    else:
        assert check_as_of(as_of, today=TODAY, past_dates=past_dates) == expected


def test_a_retry_needs_an_end_and_has_a_limit() -> None:
    ended = make_attempt(status="COMPLETED")

    check_retry(ended, retries=2)
    with pytest.raises(RetryLimitError):
        check_retry(ended, retries=3)
    with pytest.raises(AttemptPendingError):
        check_retry(make_attempt(), retries=0)


def test_a_retry_asks_about_its_own_today_but_keeps_an_explicit_day() -> None:
    asked_on, today = date(2026, 11, 28), date(2026, 11, 29)

    assert retried_as_of(make_attempt(as_of=asked_on), asked_on=asked_on, today=today) == today
    assert retried_as_of(make_attempt(as_of=date(2026, 1, 1)), asked_on=asked_on, today=today) == date(2026, 1, 1)


def test_a_failed_attempt_shows_no_text() -> None:
    shown = attempt_view(make_attempt(status="FAILED", failure_code=FailureCode.INTERNAL), None)

    assert (shown.answer, shown.parts, shown.citations, shown.coverage) == (None, (), (), None)
    assert (shown.failure_code, shown.retryable, shown.refused) == (FailureCode.INTERNAL, True, False)
