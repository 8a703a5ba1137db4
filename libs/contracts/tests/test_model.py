import pytest
from pydantic import BaseModel, ValidationError

from contracts.customer import Ask, Feedback
from contracts.messages import TranscriptTurn

SECRET = "what a customer wrote"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (Ask, {"question": [SECRET]}),
        (Feedback, {"rating": "HELPFUL", "reasonCode": None, "comment": [SECRET]}),
        (TranscriptTurn, {"question": SECRET}),
    ],
)
def test_an_error_does_not_repeat_what_was_given(kind: type[BaseModel], body: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.model_validate(body)

    assert SECRET not in str(refused.value)
