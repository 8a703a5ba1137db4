"""Receive messages that travelled together: one transaction for what is plain, each by itself for what is not."""

from collections.abc import Sequence
from functools import partial

from celery import Celery

from contracts.messages import ACKNOWLEDGED, BATCHES, CREATE_TICKET, Envelope
from contracts.reading import later_batches
from runtime.logging import get_logger
from runtime.parking import Body
from runtime.receiving import acknowledged_id, receive_alone, receive_together, unanswered
from ticketing.tasks.edge import Edge
from ticketing.tasks.opening import NotTogetherError, open_at_desk, sort_orders
from ticketing.tasks.receiving import receive_carefully, receive_unknown_version, receiver_of, take_acknowledgement
from ticketing.tickets.store import telling

_log = get_logger("receiving")


def register_batches(app: Celery, edge: Edge) -> None:
    """Give the worker the tasks whose argument is an array of messages."""

    def create_tickets(bodies: list[Body]) -> None:
        receive_orders(edge, bodies)

    def acknowledged(bodies: list[Body]) -> None:
        receive_acknowledgements(edge, bodies)

    def later_create_tickets(bodies: list[Body]) -> None:
        receive_alone(partial(receive_unknown_version, edge), bodies)

    app.task(create_tickets, shared=False, name=BATCHES[CREATE_TICKET])
    for name in later_batches(CREATE_TICKET):
        app.task(later_create_tickets, shared=False, name=name)
    app.task(acknowledged, shared=False, name=BATCHES[ACKNOWLEDGED])


def receive_orders(edge: Edge, bodies: Sequence[Body]) -> None:
    """Open the tickets of many orders at the built-in desk; one for a helpdesk elsewhere goes on as a message of its own.

    A batch ends within the limit of a task that way, however slow a helpdesk is. Repeat: as `receive_order`, each by itself.
    """
    found = sort_orders(edge, bodies)
    alone, left = list(found.elsewhere), list(found.unreadable)
    for orders in found.here.values():
        try:
            left += [order.body for order in open_at_desk(edge, orders)]
        except NotTogetherError:
            _log.warning("orders_not_opened_together", orders=len(orders), exc_info=True)
            alone += [order.envelope for order in orders]
    for envelope in alone:
        edge.forward(envelope)
    receive_alone(partial(receive_carefully, edge), left)


def receive_acknowledgements(edge: Edge, bodies: Sequence[Body]) -> None:
    """End the repetition of messages we sent. Repeat: the first time counts."""
    together = partial(take_acknowledgements, edge)
    receive_together(unanswered(receiver_of(edge)), bodies, together, partial(take_acknowledgement, edge))


def take_acknowledgements(edge: Edge, tenant: str, envelopes: Sequence[Envelope]) -> None:
    """Mark messages of ours as handled, in one transaction. Repeat: the first time counts."""
    message_ids = [acknowledged_id(envelope) for envelope in envelopes]
    with edge.database.transaction(tenant) as connection:
        telling.acknowledge_all(connection, message_ids)
