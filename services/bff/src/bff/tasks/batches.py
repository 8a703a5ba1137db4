"""Hear many messages of ticketing that travelled together: in one transaction, or each by itself when one is unlike the others."""

from collections.abc import Callable, Sequence
from uuid import UUID

from celery import Celery

from bff.escalations.store import acknowledge_messages, apply_ticket_change
from bff.tasks.tickets import SOURCE, Take, receive, take_acknowledgement, take_change
from contracts.errors import UnavailableError
from contracts.ids import parsed
from contracts.messages import ACKNOWLEDGED, BATCHES, TICKET_CHANGED, Acknowledged, Envelope, TicketChanged
from contracts.reading import read_data, read_envelope
from runtime.clock import Clock
from runtime.database import SyncDatabase
from runtime.logging import bound, get_logger
from runtime.queue import acknowledge_all

Body = dict[str, object]
Together = Callable[[SyncDatabase, str, Sequence[Envelope]], None]

_log = get_logger("tickets")


def add_batches(app: Celery, *, database: SyncDatabase, clock: Clock) -> None:
    """Add the tasks whose argument is an array of messages."""

    def on_tickets_changed(bodies: list[Body]) -> None:
        heard = receive_all(bodies, take_changes, take_change, database)
        if heard:
            acknowledge_all(app, heard, source=SOURCE, now=clock())

    def on_acknowledged(bodies: list[Body]) -> None:
        receive_all(bodies, take_acknowledgements, take_acknowledgement, database)

    app.task(name=BATCHES[TICKET_CHANGED], shared=False)(on_tickets_changed)
    app.task(name=BATCHES[ACKNOWLEDGED], shared=False)(on_acknowledged)


def receive_all(bodies: Sequence[Body], together: Together, alone: Take, database: SyncDatabase) -> list[Envelope]:
    """Take messages together, each tenant's in one transaction; give the envelopes that are to be acknowledged.

    Repeat: as `alone`. Whichever message spoils the transaction shows itself when each is taken alone.
    """
    try:
        envelopes = [read_envelope(body) for body in bodies]
        by_tenant: dict[str, list[Envelope]] = {}
        for envelope in envelopes:
            by_tenant.setdefault(envelope.tenant, []).append(envelope)
        for tenant, group in by_tenant.items():
            together(database, tenant, group)
    except UnavailableError:
        raise
    except Exception as trouble:  # noqa: BLE001 - the messages are taken one by one instead, with their own errors
        _log.warning("messages_not_taken_together", messages=len(bodies), error_class=type(trouble).__name__)
        return _each_alone(bodies, alone, database)
    return envelopes


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
    message_ids = [UUID(read_data(Acknowledged, envelope).message_id) for envelope in envelopes]
    with database.transaction(tenant) as connection:
        acknowledge_messages(connection, message_ids)


def _each_alone(bodies: Sequence[Body], alone: Take, database: SyncDatabase) -> list[Envelope]:
    heard: list[Envelope] = []
    for body in bodies:
        try:
            envelope = receive(body, alone, database)
        except UnavailableError:
            raise
        except Exception:  # noqa: BLE001 - it stays unacknowledged and comes again, counted; it holds up no other
            _log.exception("message_of_a_batch_failed")
        else:
            heard += [envelope] if envelope is not None else []
    return heard
