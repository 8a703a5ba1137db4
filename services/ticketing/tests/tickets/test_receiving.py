from typing import Any

import pytest

from contracts.messages import CreateTicket, Envelope
from contracts.reading import NO_TENANT, UnreadableMessageError, read_data, read_envelope
from services.ticketing.tests.fakes import message, order
from ticketing.tickets.receiving import parked

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


@pytest.mark.parametrize("body", [{}, {"id": 7, "tenant": "a\x00b"}, {"specversion": "2.0"}])
def test_a_message_without_an_envelope_is_parked_without_a_tenant(body: dict[str, Any]) -> None:
    with pytest.raises(UnreadableMessageError):
        read_envelope(body)

    assert parked(body, reason="MALFORMED", detail="why").tenant == NO_TENANT
