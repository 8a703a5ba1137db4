"""Say whose order a message is that cannot be followed, as far as it says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from pydantic.alias_generators import to_camel

from contracts.messages import CREATE_TICKET
from contracts.reading import LONGEST_KEY, later_versions, text_of

# Each major is a task of its own to the broker, which drops what it does not know.
FUTURE_VERSIONS: Final = later_versions(CREATE_TICKET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """Whose order a message is, as far as one that cannot be followed says so."""

    ticket_key: str
    escalation_id: str
    attempt_id: str


def addressee_of(body: Mapping[str, object]) -> Addressee | None:
    """Read whose order a message is; None when it does not say so in names that anybody could look up."""
    data = body.get("data")
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, object]", data)  # parsed JSON
    texts = [_key(fields, name) for name in ("ticket_key", "escalation_id", "attempt_id")]
    match texts:
        case [str(ticket_key), str(escalation_id), str(attempt_id)]:
            return Addressee(ticket_key=ticket_key, escalation_id=escalation_id, attempt_id=attempt_id)
        case _:
            return None


def _key(fields: Mapping[str, object], name: str) -> str | None:
    found = text_of(fields, name) or text_of(fields, to_camel(name))
    return found if found is not None and len(found) <= LONGEST_KEY else None
