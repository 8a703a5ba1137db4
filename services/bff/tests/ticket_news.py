"""What ticketing says to bff, as it arrives."""

from datetime import UTC, datetime

from contracts.ids import uuid7
from contracts.messages import TICKET_CHANGED, Envelope

_ATTEMPT = "att_" + "1" * 32


def message(
    tenant: str, data: dict[str, object], *, kind: str = TICKET_CHANGED, attempt_id: str = _ATTEMPT
) -> dict[str, object]:
    """Give the body of a message."""
    envelope = Envelope(
        id=str(uuid7()),
        source="ticketing",
        type=kind,
        subject="key",
        time=datetime.now(UTC),
        tenant=tenant,
        attemptid=attempt_id,
        data=data,
    )
    return envelope.model_dump(mode="json")


def change(tenant: str, **more: object) -> dict[str, object]:
    """Give what a TicketChanged says; its escalation is nobody's."""
    return {
        "tenant": tenant,
        "ticketKey": "key",
        "escalationId": "esc_" + "0" * 32,
        "attemptId": _ATTEMPT,
        "ticketNumber": None,
        "status": "SOLVED",
        "sequence": 1,
        "changedAt": "2026-03-01T09:30:00Z",
        **more,
    }
