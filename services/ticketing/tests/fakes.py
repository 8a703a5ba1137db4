"""Fulfil ticketing's protocols for tests: a helpdesk that disappoints as told, and orders to send."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from contracts.ids import uuid7
from contracts.messages import CREATE_TICKET, CreateTicket, Envelope
from ticketing.tickets.helpdesk import (
    Guarantee,
    Helpdesk,
    HelpdeskError,
    HelpdeskStatus,
    HelpdeskTicket,
    Limits,
)

MOMENT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


class WorkerKilled(BaseException):
    """The worker is gone in the middle of its work."""


def order(tenant: str, *, ticket_key: str = "key-1", question: str = "能退吗？") -> CreateTicket:
    """Make an order for a ticket."""
    return CreateTicket(
        tenant=tenant,
        ticket_key=ticket_key,
        escalation_id="esc_" + "0" * 32,
        attempt_id="att_" + "1" * 32,
        conversation_id="cnv_" + "2" * 32,
        question=question,
        answer=None,
        refused=True,
        reason_code=None,
        refusal_reason=None,
        handoff="required",
        citations=(),
        feedback=None,
        lineage=(),
        transcript=(),
        note=None,
        language="zh",
        priority="normal",
        trace_id="0" * 32,
        requested_at=MOMENT,
    )


def message(wanted: CreateTicket, *, extra: dict[str, object] | None = None) -> dict[str, object]:
    """Put an order into an envelope with an id of its own."""
    envelope = Envelope(
        id=str(uuid7()),
        source="bff",
        type=CREATE_TICKET,
        subject=wanted.ticket_key,
        time=MOMENT,
        tenant=wanted.tenant,
        attemptid=wanted.attempt_id,
        data=wanted.model_dump(mode="json") | (extra or {}),
    )
    return envelope.model_dump(mode="json")


@dataclass
class ScriptedHelpdesk:
    """A helpdesk that keeps every ticket it created and disappoints as its script says, try by try.

    `hear` is given each ticket, `before` runs before the ticket exists, `after` once it exists and before the reply arrives.
    """

    guarantee: Guarantee = field(default_factory=lambda: Guarantee("native_key"))
    errors: list[HelpdeskError | None] = field(default_factory=list[HelpdeskError | None])
    before: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None
    created: list[str] = field(default_factory=list[str])
    lookups: int = 0
    name: str = "scripted"
    limits: Limits | None = None
    is_polled: bool = False
    status: HelpdeskStatus | None = None
    hear: Callable[[CreateTicket], object] = lambda _ticket: None

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket, or the first again when the key is native; then disappoint if the script says so."""
        self.hear(ticket)
        self.before()
        error = self.errors.pop(0) if self.errors else None
        if error is not None and error.outcome != "UNKNOWN":
            raise error
        if self.guarantee.kind != "native_key" or ticket.ticket_key not in self.created:
            self.created.append(ticket.ticket_key)
        self.after()
        if error is not None:
            raise error
        return HelpdeskTicket(external_id="7", number="S-7")

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Find what was created."""
        del tenant
        self.lookups += 1
        return HelpdeskTicket(external_id="7", number="S-7") if ticket_key in self.created else None

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Say what a person did with the ticket."""
        del tenant, external_id
        return self.status


def only(helpdesk: Helpdesk) -> Callable[[str, str | None], Helpdesk]:
    """Choose one helpdesk for everybody."""

    def choose(_tenant: str, _tried: str | None) -> Helpdesk:
        return helpdesk

    return choose
