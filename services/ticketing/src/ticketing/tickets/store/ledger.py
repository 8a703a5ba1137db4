"""Keep the ledger: one row a ticket key, a row for every try, leases with fencing tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import Connection, Row, case, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningUpdate

from contracts.messages import CreateTicket
from runtime.telemetry import current_traceparent
from ticketing import tables
from ticketing.tickets.creating import TryResult
from ticketing.tickets.gate import wait_at
from ticketing.tickets.helpdesk import Helpdesk, TryOutcome
from ticketing.tickets.retrying import Decision
from ticketing.tickets.steps import Steps
from ticketing.tickets.store.erasing import erased
from ticketing.tickets.store.gates import lock_gate, note_result
from ticketing.tickets.store.moments import after
from ticketing.tickets.store.telling import Stamp, announce
from ticketing.tickets.ticket import (
    HeldTicket,
    OpenQuestion,
    TicketState,
    content_hash,
    status_of,
    takeable_states,
)

_TICKET: Final = tables.TICKET.c
_TRY: Final = tables.TICKET_TRY.c
_PARKED: Final = tables.PARKED_MESSAGE.c
_NOW: Final = text("clock_timestamp()")

# A call to a helpdesk ends within 50 seconds; the lease outlives it and the statements around it.
LEASE_SECONDS: Final = 75
# A try that was cut off can have left a request under way for as long as a call may take.
_CALL_SECONDS: Final = 60
# The worker that received an order tries first; the pulse takes it up when that worker is gone.
HEAD_START_SECONDS: Final = 10
_FIRST_POLL_SECONDS: Final = 30
_STEP_BACK_SECONDS: Final = 60
_NO_PLACE_SECONDS: Final = 1

Receipt = Literal["new", "repeat", "other_content"]


@dataclass(frozen=True, slots=True)
class Received:
    """The ledger row of a message, whether the message is the first with its key, and the helpdesk that was tried."""

    ticket_id: UUID
    receipt: Receipt
    helpdesk: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """What a ticket that is taken up again continues: attempt, trace, and the helpdesk that was tried, if one was."""

    attempt_id: str
    traceparent: str | None
    helpdesk: str | None


def receive(connection: Connection, order: CreateTicket, *, data: Mapping[str, object], ticket_id: UUID) -> Received:
    """Write the ledger row of an order. Repeat: the row of the first order with this key stands."""
    digest = content_hash(data)
    # What was told of an order that could not be read has taken numbers of the sequence.
    told = select(func.count()).where(_PARKED.ticket_key == order.ticket_key, _PARKED.is_reported)
    row = (
        insert(tables.TICKET)
        .values(
            id=ticket_id,
            tenant=order.tenant,
            ticket_key=order.ticket_key,
            escalation_id=order.escalation_id,
            attempt_id=order.attempt_id,
            body=dict(data),
            body_hash=digest,
            due_at=after(HEAD_START_SECONDS),
            sequence=told.scalar_subquery(),
            traceparent=current_traceparent(),
        )
        .on_conflict_do_nothing(index_elements=["tenant", "ticket_key"])
        .returning(_TICKET.id)
    )
    if connection.execute(row).one_or_none():
        return Received(ticket_id, "new")
    first = connection.execute(
        select(_TICKET.id, _TICKET.body_hash, _TICKET.helpdesk).where(_TICKET.ticket_key == order.ticket_key)
    ).one()
    return Received(first.id, "repeat" if first.body_hash == digest else "other_content", first.helpdesk)


def origin(connection: Connection, ticket_id: UUID) -> Origin:
    """Give what a ticket continues."""
    query = select(_TICKET.attempt_id, _TICKET.traceparent, _TICKET.helpdesk).where(_TICKET.id == ticket_id)
    row = connection.execute(query).one()
    return Origin(row.attempt_id, row.traceparent, row.helpdesk)


def take_up(
    connection: Connection, ticket_id: UUID, *, try_id: UUID, helpdesk: Helpdesk, steps: Steps
) -> HeldTicket | None:
    """Lease a new or due ticket and open a try. `steps` knows whether the clock of the database was set.

    None when it is not due, final, or being taken by somebody else; also when its helpdesk rests or has no place free: then
    the ticket waits without spending a try. One whose attempt was erased is not created any more, only looked for.
    """
    found = _lock_due(connection, ticket_id)
    if found is None:
        return None
    if found.is_erased and found.open_since is None:
        _lay_down(connection, found)
        return None
    if not _passes_gate(connection, found, helpdesk):
        return None
    leased = (
        update(tables.TICKET)
        .where(_TICKET.id == ticket_id)
        .values(
            state=TicketState.CREATING,
            fence=_TICKET.fence + 1,
            due_at=after(LEASE_SECONDS),
            helpdesk=helpdesk.name,
            open_since=func.coalesce(_TICKET.open_since, _NOW),
        )
        .returning(tables.TICKET)
    )
    row = connection.execute(leased).one()
    _open_try(connection, row, try_id, steps)
    held = _held(connection, row, open_since=found.open_since, steps=steps)
    return replace(held, is_erased=found.is_erased)


def step_back(connection: Connection, ticket_id: UUID) -> None:
    """Let a due ticket that could not even be taken up wait a minute, so that it stands in no other's way."""
    waits = _TICKET.state.in_(takeable_states()) & (_TICKET.due_at <= _NOW)
    connection.execute(
        update(tables.TICKET).where(_TICKET.id == ticket_id, waits).values(due_at=after(_STEP_BACK_SECONDS))
    )


def put_back(connection: Connection, ticket_id: UUID) -> None:
    """Let a new or due ticket come due in a moment: whoever was about to try it has no place at its helpdesk."""
    waits = _TICKET.state.in_(takeable_states()) & or_(_TICKET.state == TicketState.RECEIVED, _TICKET.due_at <= _NOW)
    # One whose holder vanished gives its place at the helpdesk back.
    abandoned = _TICKET.state == TicketState.CREATING
    connection.execute(
        update(tables.TICKET)
        .where(_TICKET.id == ticket_id, waits)
        .values(
            state=case((abandoned, TicketState.OUTCOME_UNKNOWN), else_=_TICKET.state),
            due_at=after(_NO_PLACE_SECONDS) + func.random() * text("interval '1 second'"),
        )
    )


def settle(  # noqa: PLR0913 - one transaction records everything a try brought
    connection: Connection,
    held: HeldTicket,
    result: TryResult,
    decision: Decision,
    *,
    helpdesk: Helpdesk,
    stamp: Stamp,
    steps: Steps,
) -> bool:
    """Record a try, move the ticket, and tell the customer's side what is new.

    Returns False when the lease went to somebody else: then only the try is recorded.
    """
    steps.see(_close_try(connection, held, result, ended=steps.seconds()))
    # The ticket before the gate, as when it is taken up: two transactions that lock both would wait for each other.
    row = connection.execute(
        _moved(held, result, decision, is_polled=helpdesk.is_polled and not held.is_erased)
    ).one_or_none()
    if helpdesk.limits is not None:
        tenant = held.content.tenant
        note_result(connection, result, helpdesk.limits, tenant=tenant, helpdesk=helpdesk.name)
    if row is None:
        return False
    # Of an erased attempt nobody waits to hear.
    if not held.is_erased:
        announce(connection, row, status_of(decision.state), stamp)
    return True


def _lock_due(connection: Connection, ticket_id: UUID) -> Row[Any] | None:  # a whole row of the ledger
    query = (
        select(tables.TICKET, erased(_TICKET.attempt_id).label("is_erased"))
        .where(_TICKET.id == ticket_id, _TICKET.state.in_(takeable_states()))
        .where(or_(_TICKET.state == TicketState.RECEIVED, _TICKET.due_at <= _NOW))
        .with_for_update(skip_locked=True)
    )
    return connection.execute(query).one_or_none()


def _passes_gate(connection: Connection, row: Row[Any], helpdesk: Helpdesk) -> bool:  # as above
    if helpdesk.limits is None:
        return True
    wait = wait_at(lock_gate(connection, tenant=row.tenant, helpdesk=helpdesk.name), helpdesk.limits)
    if wait is None:
        return True
    seconds = wait.total_seconds()
    connection.execute(
        update(tables.TICKET)
        .where(_TICKET.id == row.id)
        .values(
            state=_let_go(row),
            due_at=after(seconds) + func.random() * text(f"interval '{seconds / 2} seconds'"),
        )
    )
    return False


def _lay_down(connection: Connection, row: Row[Any]) -> None:  # as above
    connection.execute(update(tables.TICKET).where(_TICKET.id == row.id).values(state=_let_go(row), due_at=None))


def _let_go(row: Row[Any]) -> TicketState:  # as above
    """Give the state of a ticket nobody tries now: one whose holder vanished gives its place at the helpdesk back."""
    return TicketState.OUTCOME_UNKNOWN if row.state == TicketState.CREATING else TicketState(row.state)


def _open_try(connection: Connection, row: Row[Any], try_id: UUID, steps: Steps) -> None:  # as above
    values = {
        "id": try_id,
        "tenant": row.tenant,
        "ticket_id": row.id,
        "attempt_id": row.attempt_id,
        "fence": row.fence,
        "helpdesk": row.helpdesk,
        "machine": steps.machine,
        "began": steps.seconds(),
    }
    connection.execute(insert(tables.TICKET_TRY).values(**values))


def _held(
    connection: Connection, row: Row[Any], *, open_since: datetime | None, steps: Steps
) -> HeldTicket:  # as above
    asked = func.coalesce(_TRY.finished_at, _TRY.started_at + text(f"interval '{_CALL_SECONDS} seconds'"))
    may_create = or_(_TRY.step.is_(None), _TRY.step == "create") & (_TRY.fence < row.fence)
    here = may_create & (_TRY.machine == steps.machine)
    counts = select(
        func.count().filter(_TRY.fence > row.counted_from).label("tries"),
        func.count().filter(_TRY.outcome == TryOutcome.ABSENT).label("absences"),
        func.max(asked).filter(may_create).label("asked"),
        func.max(func.coalesce(_TRY.ended, _TRY.began + _CALL_SECONDS)).filter(here).label("ended"),
        func.min(_TRY.began).filter(here, _TRY.started_at >= row.open_since).label("began"),
        func.clock_timestamp().label("now"),
    ).where(_TRY.ticket_id == row.id)
    found = connection.execute(counts).one()
    # A clock that is set there and back is caught only by whoever looks at it in between.
    steps.see(found.now)
    return HeldTicket(
        ticket_id=row.id,
        fence=row.fence,
        tries=found.tries,
        absences=found.absences,
        question=None if open_since is None else _question(found, open_since, steps),
        content=CreateTicket.model_validate(row.body),
    )


def _question(found: Row[Any], open_since: datetime, steps: Steps) -> OpenQuestion:  # moments of a ticket's tries
    """Say how long a question is open at most and quiet at least: by the clock, and by the stopwatch where it was noted here."""
    quiet = [steps.passed(found.asked, found.now).surely] if found.asked is not None else [timedelta(0)]
    quiet += [steps.since(found.ended)] if found.ended is not None else []
    open_for = [steps.passed(open_since, found.now).at_most]
    open_for += [steps.since(found.began)] if found.began is not None else []
    return OpenQuestion(open_for=max(open_for), quiet_for=min(quiet))


def _close_try(connection: Connection, held: HeldTicket, result: TryResult, *, ended: float) -> datetime:
    closed = (
        update(tables.TICKET_TRY)
        .where(_TRY.ticket_id == held.ticket_id, _TRY.fence == held.fence)
        .values(
            step=result.step,
            finished_at=_NOW,
            ended=ended,
            outcome=result.outcome,
            latency_ms=None if result.latency is None else round(result.latency.total_seconds() * 1000),
            error_class=result.error_class,
            detail=result.detail,
            external_id=result.ticket.external_id if result.ticket else None,
        )
        .returning(_TRY.finished_at)
    )
    return connection.execute(closed).scalar_one()


def _moved(
    held: HeldTicket, result: TryResult, decision: Decision, *, is_polled: bool
) -> ReturningUpdate[Any]:  # whole rows of the ledger
    changes: dict[str, object] = {
        "state": decision.state,
        "due_at": after(decision.wait.total_seconds()) if decision.wait is not None else None,
        "open_since": _TICKET.open_since if decision.is_open else None,
        "changed_at": _NOW,
    }
    if result.ticket is not None:
        changes |= {"external_id": result.ticket.external_id, "ticket_number": result.ticket.number}
        changes["poll_at"] = after(_FIRST_POLL_SECONDS) if is_polled else None
    return (
        update(tables.TICKET)
        .where(_TICKET.id == held.ticket_id, _TICKET.fence == held.fence, _TICKET.state == TicketState.CREATING)
        .values(**changes)
        .returning(tables.TICKET)
    )
