"""Hear from ticketing: where a ticket stands, and that a message of ours is handled."""

from collections.abc import Callable
from uuid import UUID

from celery import Celery

from bff.escalations.store import acknowledge_message, apply_ticket_change
from bff.inbox.parking import ParkedMessage, parked
from bff.inbox.store import count_failure, park
from contracts.errors import TryAgainError, UnavailableError
from contracts.ids import MalformedIdError, parsed, uuid7
from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED, Acknowledged, Envelope, TicketChanged
from contracts.reading import MOST_DELIVERIES, UnreadableMessageError, later_versions, read_data, read_envelope
from runtime.clock import Clock
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from runtime.queue import acknowledge, receiving

SOURCE = "bff"

Take = Callable[[Envelope, SyncDatabase], None]

_log = get_logger("tickets")


def add_tasks(app: Celery, *, database: SyncDatabase, clock: Clock) -> None:
    """Add the tasks of bff's queue."""

    def on_ticket_changed(body: dict[str, object]) -> None:
        if (envelope := receive(body, take_change, database)) is not None:
            acknowledge(app, envelope, source=SOURCE, now=clock())

    def on_later_version(body: dict[str, object]) -> None:
        if (envelope := receive(body, refuse_version, database)) is not None:
            acknowledge(app, envelope, source=SOURCE, now=clock())

    def on_acknowledged(body: dict[str, object]) -> None:
        receive(body, take_acknowledgement, database)

    # Shared tasks would join every Celery application of the process, whoever made it.
    app.task(name=TICKET_CHANGED, shared=False)(on_ticket_changed)
    app.task(name=ACKNOWLEDGED, shared=False)(on_acknowledged)
    for version in later_versions(TICKET_CHANGED):
        app.task(name=version, shared=False)(on_later_version)


def receive(body: dict[str, object], take: Take, database: SyncDatabase) -> Envelope | None:
    """Take a message, or park it with the reason why it cannot be followed; give the envelope that is to be acknowledged.

    Repeat: as `take`; the first parking stands. A fault that may pass is raised; its third time parks the message.
    """
    try:
        read_envelope(body)
    except UnreadableMessageError as unreadable:
        _park(database, parked(body, reason="MALFORMED", detail=str(unreadable)))
        return None
    with receiving(body) as envelope:
        try:
            take(envelope, database)
        except UnknownVersionError as unknown:
            _park(database, parked(body, reason="UNKNOWN_VERSION", detail=str(unknown)))
        except UnreadableMessageError as unreadable:
            _park(database, parked(body, reason="MALFORMED", detail=str(unreadable)))
        except (UnavailableError, TryAgainError):
            raise
        except Exception as bug:
            if not _is_poison(database, body, bug):
                raise
            _log.exception("message_is_poison")
        return envelope


class UnknownVersionError(UnreadableMessageError):
    """This release does not know the major version of the message."""


def refuse_version(envelope: Envelope, database: SyncDatabase) -> None:
    """Refuse a major version that this release does not know. Errors: UnknownVersionError always."""
    del database
    raise UnknownVersionError(f"This release does not know {envelope.type}.")


def take_change(envelope: Envelope, database: SyncDatabase) -> None:
    """Take over where a ticket stands. Repeat: the sequence tells old news, which change nothing.

    Errors: UnreadableMessageError.
    """
    change = read_data(TicketChanged, envelope)
    try:
        escalation_id = parsed("esc", change.escalation_id)
    except MalformedIdError as malformed:
        raise UnreadableMessageError("escalation_id: not the id of an escalation") from malformed
    with database.transaction(envelope.tenant) as connection:
        is_news = apply_ticket_change(connection, escalation_id, change)
    _log.info("ticket_changed", status=change.status, sequence=change.sequence, is_news=is_news)


def take_acknowledgement(envelope: Envelope, database: SyncDatabase) -> None:
    """Mark our message as handled. Repeat: the first time counts. Errors: UnreadableMessageError."""
    message = read_data(Acknowledged, envelope)
    try:
        message_id = UUID(message.message_id)
    except ValueError as malformed:
        raise UnreadableMessageError("message_id: not the id of a message") from malformed
    with database.transaction(envelope.tenant) as connection:
        acknowledge_message(connection, message_id)


def _is_poison(database: SyncDatabase, body: dict[str, object], bug: Exception) -> bool:
    name = type(bug).__name__
    message = parked(body, reason="POISON", detail=f"Its handling failed {MOST_DELIVERIES} times, at last with {name}.")
    with database.transaction(message.tenant) as connection:
        deliveries = count_failure(connection, message, error_class=name)
    if deliveries < MOST_DELIVERIES:
        return False
    _park(database, message)
    return True


def _park(database: SyncDatabase, message: ParkedMessage) -> None:
    with database.transaction(message.tenant) as connection:
        park(connection, message, parked_id=uuid7())
    _log.warning("message_parked", reason=message.reason, detail=message.detail, type=message.type)
