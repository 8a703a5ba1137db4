import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from contracts.customer import Ask, EscalationRequest, Feedback
from contracts.reasons import FeedbackReason
from contracts.typed import is_typed


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


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=100).filter(str.strip))
def test_a_question_is_never_changed(text: str) -> None:
    assert Ask(question=text).question == text


@pytest.mark.parametrize("text", ["", " ", "　\n", "a\x00", "\x7f", "\x85x", "x\x1b"])
def test_blank_and_control_characters_are_no_question(text: str) -> None:
    with pytest.raises(ValidationError, match="question"):
        Ask(question=text)


@pytest.mark.parametrize("sign", [chr(code) for code in range(0x100)])
def test_all_that_customers_write_holds_what_a_person_can_type(sign: str) -> None:
    expected = unicodedata.category(sign) != "Cc" or sign in "\n\r\t"
    bodies = (
        (Ask, {"question": f"a{sign}b"}),
        (Ask, {"question": "a", "facts": {f"a{sign}": "b"}}),
        (Ask, {"question": "a", "facts": {"a": f"b{sign}"}}),
        (Feedback, {"rating": "HELPFUL", "comment": sign}),
        (EscalationRequest, {"note": sign}),
    )

    assert is_typed(sign) == expected
    for kind, body in bodies:
        if expected:
            kind.model_validate(body)
        else:
            with pytest.raises(ValidationError):
                kind.model_validate(body)
