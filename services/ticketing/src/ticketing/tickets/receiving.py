"""Read a message that asks for a ticket, and say exactly why one cannot be read."""

import json
from dataclasses import dataclass
from typing import Final, cast

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from contracts.messages import CreateTicket, CustomerErased, Envelope, OrderProblem

# A fault of ours or of the database may pass; a message that fails this often is put aside.
MOST_DELIVERIES: Final = 3
# Majors that may exist one day; each is a task of its own to the broker, which drops what it does not know.
FUTURE_VERSIONS: Final = tuple(f"youju.create_ticket.v{major}" for major in range(2, 10))

# Row-level security needs a tenant; a message that names none is parked here, where only an operator looks.
NO_TENANT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """Whose order a message is, as far as one that cannot be followed says so."""

    ticket_key: str
    escalation_id: str
    attempt_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """A message that is not retried: a person reads why."""

    tenant: str
    message_id: str
    type: str
    attempt_id: str | None
    addressee: Addressee | None
    reason: OrderProblem
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


def read_erasure(envelope: Envelope) -> CustomerErased:
    """Read which attempts are erased. Errors: as `read_create_ticket`."""
    try:
        said = CustomerErased.model_validate(envelope.data)
    except ValidationError as invalid:
        raise UnreadableMessageError(_faults(invalid)) from invalid
    if said.tenant != envelope.tenant:
        raise UnreadableMessageError("tenant: envelope and data name different tenants")
    return said


def parked(body: dict[str, object], *, reason: OrderProblem, detail: str) -> ParkedMessage:
    """Describe a message to be parked, as far as it says what it is."""
    return ParkedMessage(
        tenant=_text(body, "tenant") or NO_TENANT,
        message_id=_text(body, "id") or "unknown",
        type=_text(body, "type") or "unknown",
        attempt_id=_text(body, "attemptid"),
        addressee=_addressee(body),
        reason=reason,
        detail=detail,
        body=json.dumps(body),
    )


def _addressee(body: dict[str, object]) -> Addressee | None:
    data = body.get("data")
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, object]", data)  # parsed JSON
    texts = [
        _text(fields, name) or _text(fields, to_camel(name)) for name in ("ticket_key", "escalation_id", "attempt_id")
    ]
    match texts:
        case [str(ticket_key), str(escalation_id), str(attempt_id)]:
            return Addressee(ticket_key=ticket_key, escalation_id=escalation_id, attempt_id=attempt_id)
        case _:
            return None


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
