"""Know a ticket's states in our ledger, its legal moves, and what the customer is told of them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from contracts.messages import CreateTicket
from contracts.reasons import EscalationStatus


class TicketState(StrEnum):
    """Where a ticket stands between us and the helpdesk."""

    RECEIVED = "RECEIVED"
    CREATING = "CREATING"
    CREATED = "CREATED"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    RETRYING = "RETRYING"
    NEEDS_ATTENTION = "NEEDS_ATTENTION"
    CONFLICT = "CONFLICT"


# CREATING leads to itself when a lease expires and another worker takes the ticket over.
LEGAL_MOVES: Final[Mapping[TicketState, frozenset[TicketState]]] = {
    TicketState.RECEIVED: frozenset({TicketState.CREATING}),
    TicketState.CREATING: frozenset(set(TicketState) - {TicketState.RECEIVED}),
    TicketState.CREATED: frozenset(),
    TicketState.OUTCOME_UNKNOWN: frozenset({TicketState.CREATING}),
    TicketState.RETRYING: frozenset({TicketState.CREATING}),
    TicketState.NEEDS_ATTENTION: frozenset(),
    TicketState.CONFLICT: frozenset(),
}

_RANK: Final[Mapping[EscalationStatus, int]] = {
    "REQUESTED": 0,
    "DELAYED": 1,
    "TICKET_CREATED": 2,
    "IN_PROGRESS": 3,
    "SOLVED": 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTicket:
    """A ticket this worker holds a lease on. `fence` is the token of the lease; a higher one ends it.

    `found` is the state it was in when it was taken; CREATING means that another holder vanished.
    `tries` counts this one; `absences` counts the lookups that found nothing.
    """

    ticket_id: UUID
    found: TicketState
    fence: int
    tries: int
    absences: int
    content: CreateTicket


def takeable_states() -> tuple[TicketState, ...]:
    """List the states from which a worker may take a ticket up."""
    return tuple(state for state, following in LEGAL_MOVES.items() if TicketState.CREATING in following)


def status_of(state: TicketState) -> EscalationStatus:
    """Say what a state means to the customer."""
    match state:
        case TicketState.CREATED:
            return "TICKET_CREATED"
        case TicketState.RECEIVED | TicketState.CREATING:
            return "REQUESTED"
        case _:
            return "DELAYED"


def is_news(current: EscalationStatus, reported: EscalationStatus) -> bool:
    """Tell whether a report moves the customer's status forward; a late one never moves it back."""
    return _RANK[reported] > _RANK[current]


def content_hash(body: Mapping[str, object]) -> str:
    """Fingerprint a message body, whatever the order of its fields."""
    canonical = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
