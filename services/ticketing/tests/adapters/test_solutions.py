import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.adapters.solutions import plain_solution

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("said", "is_html", "read"),
    [
        ("已退款。\r\n\r\n请查收。", False, "已退款。\n请查收。"),
        (
            "<p>We <b>refunded</b> it.</p><div>See&nbsp;you<br>soon</div><script>x()</script>",
            True,
            "We refunded it.\nSee you\nsoon",
        ),
        ("a < b", False, "a < b"),
        ("  \x00\u202e ", False, None),
        ("<p> </p>", True, None),
        (None, True, None),
    ],
)
def test_a_solution_is_plain_text(said: str | None, *, is_html: bool, read: str | None) -> None:
    assert plain_solution(said, is_html=is_html) == read


@given(st.text(max_size=300), st.booleans())
def test_any_text_is_short_and_has_no_control_character(said: str, is_html: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    read = plain_solution(said * 40, is_html=is_html)

    assert read is None or (0 < len(read) <= 4_000 and "\x00" not in read)
