"""Read a message that asks for a ticket, and say exactly why one cannot be read."""

import json
from dataclasses import dataclass
from typing import Literal, cast

from pydantic import ValidationError

from contracts.messages import CreateTicket, Envelope

ParkingReason = Literal["MALFORMED", "CONFLICT"]
Receipt = Literal["new", "repeat", "other_content"]

# Row-level security needs a tenant; a message that names none is parked here, where only an operator looks.
NO_TENANT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """A message that is not retried: a person reads why."""

    tenant: str
    message_id: str
    type: str
    attempt_id: str | None
    reason: ParkingReason
    detail: str
    body: str


class UnreadableMessageError(ValueError):
    """This message cannot be read."""


def read_envelope(body: dict[str, object]) -> Envelope:
    """Read an envelope. Errors: UnreadableMessageError, naming the fields and never their content."""
    try:
        return Envelope.model_validate(body)
    except ValidationError as invalid:
        raise UnreadableMessageError(_faults(invalid)) from invalid


def read_create_ticket(envelope: Envelope) -> CreateTicket:
    """Read the order for a ticket; unknown optional fields are kept.

    Errors: UnreadableMessageError, also when envelope and order disagree about the tenant.
    """
    try:
        order = CreateTicket.model_validate(envelope.data)
    except ValidationError as invalid:
        raise UnreadableMessageError(_faults(invalid)) from invalid
    if not _is_storable(envelope.data):
        raise UnreadableMessageError("data: a text holds a NUL character or half a surrogate pair")
    if order.tenant != envelope.tenant:
        raise UnreadableMessageError("tenant: envelope and data name different tenants")
    return order


def parked(body: dict[str, object], *, reason: ParkingReason, detail: str) -> ParkedMessage:
    """Describe a message to be parked, as far as it says what it is."""
    return ParkedMessage(
        tenant=_text(body, "tenant") or NO_TENANT,
        message_id=_text(body, "id") or "unknown",
        type=_text(body, "type") or "unknown",
        attempt_id=_text(body, "attemptid"),
        reason=reason,
        detail=detail,
        body=json.dumps(body),
    )


def _text(body: dict[str, object], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) and _is_storable(value) else None


def _is_storable(value: object) -> bool:
    match value:
        case str():
            return "\x00" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
        case dict():
            return all(_is_storable(member) for member in cast("dict[str, object]", value).values())  # parsed JSON
        case list() | tuple():
            return all(_is_storable(member) for member in cast("list[object]", value))  # parsed JSON
        case _:
            return True


def _faults(invalid: ValidationError) -> str:
    errors = invalid.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in errors)
