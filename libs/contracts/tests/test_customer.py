import pytest
from pydantic import ValidationError

from contracts.customer import Ask, Feedback
from contracts.reasons import FeedbackReason


def test_helpful_needs_no_reason() -> None:
    assert Feedback.model_validate({"rating": "HELPFUL"}).reason_code is None


@pytest.mark.parametrize("reason", list(FeedbackReason))
def test_not_helpful_takes_every_reason(reason: FeedbackReason) -> None:
    assert Feedback.model_validate({"rating": "NOT_HELPFUL", "reasonCode": reason}).reason_code is reason


@pytest.mark.parametrize(
    "body",
    [
        {"rating": "NOT_HELPFUL"},
        {"rating": "NOT_HELPFUL", "reasonCode": "BECAUSE"},
        {"rating": "HELPFUL", "reasonCode": "OUTDATED"},
        {"rating": "MAYBE"},
        {"rating": "HELPFUL", "comment": "x" * 501},
        {"rating": "HELPFUL", "extra": 1},
    ],
)
def test_other_feedback_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Feedback.model_validate(body)


def test_a_comment_is_measured_in_code_points() -> None:
    assert Feedback.model_validate({"rating": "HELPFUL", "comment": "😀" * 500}).comment == "😀" * 500


def test_a_question_of_ten_thousand_characters_is_the_limit() -> None:
    assert len(Ask(question="字" * 10_000).question) == 10_000
    with pytest.raises(ValidationError):
        Ask(question="字" * 10_001)


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(ValidationError):
        Ask(question="能退吗\ud800")
