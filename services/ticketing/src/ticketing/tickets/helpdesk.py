"""State what ticketing needs of a helpdesk, and how a helpdesk may disappoint."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Literal, Protocol

from contracts.errors import YoujuError
from contracts.messages import CreateTicket


@dataclass(frozen=True, slots=True)
class Guarantee:
    """How a helpdesk lets us find out after a lost reply.

    `native_key`: a repeated create with our key returns the first ticket. `strong_lookup`: a search by our key sees
    everything created before it. `lagging_lookup`: a search may miss what is younger than `lag`.
    """

    kind: Literal["native_key", "strong_lookup", "lagging_lookup"]
    lag: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpdeskTicket:
    """A ticket as its helpdesk names it: `number` is what people read."""

    external_id: str
    number: str


class Helpdesk(Protocol):
    """A support system. Our ticket key is stamped on what it creates."""

    @property
    def name(self) -> str:
        """Name the helpdesk in the ledger."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """Declare what can be relied on after a lost reply."""
        ...

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket. Errors: HelpdeskError, whose outcome says what is known."""
        ...

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket that bears our key. Errors: HelpdeskError."""
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
    """The helpdesk did not give us a ticket."""

    code = "HELPDESK"
    outcome: ClassVar[TryOutcome] = TryOutcome.UNKNOWN

    def __init__(self, detail: str | None = None, *, retry_after: timedelta | None = None) -> None:
        """Remember how long the helpdesk asks us to wait."""
        super().__init__(detail)
        self.retry_after = retry_after


class OutcomeUnknownError(HelpdeskError):
    """The reply was lost: the ticket may or may not exist."""

    code = "OUTCOME_UNKNOWN"
    outcome = TryOutcome.UNKNOWN


class NotCreatedError(HelpdeskError):
    """The helpdesk certainly created nothing; trying again may help."""

    code = "NOT_CREATED"
    outcome = TryOutcome.NOT_CREATED


class RefusedError(HelpdeskError):
    """The helpdesk refuses this ticket, and trying again cannot heal it."""

    code = "REFUSED"
    outcome = TryOutcome.REFUSED


class KeyTakenError(HelpdeskError):
    """The helpdesk holds our key with other content."""

    code = "KEY_TAKEN"
    outcome = TryOutcome.CONFLICT
