"""Hear many messages of ticketing that travelled together: in one transaction, or each by itself when one is unlike the others."""

from collections.abc import Sequence
from functools import partial

from celery import Celery

from bff.escalations.store import acknowledge_messages, apply_ticket_change
from bff.tasks.tickets import take_acknowledgement, take_change
from contracts.ids import parsed
from contracts.messages import ACKNOWLEDGED, BATCHES, TICKET_CHANGED, Envelope, TicketChanged
from contracts.reading import later_batches, read_data
from runtime.database import SyncDatabase
from runtime.logging import bound, get_logger
from runtime.parking import Body
from runtime.receiving import (
    Receiver,
    acknowledged_id,
    receive,
    receive_alone,
    receive_together,
    refuse_version,
    unanswered,
)

_log = get_logger("tickets")


def add_batches(app: Celery, receiver: Receiver) -> None:
    """Add the tasks whose argument is an array of messages."""

    def on_tickets_changed(bodies: list[Body]) -> None:
        receive_changes(receiver, bodies)

    def on_acknowledged(bodies: list[Body]) -> None:
        receive_acknowledgements(receiver, bodies)

    def on_later_versions(bodies: list[Body]) -> None:
        receive_alone(lambda body: receive(receiver, body, refuse_version), bodies)

    app.task(name=BATCHES[TICKET_CHANGED], shared=False)(on_tickets_changed)
    for name in later_batches(TICKET_CHANGED):
        app.task(name=name, shared=False)(on_later_versions)
    app.task(name=BATCHES[ACKNOWLEDGED], shared=False)(on_acknowledged)


def receive_changes(receiver: Receiver, bodies: Sequence[Body]) -> None:
    """Take over where many tickets stand. Repeat: as `take_change`."""
    database = receiver.database
    receive_together(receiver, bodies, partial(take_changes, database), partial(take_change, database=database))


def receive_acknowledgements(receiver: Receiver, bodies: Sequence[Body]) -> None:
    """Mark many messages of ours as handled. Repeat: the first time counts."""
    together = partial(take_acknowledgements, receiver.database)
    alone = partial(take_acknowledgement, database=receiver.database)
    receive_together(unanswered(receiver), bodies, together, alone)


def take_changes(database: SyncDatabase, tenant: str, envelopes: Sequence[Envelope]) -> None:
    """Take over where tickets of one tenant stand. Repeat: the sequence tells old news, which change nothing."""
    read = [(envelope, read_data(TicketChanged, envelope)) for envelope in envelopes]
    changes = [(parsed("esc", change.escalation_id), envelope, change) for envelope, change in read]
    news: list[bool] = []
    # In the order of their ids, so that two batches never wait for each other in a circle.
    changes.sort(key=lambda change: (change[0], change[2].sequence))
    with database.transaction(tenant) as connection:
        news.extend(apply_ticket_change(connection, escalation_id, change) for escalation_id, _, change in changes)
    for (_, envelope, change), is_news in zip(changes, news, strict=True):
        with bound(message_id=envelope.id, attempt_id=envelope.attemptid, tenant=tenant):
            _log.info("ticket_changed", status=change.status, sequence=change.sequence, is_news=is_news)


def take_acknowledgements(database: SyncDatabase, tenant: str, envelopes: Sequence[Envelope]) -> None:
    """Mark our messages as handled. Repeat: the first time counts."""
    message_ids = [acknowledged_id(envelope) for envelope in envelopes]
    with database.transaction(tenant) as connection:
        acknowledge_messages(connection, message_ids)
