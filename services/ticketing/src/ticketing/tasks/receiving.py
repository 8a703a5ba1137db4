"""Receive messages: write the ledger row and commit, act from the row, then acknowledge."""

from collections.abc import Callable
from uuid import UUID

from celery import Celery
from sqlalchemy import Connection

from contracts.errors import TryAgainError, UnavailableError
from contracts.messages import (
    ACKNOWLEDGED,
    CREATE_TICKET,
    CUSTOMER_ERASED,
    Acknowledged,
    CreateTicket,
    CustomerErased,
    Envelope,
)
from contracts.reading import MOST_DELIVERIES, UnreadableMessageError, read_data, read_envelope
from runtime.logging import get_logger
from runtime.queue import receiving
from ticketing.tasks.acting import act
from ticketing.tasks.edge import Edge
from ticketing.tasks.opening import NotTogetherError, acknowledge, open_at_desk, sort_orders
from ticketing.tickets.receiving import FUTURE_VERSIONS, ParkedMessage, parked
from ticketing.tickets.store import erasing, ledger, parking, telling

_log = get_logger("receiving")


def register_tasks(app: Celery, edge: Edge) -> None:
    """Give the worker its tasks."""

    def create_ticket(body: dict[str, object]) -> None:
        receive_order(edge, body)

    def later_create_ticket(body: dict[str, object]) -> None:
        receive_unknown_version(edge, body)

    def acknowledged(body: dict[str, object]) -> None:
        receive_acknowledgement(edge, body)

    def erased(body: dict[str, object]) -> None:
        receive_erasure(edge, body)

    app.task(create_ticket, name=CREATE_TICKET)
    app.task(acknowledged, name=ACKNOWLEDGED)
    app.task(erased, name=CUSTOMER_ERASED)
    for version in FUTURE_VERSIONS:
        app.task(later_create_ticket, name=version)


def receive_order(edge: Edge, body: dict[str, object]) -> None:
    """Open the ticket a message asks for: at the built-in desk in one transaction, elsewhere carefully.

    Repeat: as `receive_carefully`.
    """
    if not _is_opened_at_desk(edge, body):
        receive_carefully(edge, body)


def _is_opened_at_desk(edge: Edge, body: dict[str, object]) -> bool:
    orders = [order for group in sort_orders(edge, [body]).here.values() for order in group]
    try:
        return bool(orders) and not open_at_desk(edge, orders)
    except NotTogetherError:
        return False


def receive_carefully(edge: Edge, body: dict[str, object]) -> None:
    """Open the ticket a message asks for step by step, or park the message with the reason why not.

    Repeat: the ledger is unique on the ticket key, so a repeat is answered with the first ticket's TicketChanged.
    """
    _receive(edge, body, lambda envelope: _fulfil(edge, body, envelope, read_data(CreateTicket, envelope)))


def receive_unknown_version(edge: Edge, body: dict[str, object]) -> None:
    """Park an order of a major version that this release does not know. Repeat: the first parking stands."""

    def put_aside(envelope: Envelope) -> None:
        _park(edge, parked(body, reason="UNKNOWN_VERSION", detail=f"This release does not know {envelope.type}."))

    _receive(edge, body, put_aside)


def receive_erasure(edge: Edge, body: dict[str, object]) -> None:
    """Forget what the tickets of erased attempts say. Repeat: nothing is left to forget."""
    _receive(edge, body, lambda envelope: _forget(edge, read_data(CustomerErased, envelope)))


def receive_acknowledgement(edge: Edge, body: dict[str, object]) -> None:
    """End the repetition of a message we sent. Repeat: the first time counts."""
    with receiving(body) as envelope:
        message_id = UUID(Acknowledged.model_validate(envelope.data).message_id)
        with edge.database.transaction(envelope.tenant) as connection:
            telling.acknowledge(connection, message_id)


def _receive(edge: Edge, body: dict[str, object], handle: Callable[[Envelope], None]) -> None:
    try:
        read_envelope(body)
    except UnreadableMessageError as unreadable:
        _park(edge, parked(body, reason="MALFORMED", detail=str(unreadable)))
        return
    with receiving(body) as envelope:
        try:
            handle(envelope)
        except UnreadableMessageError as unreadable:
            _park(edge, parked(body, reason="MALFORMED", detail=str(unreadable)))
        except (UnavailableError, TryAgainError):
            raise
        except Exception as bug:
            if not _is_poison(edge, body, bug):
                raise
            _log.exception("message_is_poison")
        acknowledge(edge, [envelope])


def _is_poison(edge: Edge, body: dict[str, object], bug: Exception) -> bool:
    """Count a failed delivery; the third parks the message."""
    name = type(bug).__name__
    detail = f"Its handling failed {MOST_DELIVERIES} times, at last with {name}."
    message = parked(body, reason="POISON", detail=detail)
    with edge.database.transaction(message.tenant) as connection:
        deliveries = parking.count_failure(connection, message, error_class=name)
    if deliveries < MOST_DELIVERIES:
        return False
    _park(edge, message)
    return True


def _forget(edge: Edge, said: CustomerErased) -> None:
    with edge.database.transaction(said.tenant) as connection:
        tickets = erasing.erase(connection, tenant=said.tenant, attempt_ids=said.attempt_ids)
    _log.info("attempts_erased", attempts=len(said.attempt_ids), tickets=tickets)


def _fulfil(edge: Edge, body: dict[str, object], envelope: Envelope, order: CreateTicket) -> None:
    with edge.database.transaction(order.tenant) as connection:
        erasing.hold_off(connection, order.attempt_id)
        if erasing.is_erased(connection, order.attempt_id):
            # The order was under way when its customer was erased, or is a repeat.
            _log.info("order_of_an_erased_attempt")
            return
        received = ledger.receive(connection, order, data=envelope.data, ticket_id=edge.new_id())
    _log.info("order_received", receipt=received.receipt)
    if received.receipt == "other_content":
        _park(edge, parked(body, reason="CONFLICT", detail="The ticket key was used before with other content."))
    acted = act(edge, tenant=order.tenant, ticket_id=received.ticket_id, tried=received.helpdesk)
    if received.receipt != "new" and not acted:
        with edge.database.transaction(order.tenant) as connection:
            telling.repeat_last_change(connection, received.ticket_id)


def _park(edge: Edge, message: ParkedMessage) -> None:
    parked_id = edge.new_id()
    stamp = telling.Stamp(now=edge.clock(), message_id=edge.new_id())
    with edge.database.transaction(message.tenant) as connection:
        if _is_about_erased(connection, message):
            return
        if parking.park(connection, message, parked_id=parked_id):
            parking.report(connection, message, stamp, parked_id=parked_id)
    _log.warning("message_parked", reason=message.reason, detail=message.detail, type=message.type)


def _is_about_erased(connection: Connection, message: ParkedMessage) -> bool:
    # An erasure names ids alone: one that cannot be followed is for a person to see.
    if message.attempt_id is None or message.type == CUSTOMER_ERASED:
        return False
    erasing.hold_off(connection, message.attempt_id)
    return erasing.is_erased(connection, message.attempt_id)
