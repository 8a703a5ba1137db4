"""Receive what came through the queue: handle each message once, or put it aside with the reason why it cannot be followed."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

from sqlalchemy import Connection

from contracts.errors import TryAgainError, UnavailableError
from contracts.ids import uuid7
from contracts.messages import Acknowledged, Envelope
from contracts.reading import MOST_DELIVERIES, UnreadableMessageError, read_data, read_envelope
from runtime.database import SyncDatabase
from runtime.logging import bound, get_logger
from runtime.parking import Body, ParkedMessage, ParkReason, parked
from runtime.telemetry import attempt_span

Handle = Callable[[Envelope], None]
Acknowledge = Callable[[Sequence[Envelope]], None]
Together = Callable[[str, Sequence[Envelope]], None]

_log = get_logger("receiving")


class Shelf(Protocol):
    """Where a service puts messages aside; `runtime.parking.Parking` is one."""

    def park(self, connection: Connection, message: ParkedMessage, *, parked_id: UUID) -> bool:
        """Put a message aside; say whether it is news."""
        ...

    def count_failure(self, connection: Connection, message: ParkedMessage, *, error_class: str) -> int:
        """Count one more failure of handling a message; return how many there were."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """What a service receives messages with."""

    database: SyncDatabase
    shelf: Shelf
    acknowledge: Acknowledge


class UnknownVersionError(UnreadableMessageError):
    """This release does not know the major version of the message."""


def receive(receiver: Receiver, body: Body, handle: Handle) -> None:
    """Handle a message, or put it aside with the reason why it cannot be followed; then acknowledge it.

    Repeat: as `handle`; the first parking stands. A fault that may pass is raised; the third time it parks the message.
    """
    try:
        envelope = read_envelope(body)
    except UnreadableMessageError as unreadable:
        put_aside(receiver, body, reason="MALFORMED", detail=str(unreadable))
        return
    with framed(envelope):
        _handle_or_park(receiver, body, envelope, handle)
        acknowledge(receiver.acknowledge, [envelope])


def unanswered(receiver: Receiver) -> Receiver:
    """Give what acknowledgements are received with: nobody acknowledges them."""
    return replace(receiver, acknowledge=_to_nobody)


def receive_together(receiver: Receiver, bodies: Sequence[Body], together: Together, alone: Handle) -> None:
    """Handle messages together, tenant by tenant, and acknowledge them; or each alone when one is unlike the others.

    Repeat: as `together`. Whichever message spoils it for the others shows itself when each is received alone.
    Errors: as `receive_alone`.
    """
    try:
        envelopes = [read_envelope(body) for body in bodies]
        by_tenant: dict[str, list[Envelope]] = {}
        for envelope in envelopes:
            by_tenant.setdefault(envelope.tenant, []).append(envelope)
        for tenant, group in by_tenant.items():
            together(tenant, group)
    except UnavailableError:
        raise
    except Exception as trouble:  # noqa: BLE001 - the messages are handled one by one instead, with their own errors
        _log.warning("messages_not_taken_together", messages=len(bodies), error_class=type(trouble).__name__)
        receive_alone(lambda body: receive(receiver, body, alone), bodies)
        return
    acknowledge(receiver.acknowledge, envelopes)


def receive_alone(receive_one: Callable[[Body], None], bodies: Sequence[Body]) -> None:
    """Receive messages one after the other; one that fails keeps no other from being handled.

    Errors: UnavailableError at once, an ExceptionGroup of all others at the end.
    """
    failures: list[Exception] = []
    for body in bodies:
        try:
            receive_one(body)
        except UnavailableError:
            raise
        except Exception as failure:  # noqa: BLE001 - raised below
            failures.append(failure)
    if failures:
        raise ExceptionGroup("Some messages of a batch were not handled.", failures)


def refuse_version(envelope: Envelope) -> None:
    """Refuse a major version that this release does not know. Errors: UnknownVersionError always."""
    raise UnknownVersionError(f"This release does not know {envelope.type}.")


def acknowledged_id(envelope: Envelope) -> UUID:
    """Read which message of ours is handled. Errors: UnreadableMessageError."""
    said = read_data(Acknowledged, envelope)
    try:
        return UUID(said.message_id)
    except ValueError as malformed:
        raise UnreadableMessageError("message_id: not the id of a message") from malformed


def put_aside(receiver: Receiver, body: Body, *, reason: ParkReason, detail: str) -> None:
    """Park a message in a transaction of its own. Repeat: the first parking stands."""
    message = parked(body, reason=reason, detail=detail)
    with receiver.database.transaction(message.tenant) as connection:
        is_news = receiver.shelf.park(connection, message, parked_id=uuid7())
    if is_news:
        _log.warning("message_parked", reason=reason, detail=detail, type=message.type)


def acknowledge(tell: Acknowledge, envelopes: Sequence[Envelope]) -> None:
    """Tell the senders that their messages are handled; one who does not hear it sends a message again, which changes nothing."""
    if not envelopes:
        return
    try:
        tell(envelopes)
    except TryAgainError:
        _log.warning("acknowledgement_lost")


@contextmanager
def framed(envelope: Envelope) -> Generator[None]:
    """Put attempt and tenant of a message on every span and log event of its handling."""
    with (
        attempt_span(f"receive {envelope.type}", tenant=envelope.tenant, attempt_id=envelope.attemptid),
        bound(message_id=envelope.id, attempt_id=envelope.attemptid, tenant=envelope.tenant),
    ):
        yield


def _handle_or_park(receiver: Receiver, body: Body, envelope: Envelope, handle: Handle) -> None:
    try:
        handle(envelope)
    except UnknownVersionError as unknown:
        put_aside(receiver, body, reason="UNKNOWN_VERSION", detail=str(unknown))
    except UnreadableMessageError as unreadable:
        put_aside(receiver, body, reason="MALFORMED", detail=str(unreadable))
    except (UnavailableError, TryAgainError):
        raise
    except Exception as bug:
        if not _is_poison(receiver, body, bug):
            raise
        _log.exception("message_is_poison")


def _is_poison(receiver: Receiver, body: Body, bug: Exception) -> bool:
    """Count a failed delivery; the last that is borne with parks the message."""
    name = type(bug).__name__
    detail = f"Its handling failed {MOST_DELIVERIES} times, at last with {name}."
    message = parked(body, reason="POISON", detail=detail)
    with receiver.database.transaction(message.tenant) as connection:
        deliveries = receiver.shelf.count_failure(connection, message, error_class=name)
    if deliveries < MOST_DELIVERIES:
        return False
    put_aside(receiver, body, reason="POISON", detail=detail)
    return True


def _to_nobody(_envelopes: Sequence[Envelope]) -> None:
    return None
