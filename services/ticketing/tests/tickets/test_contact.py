import pytest

from contracts.messages import TicketContact
from services.ticketing.tests.fakes import order
from ticketing.tickets.contact import Requester, requester_of

pytestmark = pytest.mark.unit


def _asks(contact: TicketContact | None) -> Requester | None:
    return requester_of(order("shop").model_copy(update={"contact": contact}))


def test_whoever_is_plainly_named_and_addressed_asks() -> None:
    asks = _asks(TicketContact(name="李小龙", email="li.xl+1@home.example"))

    assert asks == Requester(email="li.xl+1@home.example", name="李小龙")


@pytest.mark.parametrize("name", [None, "", "+1+1", "-1", "=1", "@x", "Li\r\nBcc: x", "Li <b@x.example>", "李" * 101])
def test_a_name_that_is_none_is_left_out(name: str | None) -> None:
    assert _asks(TicketContact(name=name, email="li@home.example")) == Requester(email="li@home.example", name=None)


@pytest.mark.parametrize("email", [None, "", "+1+1@x.example", "-1@x.example", "=1@x.example", "a@b", "a@x.example\n"])
def test_nobody_asks_whose_address_is_none(email: str | None) -> None:
    assert _asks(TicketContact(name="李小龙", email=email)) is None
    assert _asks(None) is None
