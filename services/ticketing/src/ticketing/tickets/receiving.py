"""Describe messages that cannot be followed, with whose order each is as far as it says so."""

import json
from dataclasses import dataclass
from typing import Final, cast

from pydantic.alias_generators import to_camel

from contracts.messages import CREATE_TICKET, OrderProblem
from contracts.reading import NO_TENANT, later_versions, text_of

# Each major is a task of its own to the broker, which drops what it does not know.
FUTURE_VERSIONS: Final = later_versions(CREATE_TICKET)


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


def parked(body: dict[str, object], *, reason: OrderProblem, detail: str) -> ParkedMessage:
    """Describe a message to be parked, as far as it says what it is."""
    return ParkedMessage(
        tenant=text_of(body, "tenant") or NO_TENANT,
        message_id=text_of(body, "id") or "unknown",
        type=text_of(body, "type") or "unknown",
        attempt_id=text_of(body, "attemptid"),
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
        text_of(fields, name) or text_of(fields, to_camel(name))
        for name in ("ticket_key", "escalation_id", "attempt_id")
    ]
    match texts:
        case [str(ticket_key), str(escalation_id), str(attempt_id)]:
            return Addressee(ticket_key=ticket_key, escalation_id=escalation_id, attempt_id=attempt_id)
        case _:
            return None
