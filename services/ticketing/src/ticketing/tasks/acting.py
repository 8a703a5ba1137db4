"""Act from a ledger row: one try at one ticket, for a message that came or a retry that is due."""

from uuid import UUID

from runtime.logging import bound
from runtime.telemetry import attempt_span, continued_from
from ticketing.adapters.ledger import PostgresLedger
from ticketing.tasks.edge import Edge
from ticketing.tickets import store
from ticketing.tickets.creating import create_once


def act(edge: Edge, *, tenant: str, ticket_id: UUID) -> bool:
    """Make one try at a ticket and say whether there was one to make.

    Repeat: the lease admits one worker at a time, and a final ticket is left alone.
    """
    ledger = PostgresLedger(edge.database, tenant=tenant, clock=edge.clock, new_id=edge.new_id)
    return create_once(ticket_id, ledger=ledger, helpdesk=edge.helpdesk, spread=edge.spread)


def resume(edge: Edge, *, tenant: str, ticket_id: UUID) -> bool:
    """Act on a ticket that came due by itself, in the trace and log context it came from."""
    with edge.database.transaction(tenant) as connection:
        origin = store.origin(connection, ticket_id)
    with (
        continued_from(origin.traceparent),
        attempt_span("resume ticket", tenant=tenant, attempt_id=origin.attempt_id),
        bound(attempt_id=origin.attempt_id, tenant=tenant),
    ):
        return act(edge, tenant=tenant, ticket_id=ticket_id)
