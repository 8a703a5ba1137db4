"""Take orders to the built-in desk the short way; whatever is not new, plain and for the desk is left to the careful way."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from contracts.errors import UnavailableError
from contracts.messages import CreateTicket, Envelope
from contracts.reading import UnreadableMessageError, read_data, read_envelope
from runtime.logging import bound, get_logger
from runtime.parking import Body
from runtime.receiving import acknowledge
from runtime.telemetry import attempt_span, continued_from, current_traceparent
from ticketing.adapters.ledger import note_settled
from ticketing.adapters.opening import CREATED, Hear, hearing_here, open_all
from ticketing.tasks.edge import Edge
from ticketing.tickets.creating import TryResult
from ticketing.tickets.store.opening import Arrival

_log = get_logger("opening")


class NotTogetherError(Exception):
    """These orders cannot be handled in one transaction; whichever spoils it shows itself when each is handled alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order that can be read, with the message it came in."""

    body: Body
    envelope: Envelope
    arrival: Arrival


@dataclass(slots=True)
class Sorted:
    """Messages by what becomes of them: orders for the desk by tenant, orders for elsewhere, and what cannot be read."""

    here: dict[str, list[Order]]
    elsewhere: list[Envelope]
    unreadable: list[Body]


def sort_orders(edge: Edge, bodies: Sequence[Body]) -> Sorted:
    """Read messages and see where their orders go."""
    sorted_out = Sorted({}, [], [])
    for body in bodies:
        order = _read(edge, body, is_alone=len(bodies) == 1)
        if order is None:
            sorted_out.unreadable.append(body)
        elif _hearing(edge, order.envelope.tenant) is None:
            sorted_out.elsewhere.append(order.envelope)
        else:
            sorted_out.here.setdefault(order.envelope.tenant, []).append(order)
    return sorted_out


def open_at_desk(edge: Edge, orders: Sequence[Order]) -> list[Order]:
    """Open the tickets of one tenant's orders in one transaction and acknowledge them; give those it did not settle.

    Repeat: an order that is in the ledger already is given back.
    Errors: UnavailableError when the database is away, NotTogetherError when one of the orders spoils the transaction.
    """
    hear = _hearing(edge, orders[0].envelope.tenant)
    if hear is None:
        return list(orders)
    try:
        results = open_all(
            edge.database, [each.arrival for each in orders], hear=hear, clock=edge.clock, new_id=edge.new_id
        )
    except Exception as trouble:
        # A database that refuses one order as too long says so in the same way as one that is away: this tells which it was.
        edge.database.ping()
        raise NotTogetherError from trouble
    settled = [each for each in orders if each.arrival.ticket_id in results]
    for each in settled:
        _note(each, results[each.arrival.ticket_id])
    acknowledge(edge.acknowledge, [each.envelope for each in settled])
    return [each for each in orders if each.arrival.ticket_id not in results]


def _hearing(edge: Edge, tenant: str) -> Hear | None:
    try:
        return hearing_here(edge.choose(tenant, None))
    except UnavailableError:
        raise
    except Exception:  # noqa: BLE001 - the careful way meets it again, counts it and parks what is poison
        return None


def _read(edge: Edge, body: Body, *, is_alone: bool) -> Order | None:
    try:
        envelope = read_envelope(body)
        order = read_data(CreateTicket, envelope)
    except UnreadableMessageError:
        return None
    with ExitStack() as frame:
        # The message of a batch names the trace of its own; around a single one it is open already.
        if not is_alone:
            frame.enter_context(continued_from(envelope.traceparent))
        frame.enter_context(
            attempt_span(f"receive {envelope.type}", tenant=envelope.tenant, attempt_id=envelope.attemptid)
        )
        arrival = Arrival(
            ticket_id=edge.new_id(),
            try_id=edge.new_id(),
            message_id=edge.new_id(),
            order=order,
            data=envelope.data,
            traceparent=current_traceparent(),
        )
    return Order(body=body, envelope=envelope, arrival=arrival)


def _note(order: Order, result: TryResult | None) -> None:
    envelope = order.envelope
    with (
        continued_from(order.arrival.traceparent),
        bound(message_id=envelope.id, attempt_id=envelope.attemptid, tenant=envelope.tenant),
    ):
        if result is None:
            # The order was under way when its customer was erased, or is a repeat.
            _log.info("order_of_an_erased_attempt")
            return
        note_settled(result, CREATED, helpdesk="desk", tries=1, kept=True)
