"""Receive messages: write the ledger row and commit, act from the row, then acknowledge."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from celery import Celery
from sqlalchemy import Connection

from contracts.messages import (
    ACKNOWLEDGED,
    CREATE_TICKET,
    CUSTOMER_ERASED,
    CreateTicket,
    CustomerErased,
    Envelope,
)
from contracts.reading import read_data
from runtime.logging import get_logger
from runtime.parking import Body, ParkedMessage
from runtime.receiving import Receiver, acknowledged_id, put_aside, receive, refuse_version, unanswered
from ticketing.tasks.acting import act
from ticketing.tasks.edge import Edge
from ticketing.tasks.opening import NotTogetherError, open_at_desk, sort_orders
from ticketing.tickets.receiving import FUTURE_VERSIONS
from ticketing.tickets.store import erasing, ledger, parking, telling

_log = get_logger("receiving")


def register_tasks(app: Celery, edge: Edge) -> None:
    """Give the worker its tasks."""

    def create_ticket(body: Body) -> None:
        receive_order(edge, body)

    def later_create_ticket(body: Body) -> None:
        receive_unknown_version(edge, body)

    def acknowledged(body: Body) -> None:
        receive_acknowledgement(edge, body)

    def erased(body: Body) -> None:
        receive_erasure(edge, body)

    app.task(create_ticket, shared=False, name=CREATE_TICKET)
    app.task(acknowledged, shared=False, name=ACKNOWLEDGED)
    app.task(erased, shared=False, name=CUSTOMER_ERASED)
    for version in FUTURE_VERSIONS:
        app.task(later_create_ticket, shared=False, name=version)


def receive_order(edge: Edge, body: Body) -> None:
    """Open the ticket a message asks for: at the built-in desk in one transaction, elsewhere carefully.

    Repeat: as `receive_carefully`.
    """
    if not _is_opened_at_desk(edge, body):
        receive_carefully(edge, body)


def _is_opened_at_desk(edge: Edge, body: Body) -> bool:
    orders = [order for group in sort_orders(edge, [body]).here.values() for order in group]
    try:
        return bool(orders) and not open_at_desk(edge, orders)
    except NotTogetherError:
        return False


def receive_carefully(edge: Edge, body: Body) -> None:
    """Open the ticket a message asks for step by step, or park the message with the reason why not.

    Repeat: the ledger is unique on the ticket key, so a repeat is answered with the first ticket's TicketChanged.
    """
    receive(receiver_of(edge), body, lambda envelope: _fulfil(edge, body, envelope, read_data(CreateTicket, envelope)))


def receive_unknown_version(edge: Edge, body: Body) -> None:
    """Park an order of a major version that this release does not know. Repeat: the first parking stands."""
    receive(receiver_of(edge), body, refuse_version)


def receive_erasure(edge: Edge, body: Body) -> None:
    """Forget what the tickets of erased attempts say. Repeat: nothing is left to forget."""
    receive(receiver_of(edge), body, lambda envelope: _forget(edge, read_data(CustomerErased, envelope)))


def receive_acknowledgement(edge: Edge, body: Body) -> None:
    """End the repetition of a message we sent. Repeat: the first time counts."""
    receive(unanswered(receiver_of(edge)), body, partial(take_acknowledgement, edge))


def take_acknowledgement(edge: Edge, envelope: Envelope) -> None:
    """Mark a message of ours as handled. Repeat: the first time counts. Errors: UnreadableMessageError."""
    message_id = acknowledged_id(envelope)
    with edge.database.transaction(envelope.tenant) as connection:
        telling.acknowledge(connection, message_id)


def receiver_of(edge: Edge) -> Receiver:
    """Give what messages are received with."""
    return Receiver(database=edge.database, shelf=_Shelf(edge), acknowledge=edge.acknowledge)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """Where orders are put aside: their customers hear of it, unless they were erased."""

    edge: Edge

    def park(self, connection: Connection, message: ParkedMessage, *, parked_id: UUID) -> bool:
        if _is_about_erased(connection, message):
            return False
        stamp = telling.Stamp(now=self.edge.clock(), message_id=self.edge.new_id())
        return parking.park(connection, message, stamp, parked_id=parked_id)

    def count_failure(self, connection: Connection, message: ParkedMessage, *, error_class: str) -> int:
        return parking.PARKING.count_failure(connection, message, error_class=error_class)


def _forget(edge: Edge, said: CustomerErased) -> None:
    with edge.database.transaction(said.tenant) as connection:
        tickets = erasing.erase(connection, tenant=said.tenant, attempt_ids=said.attempt_ids)
    _log.info("attempts_erased", attempts=len(said.attempt_ids), tickets=tickets)


def _fulfil(edge: Edge, body: Body, envelope: Envelope, order: CreateTicket) -> None:
    with edge.database.transaction(order.tenant) as connection:
        erasing.hold_off(connection, order.attempt_id)
        if erasing.is_erased(connection, order.attempt_id):
            # The order was under way when its customer was erased, or is a repeat.
            _log.info("order_of_an_erased_attempt")
            return
        received = ledger.receive(connection, order, data=envelope.data, ticket_id=edge.new_id())
    _log.info("order_received", receipt=received.receipt)
    if received.receipt == "other_content":
        detail = "The ticket key was used before with other content."
        put_aside(receiver_of(edge), body, reason="CONFLICT", detail=detail)
    acted = act(edge, tenant=order.tenant, ticket_id=received.ticket_id, tried=received.helpdesk)
    if received.receipt != "new" and not acted:
        with edge.database.transaction(order.tenant) as connection:
            telling.repeat_last_change(connection, received.ticket_id)


def _is_about_erased(connection: Connection, message: ParkedMessage) -> bool:
    # An erasure names ids alone: one that cannot be followed is for a person to see.
    if message.attempt_id is None or message.type == CUSTOMER_ERASED:
        return False
    erasing.hold_off(connection, message.attempt_id)
    return erasing.is_erased(connection, message.attempt_id)
