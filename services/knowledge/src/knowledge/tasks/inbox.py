"""Take what other services say about attempts: handle it once, acknowledge it, or put it aside with a reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from celery import Celery
from kombu.entity import Exchange, Queue
from sqlalchemy import Connection

from contracts.errors import TryAgainError, UnavailableError
from contracts.messages import ATTEMPT_JUDGED, CUSTOMER_ERASED, ESCALATION_REQUESTED, KNOWLEDGE_QUEUE, Envelope
from contracts.reading import MOST_DELIVERIES, UnreadableMessageError, later_versions, read_envelope
from knowledge.review.receiving import ParkedMessage, parked, read_judgement, read_wish
from knowledge.review.store import evidence, parking
from knowledge.tasks.erasing import take_erasure
from knowledge.tasks.imports import QUEUE
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from runtime.queue import receiving

Take = Callable[[Connection, Envelope], None]

_log = get_logger("inbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """What messages are taken with."""

    database: SyncDatabase
    acknowledge: Callable[[Envelope], None]


def register_inbox(app: Celery, inbox: Inbox, *, kinds: Mapping[str, Take] | None = None) -> None:
    """Teach a worker to take messages, and to take them before it goes on with imports."""
    for name, take in (kinds or KINDS).items():
        app.task(_task(partial(receive, inbox, take)), name=name)
        for later in later_versions(name):
            app.task(_task(partial(receive_unknown_version, inbox)), name=later)
    names = (KNOWLEDGE_QUEUE, QUEUE)
    app.conf.task_queues = [Queue(name, Exchange(name), routing_key=name) for name in names]
    # The other strategies of the Redis transport take from all queues in turns.
    app.conf.broker_transport_options["queue_order_strategy"] = "priority"


def receive(inbox: Inbox, take: Take, body: dict[str, object]) -> None:
    """Take a message in one transaction, or park it with the reason why not; then acknowledge it.

    Repeat: what a message says is kept once, so that a repeat changes nothing and is acknowledged again.
    """
    try:
        envelope = read_envelope(body)
    except UnreadableMessageError as unreadable:
        _park(inbox, parked(body, reason="MALFORMED", detail=str(unreadable)))
        return
    with receiving(body):
        _handle(inbox, take, body, envelope)
        _acknowledge(inbox, envelope)


def receive_unknown_version(inbox: Inbox, body: dict[str, object]) -> None:
    """Park a message of a major version that this release does not know. Repeat: the first parking stands."""

    def put_aside(_connection: Connection, envelope: Envelope) -> None:
        _park(inbox, parked(body, reason="UNKNOWN_VERSION", detail=f"This release does not know {envelope.type}."))

    receive(inbox, put_aside, body)


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


def _handle(inbox: Inbox, take: Take, body: dict[str, object], envelope: Envelope) -> None:
    try:
        with inbox.database.transaction(envelope.tenant) as connection:
            take(connection, envelope)
    except UnreadableMessageError as unreadable:
        _park(inbox, parked(body, reason="MALFORMED", detail=str(unreadable)))
    except (UnavailableError, TryAgainError):
        raise
    except Exception as bug:
        if not _is_poison(inbox, body, bug):
            raise
        _log.exception("message_is_poison")


def _is_poison(inbox: Inbox, body: dict[str, object], bug: Exception) -> bool:
    """Count a failed delivery; the third parks the message."""
    name = type(bug).__name__
    message = parked(body, reason="POISON", detail=f"Its handling failed {MOST_DELIVERIES} times, at last with {name}.")
    with inbox.database.transaction(message.tenant) as connection:
        deliveries = parking.count_failure(connection, message, error_class=name)
    if deliveries < MOST_DELIVERIES:
        return False
    _park(inbox, message)
    return True


def _park(inbox: Inbox, message: ParkedMessage) -> None:
    with inbox.database.transaction(message.tenant) as connection:
        parking.park(connection, message)
    _log.warning("message_parked", reason=message.reason, detail=message.detail, type=message.type)


def _acknowledge(inbox: Inbox, envelope: Envelope) -> None:
    try:
        inbox.acknowledge(envelope)
    except TryAgainError:
        # The sender repeats the message, which changes nothing.
        _log.warning("acknowledgement_lost")


def _task(take: Callable[[dict[str, object]], None]) -> Callable[[dict[str, object]], None]:
    def task(body: dict[str, object]) -> None:
        take(body)

    return task
