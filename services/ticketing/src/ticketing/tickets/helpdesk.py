"""State what ticketing needs of a helpdesk, and how a helpdesk may disappoint."""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Literal, Protocol

from contracts.errors import YoujuError
from contracts.messages import CreateTicket
from contracts.reasons import EscalationStatus

GuaranteeKind = Literal["native_key", "strong_lookup", "lagging_lookup"]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """How a helpdesk lets us find out after a lost reply.

    `native_key`: a repeated create with our key returns the first ticket. `strong_lookup`: a search by our key sees every
    ticket that exists. `lagging_lookup`: a search may miss what is younger than the lag.

    `lag` is what must pass after the last unanswered create before a lookup is believed: the lag of the index, and the time
    for which the helpdesk may still work on a request we gave up. `key_lives` bounds a native key that is forgotten; after
    it the helpdesk counts as a lagging lookup. `believes_absence` lets a lagging lookup that finds nothing lead to one more
    create; without it a person decides.
    """

    kind: GuaranteeKind
    lag: timedelta = timedelta(0)
    key_lives: timedelta | None = None
    believes_absence: bool = True


def guarantee_after(declared: Guarantee, open_for: timedelta) -> Guarantee:
    """Say what still holds when a create has been unanswered for some time."""
    if declared.kind == "native_key" and declared.key_lives is not None and open_for >= declared.key_lives:
        return replace(declared, kind="lagging_lookup")
    return declared


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a helpdesk is asked at once, and how many failures in a row make us leave it alone for a while."""

    most_at_once: int = 4
    failures_to_open: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpdeskTicket:
    """A ticket as its helpdesk names it: `number` is what people read."""

    external_id: str
    number: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpdeskStatus:
    """Where a ticket stands at its helpdesk, in our words; `solution` is what a person wrote for the customer."""

    status: EscalationStatus
    solution: str | None = None


class Helpdesk(Protocol):
    """A support system. Our ticket key is stamped on what it creates.

    A call ends within 50 seconds whatever the network does: the limit of a task is not enforced in threads, and a lease
    must outlive the call.
    """

    @property
    def name(self) -> str:
        """Name the helpdesk in the ledger."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """Declare what can be relied on after a lost reply."""
        ...

    @property
    def limits(self) -> Limits | None:
        """Say how much it may be asked; None when it is part of this installation."""
        ...

    @property
    def is_polled(self) -> bool:
        """Say whether `read` tells what people did with a ticket."""
        ...

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket. Errors: HelpdeskError, whose outcome says what is known."""
        ...

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket that bears our key. Errors: HelpdeskError."""
        ...

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Read where a ticket stands; None when it is gone. Errors: HelpdeskError."""
        ...


class TryOutcome(StrEnum):
    """What one try came to."""

    CREATED = "CREATED"
    ABSENT = "ABSENT"
    NOT_CREATED = "NOT_CREATED"
    UNKNOWN = "UNKNOWN"
    REFUSED = "REFUSED"
    CONFLICT = "CONFLICT"


class HelpdeskError(YoujuError):
    """The helpdesk did not give us a ticket.

    `is_trouble` marks what speaks against the helpdesk itself and counts towards leaving it alone. The detail names a status
    or a kind of error, never a text of the helpdesk: that may repeat what a customer wrote.
    """

    code = "HELPDESK"
    outcome: ClassVar[TryOutcome] = TryOutcome.UNKNOWN
    is_trouble: ClassVar[bool] = False

    def __init__(self, detail: str | None = None, *, retry_after: timedelta | None = None) -> None:
        """Remember how long the helpdesk asks us to wait."""
        super().__init__(detail)
        self.retry_after = retry_after


class OutcomeUnknownError(HelpdeskError):
    """The reply was lost: the ticket may or may not exist."""

    code = "OUTCOME_UNKNOWN"
    outcome = TryOutcome.UNKNOWN
    is_trouble = True


class InFlightError(HelpdeskError):
    """The helpdesk is busy with an earlier request that bears our key: wait, then read."""

    code = "IN_FLIGHT"
    outcome = TryOutcome.UNKNOWN


class NotCreatedError(HelpdeskError):
    """The helpdesk certainly created nothing; trying again may help."""

    code = "NOT_CREATED"
    outcome = TryOutcome.NOT_CREATED
    is_trouble = True


class RefusedError(HelpdeskError):
    """The helpdesk refuses this ticket, and trying again cannot heal it."""

    code = "REFUSED"
    outcome = TryOutcome.REFUSED


class KeyTakenError(HelpdeskError):
    """The helpdesk holds our key with other content."""

    code = "KEY_TAKEN"
    outcome = TryOutcome.CONFLICT
