import pytest

from contracts.messages import CreateTicket, Envelope
from contracts.reading import UnreadableMessageError, read_data, read_envelope
from services.ticketing.tests.fakes import message, order
from ticketing.tickets.receiving import Addressee, addressee_of

pytestmark = pytest.mark.unit


def _envelope(**extra: object) -> Envelope:
    return read_envelope(message(order("t"), extra=extra))


def test_unknown_optional_fields_are_kept() -> None:
    read = read_data(CreateTicket, _envelope(customer_mood="calm"))

    assert read.model_extra == {"customer_mood": "calm"}


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ({"question": None}, "question"),
        ({"priority": "panic"}, "priority"),
        ({"tenant": "another"}, "tenant"),
        ({"note": "a\x00b"}, "NUL"),
        ({"note": "a\ud800b"}, "surrogate"),
    ],
)
def test_what_cannot_be_read_is_named(extra: dict[str, object], named: str) -> None:
    with pytest.raises(UnreadableMessageError, match=named):
        read_data(CreateTicket, _envelope(**extra))


def test_a_fault_never_repeats_the_content() -> None:
    with pytest.raises(UnreadableMessageError) as caught:
        read_data(CreateTicket, _envelope(priority="my card is 4111"))

    assert "4111" not in str(caught.value)


@pytest.mark.parametrize(
    "spelling", [("ticket_key", "escalation_id", "attempt_id"), ("ticketKey", "escalationId", "attemptId")]
)
def test_an_order_that_cannot_be_followed_still_says_whose_it_is(spelling: tuple[str, ...]) -> None:
    data = dict(zip(spelling, ("key-1", "esc_1", "att_1"), strict=True))

    assert addressee_of({"data": data}) == Addressee(ticket_key="key-1", escalation_id="esc_1", attempt_id="att_1")


@pytest.mark.parametrize("data", [None, {}, {"ticket_key": 7}, {"ticket_key": "k" * 201}])
def test_an_order_without_names_that_could_be_looked_up_is_nobodys(data: dict[str, object] | None) -> None:
    known = {"escalation_id": "esc_1", "attempt_id": "att_1"}

    assert addressee_of({"data": None if data is None else known | data}) is None
