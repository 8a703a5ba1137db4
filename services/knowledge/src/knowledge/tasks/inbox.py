"""Take what other services say about attempts: handle it once, acknowledge it, or put it aside with a reason."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from celery import Celery
from kombu.entity import Exchange, Queue
from sqlalchemy import Connection

from contracts.messages import ATTEMPT_JUDGED, CUSTOMER_ERASED, ESCALATION_REQUESTED, KNOWLEDGE_QUEUE, Envelope
from contracts.reading import later_versions
from knowledge.review.receiving import read_judgement, read_wish
from knowledge.review.store import evidence
from knowledge.review.store.parking import PARKING
from knowledge.tasks.erasing import take_erasure
from knowledge.tasks.imports import QUEUE
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from runtime.parking import Body
from runtime.receiving import Acknowledge, Handle, Receiver, receive, refuse_version

Take = Callable[[Connection, Envelope], None]

_log = get_logger("inbox")


def make_receiver(database: SyncDatabase, *, acknowledge: Acknowledge) -> Receiver:
    """Put together what messages are taken with."""
    return Receiver(database=database, shelf=PARKING, acknowledge=acknowledge)


def register_inbox(app: Celery, receiver: Receiver) -> None:
    """Teach a worker to take messages, and to take them before it goes on with imports."""
    for name, take in KINDS.items():
        app.task(_task(receiver, partial(take_in_transaction, receiver.database, take)), name=name)
        for later in later_versions(name):
            app.task(_task(receiver, refuse_version), name=later)
    names = (KNOWLEDGE_QUEUE, QUEUE)
    app.conf.task_queues = [Queue(name, Exchange(name), routing_key=name) for name in names]
    # The other strategies of the Redis transport take from all queues in turns.
    app.conf.broker_transport_options["queue_order_strategy"] = "priority"


def take_in_transaction(database: SyncDatabase, take: Take, envelope: Envelope) -> None:
    """Take a message in one transaction. Repeat: what a message says is kept once."""
    with database.transaction(envelope.tenant) as connection:
        take(connection, envelope)


def take_judgement(connection: Connection, envelope: Envelope) -> None:
    """Take what a customer thinks of an attempt. Repeat: the latest judgement holds, whenever it comes."""
    is_news = evidence.take_judgement(connection, read_judgement(envelope))
    _log.info("attempt_judged", is_news=is_news)


def take_wish(connection: Connection, envelope: Envelope) -> None:
    """Take a wish for a person. Repeat: an escalation is kept once."""
    is_news = evidence.take_wish(connection, read_wish(envelope))
    _log.info("escalation_requested", is_news=is_news)


KINDS: Final[Mapping[str, Take]] = {
    ATTEMPT_JUDGED: take_judgement,
    ESCALATION_REQUESTED: take_wish,
    CUSTOMER_ERASED: take_erasure,
}


def _task(receiver: Receiver, handle: Handle) -> Callable[[Body], None]:
    def task(body: Body) -> None:
        receive(receiver, body, handle)

    return task
