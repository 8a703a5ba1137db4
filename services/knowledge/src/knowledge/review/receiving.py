"""Read what other services say about attempts, and say exactly why a message cannot be read.

What customers wrote is masked here, before anything stores it; no model ever reads it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar
from uuid import UUID

from contracts.ids import MalformedIdError, parsed
from contracts.messages import AttemptJudged, Envelope, EscalationRequested
from contracts.model import Message
from contracts.reading import UnreadableMessageError, read_data
from contracts.reasons import Rating
from personal_data.masking import mask

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


def _read(kind: type[MessageT], envelope: Envelope) -> MessageT:
    said = read_data(kind, envelope)
    if said.attempt_id != envelope.attemptid:
        raise UnreadableMessageError("envelope and data name different attempts")
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
