"""Hear from ticketing: where a ticket stands, and that a message of ours is handled."""

from uuid import UUID

from celery import Celery

from bff.escalations.store import acknowledge_message, apply_ticket_change
from contracts.ids import parsed
from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED, Acknowledged, Envelope, TicketChanged
from runtime.clock import Clock
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from runtime.queue import acknowledge, receiving

SOURCE = "bff"

_log = get_logger("tickets")


def add_tasks(app: Celery, *, database: SyncDatabase, clock: Clock) -> None:
    """Add the tasks of bff's queue."""

    def on_ticket_changed(body: dict[str, object]) -> None:
        with receiving(body) as envelope:
            take_change(envelope, database)
            acknowledge(app, envelope, source=SOURCE, now=clock())

    def on_acknowledged(body: dict[str, object]) -> None:
        with receiving(body) as envelope:
            take_acknowledgement(envelope, database)

    # Shared tasks would join every Celery application of the process, whoever made it.
    app.task(name=TICKET_CHANGED, shared=False)(on_ticket_changed)
    app.task(name=ACKNOWLEDGED, shared=False)(on_acknowledged)


def take_change(envelope: Envelope, database: SyncDatabase) -> None:
    """Take over where a ticket stands. Repeat: the sequence tells old news, which change nothing."""
    change = TicketChanged.model_validate(envelope.data)
    with database.transaction(envelope.tenant) as connection:
        is_news = apply_ticket_change(connection, parsed("esc", change.escalation_id), change)
    _log.info("ticket_changed", status=change.status, sequence=change.sequence, is_news=is_news)


def take_acknowledgement(envelope: Envelope, database: SyncDatabase) -> None:
    """Mark our message as handled. Repeat: the first time counts."""
    message = Acknowledged.model_validate(envelope.data)
    with database.transaction(envelope.tenant) as connection:
        acknowledge_message(connection, UUID(message.message_id))
