"""What names a row is short enough for an index; all else may be long."""

from datetime import UTC, datetime

import pytest

from contracts.messages import ACKNOWLEDGED, CUSTOMER_ERASED, Acknowledged, CustomerErased, Envelope
from contracts.reading import LONGEST_KEY, UnreadableMessageError, read_data, read_envelope

pytestmark = pytest.mark.unit

LONG = "k" * (LONGEST_KEY + 1)


def _envelope(**fields: object) -> dict[str, object]:
    body = Envelope(
        id="m",
        source="bff",
        type=ACKNOWLEDGED,
        subject="s" * 5_000,
        time=datetime(2026, 3, 1, tzinfo=UTC),
        tenant="shop",
        attemptid="att_1",
        data={"messageId": "m"},
    )
    return body.model_dump(mode="json") | fields


@pytest.mark.parametrize("name", ["id", "tenant", "attemptid"])
def test_an_envelope_whose_names_are_too_long_for_a_row_cannot_be_read(name: str) -> None:
    read_envelope(_envelope(**{name: LONG[1:]}))

    with pytest.raises(UnreadableMessageError, match=f"^{name}: longer than 200 characters$"):
        read_envelope(_envelope(**{name: LONG}))


def test_neither_can_data_that_names_a_row_too_long() -> None:
    erased = {"tenant": "shop", "customer": None, "attempt_ids": ["att_1", LONG], "erased_at": "2026-03-01T00:00:00Z"}

    with pytest.raises(UnreadableMessageError, match="attempt_ids: longer"):
        read_data(CustomerErased, read_envelope(_envelope(type=CUSTOMER_ERASED, data=erased)))
    with pytest.raises(UnreadableMessageError, match="message_id: longer"):
        read_data(Acknowledged, read_envelope(_envelope(data={"messageId": LONG})))


def test_what_a_newer_sender_adds_may_be_anything() -> None:
    said = read_data(Acknowledged, read_envelope(_envelope(data={"messageId": "m", "ticket_key": ["a", LONG, 7]})))

    assert said.message_id == "m"
