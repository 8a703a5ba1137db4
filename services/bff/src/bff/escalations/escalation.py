"""Hold where the wish for a person stands."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from contracts import customer
from contracts.ids import printed
from contracts.reasons import EscalationStatus

Origin = Literal["customer", "rule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """An escalation as its row says. `sequence` is that of the last news from the ticket."""

    escalation_id: UUID
    tenant: str
    conversation_id: UUID
    attempt_id: UUID
    origin: Origin
    status: EscalationStatus
    ticket_number: str | None
    solution: str | None
    sequence: int
    request_hash: str | None
    created_at: datetime
    note: str | None = None


def escalation_view(escalation: Escalation) -> customer.Escalation:
    """Show an escalation to its customer."""
    return customer.Escalation(
        escalation_id=printed("esc", escalation.escalation_id),
        attempt_id=printed("att", escalation.attempt_id),
        status=escalation.status,
        ticket_number=escalation.ticket_number,
        solution=escalation.solution,
        created_at=escalation.created_at,
    )


def entity_tag(escalation: Escalation) -> str:
    """Give the strong entity tag of what the customer sees: it changes with every news from the ticket."""
    return f'"{escalation.escalation_id.hex}-{escalation.sequence}"'


def names_tag(if_none_match: str | None, tag: str) -> bool:
    """Say whether an `If-None-Match` names a tag, by weak comparison: a proxy that compresses weakens ours.

    Source: RFC 9110 section 13.1.2.
    """
    named = [each.strip().removeprefix("W/") for each in (if_none_match or "").split(",")]
    return tag in named or named == ["*"]
