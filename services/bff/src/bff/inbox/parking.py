"""Describe what could not be followed: why, and which message. What it says stays with its sender."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from contracts.reading import NO_TENANT, text_of

_LONGEST_TEXT: Final = 200

ParkReason = Literal["MALFORMED", "UNKNOWN_VERSION", "POISON"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """A message that is not handled and not sent again."""

    tenant: str
    message_id: str
    type: str
    attempt_id: str | None
    reason: ParkReason
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A message that was put aside, as staff list it."""

    parked_id: UUID
    message_id: str
    type: str
    attempt_id: str | None
    reason: str
    detail: str
    parked_at: datetime


def parked(body: Mapping[str, object], *, reason: ParkReason, detail: str) -> ParkedMessage:
    """Describe a message to be parked, as far as it says what it is."""
    return ParkedMessage(
        tenant=text_of(body, "tenant", longest=_LONGEST_TEXT) or NO_TENANT,
        message_id=text_of(body, "id", longest=_LONGEST_TEXT) or "unknown",
        type=text_of(body, "type", longest=_LONGEST_TEXT) or "unknown",
        attempt_id=text_of(body, "attemptid", longest=_LONGEST_TEXT),
        reason=reason,
        detail=detail,
    )
