"""Hear from ticketing: where a ticket stands, and that a message of ours is handled."""

from functools import partial

from celery import Celery

from bff.escalations.store import acknowledge_message, apply_ticket_change
from bff.inbox.store import PARKING
from contracts.ids import MalformedIdError, parsed
from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED, Envelope, TicketChanged
from contracts.reading import UnreadableMessageError, later_versions, read_data
from runtime.clock import Clock
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from runtime.parking import Body
from runtime.queue import acknowledge_all
from runtime.receiving import Receiver, acknowledged_id, receive, refuse_version, unanswered

SOURCE = "bff"

_log = get_logger("tickets")


def make_receiver(app: Celery, *, database: SyncDatabase, clock: Clock) -> Receiver:
    """Put together what bff's queue is worked through with."""
    return Receiver(
        database=database,
        shelf=PARKING,
        acknowledge=lambda envelopes: acknowledge_all(app, envelopes, source=SOURCE, now=clock()),
    )


def add_tasks(app: Celery, receiver: Receiver) -> None:
    """Add the tasks of bff's queue."""
    answers = unanswered(receiver)

    def on_ticket_changed(body: Body) -> None:
        receive(receiver, body, partial(take_change, database=receiver.database))

    def on_later_version(body: Body) -> None:
        receive(receiver, body, refuse_version)

    def on_acknowledged(body: Body) -> None:
        receive(answers, body, partial(take_acknowledgement, database=receiver.database))

    # Shared tasks would join every Celery application of the process, whoever made it.
    app.task(name=TICKET_CHANGED, shared=False)(on_ticket_changed)
    app.task(name=ACKNOWLEDGED, shared=False)(on_acknowledged)
    for version in later_versions(TICKET_CHANGED):
        app.task(name=version, shared=False)(on_later_version)


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
    message_id = acknowledged_id(envelope)
    with database.transaction(envelope.tenant) as connection:
        acknowledge_message(connection, message_id)
