import pytest

from contracts.reasons import EscalationStatus
from ticketing.tickets.ticket import LEGAL_MOVES, TicketState, content_hash, is_news, status_of, takeable_states

pytestmark = pytest.mark.unit


def test_every_state_has_its_legal_moves() -> None:
    assert set(LEGAL_MOVES) == set(TicketState)


def test_final_states_cannot_be_taken_up() -> None:
    assert set(takeable_states()) == {
        TicketState.RECEIVED,
        TicketState.CREATING,
        TicketState.OUTCOME_UNKNOWN,
        TicketState.RETRYING,
    }


@pytest.mark.parametrize(
    ("current", "reported", "news"),
    [
        ("REQUESTED", "DELAYED", True),
        ("DELAYED", "TICKET_CREATED", True),
        ("TICKET_CREATED", "DELAYED", False),
        ("TICKET_CREATED", "SOLVED", True),
        ("SOLVED", "IN_PROGRESS", False),
        ("SOLVED", "SOLVED", False),
    ],
)
def test_a_status_only_moves_forward(current: EscalationStatus, reported: EscalationStatus, *, news: bool) -> None:
    assert is_news(current, reported) is news


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (TicketState.RECEIVED, "REQUESTED"),
        (TicketState.CREATING, "REQUESTED"),
        (TicketState.CREATED, "TICKET_CREATED"),
        (TicketState.RETRYING, "DELAYED"),
        (TicketState.OUTCOME_UNKNOWN, "DELAYED"),
        (TicketState.NEEDS_ATTENTION, "DELAYED"),
        (TicketState.CONFLICT, "DELAYED"),
    ],
)
def test_what_a_state_means_to_the_customer(state: TicketState, status: EscalationStatus) -> None:
    assert status_of(state) == status


def test_a_fingerprint_does_not_depend_on_the_order_of_fields() -> None:
    assert content_hash({"a": 1, "b": {"c": "退", "d": None}}) == content_hash({"b": {"d": None, "c": "退"}, "a": 1})


def test_a_fingerprint_depends_on_the_content() -> None:
    assert content_hash({"a": 1}) != content_hash({"a": 2})
