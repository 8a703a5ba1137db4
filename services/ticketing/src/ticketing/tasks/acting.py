"""Act from a ledger row: one try at one ticket, for a message that came or a retry that is due."""

from uuid import UUID

from contracts.errors import UnavailableError
from runtime.logging import bound
from runtime.telemetry import attempt_span, continued_from
from ticketing.adapters.ledger import PostgresLedger
from ticketing.tasks.edge import Edge
from ticketing.tickets.creating import create_once
from ticketing.tickets.helpdesk import Helpdesk
from ticketing.tickets.store import ledger


def act(edge: Edge, *, tenant: str, ticket_id: UUID, tried: str | None) -> bool:
    """Make one try at a ticket and say whether there was one to make. `tried` is the helpdesk of an earlier try.

    Where all places at a helpdesk elsewhere are taken, the ticket comes due again in a moment instead of holding a thread.
    Repeat: the lease admits one worker at a time, and a final ticket is left alone.
    """
    # What one helpdesk may have created, another cannot find: a ticket stays with the helpdesk that was tried.
    helpdesk = edge.choose(tenant, tried)
    if helpdesk.limits is None:
        return _try_once(edge, helpdesk, tenant=tenant, ticket_id=ticket_id)
    with edge.places.at(helpdesk.name) as has_place:
        if has_place:
            return _try_once(edge, helpdesk, tenant=tenant, ticket_id=ticket_id)
    with edge.database.transaction(tenant) as connection:
        ledger.put_back(connection, ticket_id)
    return False


def _try_once(edge: Edge, helpdesk: Helpdesk, *, tenant: str, ticket_id: UUID) -> bool:
    kept = PostgresLedger(edge.database, tenant=tenant, clock=edge.clock, new_id=edge.new_id, steps=edge.steps)
    return create_once(ticket_id, ledger=kept, helpdesk=helpdesk, chance=edge.chance)


def resume(edge: Edge, *, tenant: str, ticket_id: UUID) -> bool:
    """Act on a ticket that came due by itself, in the trace and log context it came from.

    A ticket that cannot be taken up steps back before its error is raised.
    """
    with edge.database.transaction(tenant) as connection:
        origin = ledger.origin(connection, ticket_id)
    with (
        continued_from(origin.traceparent),
        attempt_span("resume ticket", tenant=tenant, attempt_id=origin.attempt_id),
        bound(attempt_id=origin.attempt_id, tenant=tenant),
    ):
        try:
            return act(edge, tenant=tenant, ticket_id=ticket_id, tried=origin.helpdesk)
        except UnavailableError:
            raise
        except Exception:
            with edge.database.transaction(tenant) as connection:
                ledger.step_back(connection, ticket_id)
            raise
