"""Receive messages that travelled together: one transaction for what is plain, each by itself for what is not."""

from collections.abc import Callable, Sequence
from uuid import UUID

from celery import Celery

from contracts.errors import UnavailableError
from contracts.messages import ACKNOWLEDGED, BATCHES, CREATE_TICKET, Acknowledged, Envelope
from runtime.logging import get_logger
from ticketing.tasks.edge import Edge
from ticketing.tasks.opening import Body, NotTogetherError, open_at_desk, sort_orders
from ticketing.tasks.receiving import receive_carefully
from ticketing.tickets.store import telling

_log = get_logger("receiving")


def register_batches(app: Celery, edge: Edge) -> None:
    """Give the worker the tasks whose argument is an array of messages."""

    def create_tickets(bodies: list[Body]) -> None:
        receive_orders(edge, bodies)

    def acknowledged(bodies: list[Body]) -> None:
        receive_acknowledgements(edge, bodies)

    app.task(create_tickets, name=BATCHES[CREATE_TICKET])
    app.task(acknowledged, name=BATCHES[ACKNOWLEDGED])


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
    each_alone(lambda body: receive_carefully(edge, body), left)


def receive_acknowledgements(edge: Edge, bodies: Sequence[Body]) -> None:
    """End the repetition of messages we sent. Repeat: the first time counts."""
    by_tenant: dict[str, list[UUID]] = {}
    for envelope in map(Envelope.model_validate, bodies):
        said = Acknowledged.model_validate(envelope.data)
        by_tenant.setdefault(envelope.tenant, []).append(UUID(said.message_id))
    for tenant, message_ids in by_tenant.items():
        with edge.database.transaction(tenant) as connection:
            telling.acknowledge_all(connection, message_ids)


def each_alone(handle: Callable[[Body], None], bodies: Sequence[Body]) -> None:
    """Handle messages one after the other; one that fails keeps no other from being handled.

    Errors: UnavailableError at once, an ExceptionGroup of all others at the end.
    """
    failures: list[Exception] = []
    for body in bodies:
        try:
            handle(body)
        except UnavailableError:
            raise
        except Exception as failure:  # noqa: BLE001 - raised below
            failures.append(failure)
    if failures:
        raise ExceptionGroup("Some messages of a batch were not handled.", failures)
