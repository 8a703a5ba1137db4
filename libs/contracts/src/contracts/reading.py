"""Read what came through the broker, and say exactly why a message cannot be read: fields are named, contents never."""

import re
from collections.abc import Mapping
from typing import Final, TypeVar, cast

from pydantic import ValidationError

from contracts.messages import BATCH, Envelope
from contracts.model import Message

# A fault of ours or of the database may pass; a message that fails this often is put aside.
MOST_DELIVERIES: Final = 3
# Row-level security needs a tenant; a message that names none is parked here, where only an operator looks.
NO_TENANT: Final = "-"
# Names of rows stand in indexes, which take no long ones: the database would refuse such a message every time it came.
LONGEST_KEY: Final = 200
_KEYS: Final = ("id", "tenant", "attemptid", "ticket_key", "escalation_id", "attempt_id", "attempt_ids", "message_id")
_LAST_MAJOR: Final = 9
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")

MessageT = TypeVar("MessageT", bound=Message)


class UnreadableMessageError(ValueError):
    """This message cannot be read."""


def later_versions(name: str) -> tuple[str, ...]:
    """Name the majors of a message that may exist one day: the broker drops what no task is named after."""
    stem = name.rpartition(".v")[0]
    return tuple(f"{stem}.v{major}" for major in range(2, _LAST_MAJOR + 1))


def later_batches(name: str) -> tuple[str, ...]:
    """Name the tasks by which several messages of a later major may come together."""
    return tuple(f"{version}{BATCH}" for version in later_versions(name))


def read_envelope(body: Mapping[str, object]) -> Envelope:
    """Read an envelope. Errors: UnreadableMessageError, also when a text that names a row is too long for one."""
    try:
        envelope = Envelope.model_validate(body)
    except ValidationError as invalid:
        raise UnreadableMessageError(faults_of(invalid)) from invalid
    _refuse_long_keys(envelope)
    return envelope


def read_data(kind: type[MessageT], envelope: Envelope) -> MessageT:
    """Read what an envelope holds; unknown optional fields are kept.

    Errors: UnreadableMessageError, also when a text cannot be stored, one that names a row is too long for one, or envelope
    and data name different tenants.
    """
    try:
        said = kind.model_validate(envelope.data)
    except ValidationError as invalid:
        raise UnreadableMessageError(faults_of(invalid)) from invalid
    if not is_storable(envelope.data):
        raise UnreadableMessageError("data: a text holds a NUL character or half a surrogate pair")
    _refuse_long_keys(said)
    if getattr(said, "tenant", envelope.tenant) != envelope.tenant:
        raise UnreadableMessageError("tenant: envelope and data name different tenants")
    return said


def text_of(body: Mapping[str, object], name: str, *, longest: int | None = None) -> str | None:
    """Give a text of a message that could not be read, cut to a length; None when there is none that can be stored."""
    value = body.get(name)
    return value[:longest] if isinstance(value, str) and is_storable(value) else None


def is_storable(value: object) -> bool:
    """Say whether Postgres can keep every text of parsed JSON."""
    match value:
        case str():
            return _UNSTORABLE.search(value) is None
        case dict():
            members = cast("dict[str, object]", value)  # parsed JSON
            return all(is_storable(name) and is_storable(member) for name, member in members.items())
        case list() | tuple():
            return all(is_storable(member) for member in cast("list[object]", value))  # parsed JSON
        case _:
            return True


def _refuse_long_keys(message: Message) -> None:
    for name in _KEYS:
        value: object = getattr(message, name, None)
        texts = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)  # a field of a message
        if any(isinstance(each, str) and len(each) > LONGEST_KEY for each in texts):
            raise UnreadableMessageError(f"{name}: longer than {LONGEST_KEY} characters")


def faults_of(invalid: ValidationError) -> str:
    """Say which fields of a message are wrong, and how."""
    errors = invalid.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in errors)
