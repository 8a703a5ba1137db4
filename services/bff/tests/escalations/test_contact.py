import pytest

from bff.escalations.contact import allowed_contact, contact_of
from contracts.messages import TicketContact

pytestmark = pytest.mark.unit

CLAIMS = {"name": "李小龙", "email": "li@home.example", "phone_number": "+86 138-0013-8000"}


def test_a_tenant_that_says_nothing_lets_nothing_out() -> None:
    assert contact_of(CLAIMS, ()) is None


def test_what_the_tenant_allows_is_read_and_nothing_else() -> None:
    assert contact_of(CLAIMS, ("email",)) == TicketContact(email="li@home.example")
    assert contact_of(CLAIMS, ("name", "email", "phone")) == TicketContact(
        name="李小龙", email="li@home.example", phone="+86 138-0013-8000"
    )


def test_what_was_kept_under_a_wider_rule_does_not_outlive_it() -> None:
    kept = contact_of(CLAIMS, ("name", "email"))

    assert allowed_contact(kept, ("name",)) == TicketContact(name="李小龙")
    assert allowed_contact(kept, ()) is None
    assert allowed_contact(None, ("name",)) is None


def test_an_address_its_issuer_calls_unverified_is_left_out() -> None:
    claims = {**CLAIMS, "email_verified": False, "phone_number_verified": "false"}

    assert contact_of(claims, ("email", "phone")) is None


@pytest.mark.parametrize(
    "hostile",
    [
        {"email": "li@home.example\r\nBcc: all@home.example"},
        {"email": "li@home.example, boss@home.example"},
        {"email": '"<script>"@home.example'},
        {"email": "li@home.example\n"},
        {"email": "l" * 400 + "@home.example"},
        {"email": "li@localhost"},
        {"email": "+1+1@home.example"},
        {"email": "-1@home.example"},
        {"email": ["li@home.example"]},
        {"name": "Li\r\nX-Priority: 1"},
        {"name": "Li <boss@home.example>"},
        {"name": "=HYPERLINK(1)"},
        {"name": "{{ticket.requester.email}}"},
        {"name": "李" * 101},
        {"name": "\u202egnp.exe"},
        {"name": "   "},
        {"phone_number": "=1+1"},
        {"phone_number": "1" * 60},
        {"phone_number": "+86\n13800138000"},
        {"phone_number": 13800138000},
    ],
)
def test_what_is_not_plainly_a_name_an_address_or_a_number_is_left_out(hostile: dict[str, object]) -> None:
    assert contact_of(hostile, ("name", "email", "phone")) is None
