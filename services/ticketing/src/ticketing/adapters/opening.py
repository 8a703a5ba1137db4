"""Open tickets at the built-in desk from the first row to the last in one transaction, many at once.

The desk keeps its tickets in the database of the ledger, so no reply can be lost between the two: either all is there or
nothing is, and a repeat finds the key.
"""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from contracts.ids import IdSource
from contracts.messages import CreateTicket
from runtime.clock import Clock
from runtime.database import SyncDatabase
from ticketing.adapters.desk import NAME, BuiltInDesk, named
from ticketing.adapters.masked import MaskedHelpdesk
from ticketing.desk.store import open_tickets
from ticketing.tickets.creating import TryResult
from ticketing.tickets.helpdesk import Helpdesk, HelpdeskTicket, TryOutcome
from ticketing.tickets.retrying import Decision
from ticketing.tickets.store.opening import (
    Arrival,
    Opened,
    hold_off_all,
    receive_all,
    settle_all,
    take_up_all,
)
from ticketing.tickets.ticket import TicketState

Hear = Callable[[CreateTicket], CreateTicket]
CREATED: Final = Decision(TicketState.CREATED)


def hearing_here(helpdesk: Helpdesk) -> Hear | None:
    """Say how the built-in desk hears an order; None when the helpdesk is elsewhere."""
    match helpdesk:
        case BuiltInDesk():
            return lambda order: order
        case MaskedHelpdesk(behind=BuiltInDesk()):
            return helpdesk.told
        case _:
            return None


def open_all(
    database: SyncDatabase, arrivals: Sequence[Arrival], *, hear: Hear, clock: Clock, new_id: IdSource
) -> dict[UUID, TryResult | None]:
    """Open the tickets of one tenant's orders and give what came of each by its ticket id; None for an erased attempt.

    Repeat: an order whose key is in the ledger is not among them.
    """
    tenant, began = arrivals[0].order.tenant, time.perf_counter()
    heard = {each.ticket_id: hear(each.order) for each in arrivals}
    with database.transaction(tenant) as connection:
        erased = hold_off_all(connection, [each.order.attempt_id for each in arrivals])
        silent: dict[UUID, TryResult | None] = {
            each.ticket_id: None for each in arrivals if each.order.attempt_id in erased
        }
        new = receive_all(connection, [each for each in arrivals if each.ticket_id not in silent], tenant=tenant)
        if not new:
            return silent
        take_up_all(connection, new, helpdesk=NAME)
        numbers = open_tickets(connection, [(new_id(), heard[each.ticket_id]) for each in new], tenant=tenant)
        made = [(each, named(numbers[each.order.ticket_key])) for each in new]
        opened = Opened(helpdesk=NAME, latency=timedelta(seconds=time.perf_counter() - began), now=clock())
        settle_all(connection, made, opened, tenant=tenant)
    return silent | {each.ticket_id: _result(ticket, opened) for each, ticket in made}


def _result(ticket: HelpdeskTicket, opened: Opened) -> TryResult:
    return TryResult(step="create", outcome=TryOutcome.CREATED, ticket=ticket, latency=opened.latency)
