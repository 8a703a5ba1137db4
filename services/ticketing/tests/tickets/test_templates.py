from typing import Any

import pytest
from pydantic import ValidationError

from ticketing.tickets.templates import BUILT_IN, TemplateFile

pytestmark = pytest.mark.unit


def test_what_a_tenant_does_not_say_is_built_in() -> None:
    template = TemplateFile.model_validate({"en": {"headings": {"answer": "What we said"}}}).template("en")

    assert template.headings.answer == "What we said"
    assert template.headings.question == BUILT_IN["en"].headings.question
    assert TemplateFile().template("zh") == BUILT_IN["zh"]


@pytest.mark.parametrize(
    "said",
    [
        {"zh": {"sections": ["question"]}},
        {"zh": {"sections": ["question", "origin", "origin"]}},
        {"zh": {"sections": ["question", "origin", "secret"]}},
        {"zh": {"headings": {"greeting": "您好"}}},
        {"zh": {"headings": {"subject": "=1+1"}}},
        {"zh": {"headings": {"subject": "退货\nBcc: x"}}},
        {"zh": {"headings": {"subject": "长" * 61}}},
        {"fr": {}},
    ],
    ids=str,
)
def test_a_template_that_would_lose_or_break_something_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TemplateFile.model_validate(said)
