"""Receive messages: write the ledger row and commit, act from the row, then acknowledge."""

from uuid import UUID

from celery import Celery

from contracts.errors import TryAgainError
from contracts.messages import ACKNOWLEDGED, CREATE_TICKET, Acknowledged, CreateTicket, Envelope
from runtime.logging import get_logger
from runtime.queue import receiving
from ticketing.tasks.acting import act
from ticketing.tasks.edge import Edge
from ticketing.tickets import store
from ticketing.tickets.receiving import (
    ParkedMessage,
    UnreadableMessageError,
    parked,
    read_create_ticket,
    read_envelope,
)

_log = get_logger("receiving")


def register_tasks(app: Celery, edge: Edge) -> None:
    """Give the worker its tasks."""

    def create_ticket(body: dict[str, object]) -> None:
        receive_order(edge, body)

    def acknowledged(body: dict[str, object]) -> None:
        receive_acknowledgement(edge, body)

    app.task(create_ticket, name=CREATE_TICKET)
    app.task(acknowledged, name=ACKNOWLEDGED)


def receive_order(edge: Edge, body: dict[str, object]) -> None:
    """Open the ticket a message asks for, or park the message with the reason why not.

    Repeat: the ledger is unique on the ticket key, so a repeat is answered with the first ticket's TicketChanged.
    """
    try:
        read_envelope(body)
    except UnreadableMessageError as unreadable:
        _park(edge, parked(body, reason="MALFORMED", detail=str(unreadable)))
        return
    with receiving(body) as envelope:
        try:
            _fulfil(edge, body, envelope, read_create_ticket(envelope))
        except UnreadableMessageError as unreadable:
            _park(edge, parked(body, reason="MALFORMED", detail=str(unreadable)))
        _acknowledge(edge, envelope)


def receive_acknowledgement(edge: Edge, body: dict[str, object]) -> None:
    """End the repetition of a message we sent. Repeat: the first time counts."""
    with receiving(body) as envelope:
        message_id = UUID(Acknowledged.model_validate(envelope.data).message_id)
        with edge.database.transaction(envelope.tenant) as connection:
            store.acknowledge(connection, message_id)


def _fulfil(edge: Edge, body: dict[str, object], envelope: Envelope, order: CreateTicket) -> None:
    received = _receive(edge, envelope, order)
    _log.info("order_received", receipt=received.receipt)
    if received.receipt == "other_content":
        _park(edge, parked(body, reason="CONFLICT", detail="The ticket key was used before with other content."))
    acted = act(edge, tenant=order.tenant, ticket_id=received.ticket_id)
    if received.receipt != "new" and not acted:
        with edge.database.transaction(order.tenant) as connection:
            store.repeat_last_change(connection, received.ticket_id)


def _receive(edge: Edge, envelope: Envelope, order: CreateTicket) -> store.Received:
    with edge.database.transaction(order.tenant) as connection:
        return store.receive(connection, order, data=envelope.data, ticket_id=edge.new_id())


def _park(edge: Edge, message: ParkedMessage) -> None:
    with edge.database.transaction(message.tenant) as connection:
        store.park(connection, message, parked_id=edge.new_id())
    _log.warning("message_parked", reason=message.reason, detail=message.detail, type=message.type)


def _acknowledge(edge: Edge, envelope: Envelope) -> None:
    try:
        edge.acknowledge(envelope)
    except TryAgainError:
        # The sender repeats the message, which the ledger answers.
        _log.warning("acknowledgement_lost")
