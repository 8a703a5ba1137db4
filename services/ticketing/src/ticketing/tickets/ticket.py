"""Know a ticket's states in our ledger, its legal moves, and what the customer is told of them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from contracts.errors import ConflictError
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


# CREATING leads to itself when a lease expires and another worker takes the ticket over. Staff may requeue what
# NEEDS_ATTENTION, and attach a ticket they found or opened by hand to whatever nobody is trying right now.
LEGAL_MOVES: Final[Mapping[TicketState, frozenset[TicketState]]] = {
    TicketState.RECEIVED: frozenset({TicketState.CREATING}),
    TicketState.CREATING: frozenset(set(TicketState) - {TicketState.RECEIVED}),
    TicketState.CREATED: frozenset(),
    TicketState.OUTCOME_UNKNOWN: frozenset({TicketState.CREATING, TicketState.CREATED}),
    TicketState.RETRYING: frozenset({TicketState.CREATING, TicketState.CREATED}),
    TicketState.NEEDS_ATTENTION: frozenset({TicketState.RETRYING, TicketState.OUTCOME_UNKNOWN, TicketState.CREATED}),
    TicketState.CONFLICT: frozenset({TicketState.CREATED}),
}

_RANK: Final[Mapping[EscalationStatus, int]] = {
    "REQUESTED": 0,
    "DELAYED": 1,
    "TICKET_CREATED": 2,
    "IN_PROGRESS": 3,
    "SOLVED": 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A create whose outcome nobody knows.

    `open_for` is the age of the first create that was not answered, `quiet_for` how long none can be under way any more;
    both are measured by the clock of the database.
    """

    open_for: timedelta
    quiet_for: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTicket:
    """A ticket this worker holds a lease on. `fence` is the token of the lease; a higher one ends it.

    `question` is what an earlier try left open. `tries` counts this one and those before it, since staff last requeued the
    ticket; `absences` counts the lookups that found nothing, whoever requeued. One whose attempt `is_erased` is only looked
    for: it has no text any more.
    """

    ticket_id: UUID
    fence: int
    tries: int
    absences: int
    question: OpenQuestion | None
    content: CreateTicket
    is_erased: bool = False


class NotWaitingError(ConflictError):
    """This ticket does not wait for anybody."""


class InHandsError(ConflictError):
    """A try is under way; look again in a minute."""


def requeued_state(current: TicketState, *, is_open: bool) -> TicketState:
    """Choose where a ticket goes that staff requeue: an open question is asked before anything is created.

    Errors: NotWaitingError unless the ticket NEEDS_ATTENTION.
    """
    if current is not TicketState.NEEDS_ATTENTION:
        raise NotWaitingError
    return TicketState.OUTCOME_UNKNOWN if is_open else TicketState.RETRYING


def refuse_attaching(current: TicketState) -> None:
    """Let staff attach a ticket by hand. Errors: InHandsError during a try, NotWaitingError once there is a ticket."""
    if current in {TicketState.CREATING, TicketState.RECEIVED}:
        raise InHandsError
    if current is TicketState.CREATED:
        raise NotWaitingError


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
