"""Read what other services say about attempts, and say exactly why a message cannot be read.

What customers wrote is masked here, before anything stores it; no model ever reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeVar, cast
from uuid import UUID

from pydantic import ValidationError

from contracts.ids import MalformedIdError, parsed
from contracts.messages import AttemptJudged, Envelope, EscalationRequested
from contracts.model import Message
from contracts.reasons import Rating
from personal_data.masking import mask

# A fault of ours or of the database may pass; a message that fails this often is put aside.
MOST_DELIVERIES: Final = 3
# Row-level security needs a tenant; a message that names none is parked here, where only an operator looks.
NO_TENANT: Final = "-"
_LONGEST_TEXT: Final = 200

ParkReason = Literal["MALFORMED", "UNKNOWN_VERSION", "POISON"]
MessageT = TypeVar("MessageT", AttemptJudged, EscalationRequested)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a customer thinks of an attempt. The comment is masked."""

    tenant: str
    attempt_id: UUID
    rating: Rating
    reason_code: str | None
    comment: str | None
    is_correction: bool
    judged_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A wish for a person that came from an attempt. The note is masked."""

    tenant: str
    escalation_id: str
    attempt_id: UUID
    origin: Literal["customer", "rule"]
    note: str | None
    requested_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """A message that is not handled and not sent again: why, and which one. What it says stays with its sender."""

    tenant: str
    message_id: str
    type: str
    source: str
    attempt_id: str | None
    reason: ParkReason
    detail: str


class UnreadableMessageError(ValueError):
    """This message cannot be read."""


def later_versions(name: str) -> tuple[str, ...]:
    """Name the majors of a message that may exist one day: the broker drops what no task is named after."""
    stem = name.rpartition(".v")[0]
    return tuple(f"{stem}.v{major}" for major in range(2, 10))


def read_envelope(body: Mapping[str, object]) -> Envelope:
    """Read an envelope. Errors: UnreadableMessageError, naming the fields and never their content."""
    try:
        return Envelope.model_validate(body)
    except ValidationError as invalid:
        raise UnreadableMessageError(_faults(invalid)) from invalid


def read_judgement(envelope: Envelope) -> Judgement:
    """Read a judgement, masked. Errors: UnreadableMessageError, also when envelope and data name different ones."""
    said = _read(AttemptJudged, envelope)
    return Judgement(
        tenant=said.tenant,
        attempt_id=_attempt_id(said.attempt_id),
        rating=said.rating,
        reason_code=said.reason_code,
        comment=_masked(said.comment),
        is_correction=said.is_correction,
        judged_at=said.judged_at,
    )


def read_wish(envelope: Envelope) -> Wish:
    """Read a wish for a person, masked. Errors: as `read_judgement`."""
    said = _read(EscalationRequested, envelope)
    return Wish(
        tenant=said.tenant,
        escalation_id=said.escalation_id,
        attempt_id=_attempt_id(said.attempt_id),
        origin=said.origin,
        note=_masked(said.note),
        requested_at=said.requested_at,
    )


def parked(body: Mapping[str, object], *, reason: ParkReason, detail: str) -> ParkedMessage:
    """Describe a message to be parked, as far as it says what it is."""
    return ParkedMessage(
        tenant=_text(body, "tenant") or NO_TENANT,
        message_id=_text(body, "id") or "unknown",
        type=_text(body, "type") or "unknown",
        source=_text(body, "source") or "unknown",
        attempt_id=_text(body, "attemptid"),
        reason=reason,
        detail=detail,
    )


def _read(kind: type[MessageT], envelope: Envelope) -> MessageT:
    try:
        said = kind.model_validate(envelope.data)
    except ValidationError as invalid:
        raise UnreadableMessageError(_faults(invalid)) from invalid
    if not _is_storable(envelope.data):
        raise UnreadableMessageError("data: a text holds a NUL character or half a surrogate pair")
    if (said.tenant, said.attempt_id) != (envelope.tenant, envelope.attemptid):
        raise UnreadableMessageError("envelope and data name different tenants or attempts")
    _refuse_naive(said)
    return said


def _refuse_naive(said: Message) -> None:
    moments = [value for value in dict(said).values() if isinstance(value, datetime)]
    if any(moment.tzinfo is None for moment in moments):
        raise UnreadableMessageError("data: a moment has no time zone")


def _attempt_id(text: str) -> UUID:
    try:
        return parsed("att", text)
    except MalformedIdError as malformed:
        raise UnreadableMessageError("attempt_id: not the id of an attempt") from malformed


def _masked(text: str | None) -> str | None:
    return mask(text) if text else None


def _text(body: Mapping[str, object], name: str) -> str | None:
    value = body.get(name)
    return value[:_LONGEST_TEXT] if isinstance(value, str) and _is_storable(value) else None


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
