"""The page of problems is the code's own list."""

import pytest

from bff.api.problems import STATUSES
from runtime.problems import STATUS
from youju.problems_page import PAGE, problems_page

pytestmark = pytest.mark.unit


def test_the_committed_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == problems_page(), "run `make openapi`"


def test_every_code_a_customer_may_meet_has_a_line_with_its_status_and_a_sentence_of_its_own() -> None:
    page = problems_page()

    for code, status in (STATUS | STATUSES).items():
        if code not in {"TRY_AGAIN", "GIVE_UP"}:
            assert f"| `{code}` | {status} | " in page
    assert "| Conflict. |" not in page
