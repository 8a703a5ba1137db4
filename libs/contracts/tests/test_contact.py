import pytest

from contracts.contact import is_address, is_name

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text", ["li@home.example", "li.xl+1@home.example", "9@a-b.example", f"{'l' * 64}@home.example"]
)
def test_mail_may_be_sent_to_a_plain_address(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a@b",
        "li@-home.example",
        "li@home-.example",
        "li@home.-example",
        "li@home..example",
        "li@home.example.",
        "li@home.example\n",
        "li@home.example, boss@home.example",
        '"<script>"@home.example',
        "+1+1@home.example",
        "-1@home.example",
        "=1@home.example",
        f"{'l' * 65}@home.example",
        "li@" + "home." * 51 + "example",
    ],
)
def test_mail_is_sent_to_nothing_else(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize("text", ["李小龙", "Ann O'Neill-Ng", "李" * 100])
def test_a_person_may_be_named_like_that(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize(
    "text", ["", " Li", "+1+1", "-1", "=1", "@x", "Li\r\nBcc: x", "Li <b@x.example>", "\u202egnp", "李" * 101]
)
def test_nobody_is_named_like_that(text: str) -> None:
    assert not is_name(text)
