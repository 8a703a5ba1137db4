"""Keep the ledger of one tenant in Postgres, each call in a transaction of its own."""

from uuid import UUID

from prometheus_client import Counter, Histogram

from contracts.ids import IdSource
from runtime.clock import Clock
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from ticketing.tickets.creating import TryResult
from ticketing.tickets.helpdesk import Helpdesk
from ticketing.tickets.retrying import Decision
from ticketing.tickets.steps import Steps
from ticketing.tickets.store import ledger
from ticketing.tickets.store.telling import Stamp
from ticketing.tickets.ticket import HeldTicket

_TRIES = Counter("youju_ticket_tries_total", "Tries to create a ticket at a helpdesk", ["outcome", "state"])
_SECONDS = Histogram("youju_helpdesk_seconds", "Time a helpdesk took to answer a try", ["step", "outcome"])
_log = get_logger("ledger")


class PostgresLedger:
    """Fulfils what creating a ticket needs of the ledger."""

    def __init__(self, database: SyncDatabase, *, tenant: str, clock: Clock, new_id: IdSource, steps: Steps) -> None:
        """Take the tenant, the clock, the source of ids, and who knows whether the database's own clock was set."""
        self._database = database
        self._tenant = tenant
        self._clock = clock
        self._new_id = new_id
        self._steps = steps

    def take_up(self, ticket_id: UUID, *, helpdesk: Helpdesk) -> HeldTicket | None:
        """Lease a due ticket and commit, so that the lease is seen before the helpdesk is called."""
        with self._database.transaction(self._tenant) as connection:
            return ledger.take_up(connection, ticket_id, try_id=self._new_id(), helpdesk=helpdesk, steps=self._steps)

    def settle(self, held: HeldTicket, result: TryResult, decision: Decision, *, helpdesk: Helpdesk) -> bool:
        """Record the outcome and write what is to be told, in one transaction."""
        stamp = Stamp(now=self._clock(), message_id=self._new_id())
        with self._database.transaction(self._tenant) as connection:
            kept = ledger.settle(connection, held, result, decision, helpdesk=helpdesk, stamp=stamp, steps=self._steps)
        note_settled(result, decision, helpdesk=helpdesk.name, tries=held.tries, kept=kept)
        return kept


def note_settled(result: TryResult, decision: Decision, *, helpdesk: str, tries: int, kept: bool) -> None:
    """Count a settled try and log it."""
    _TRIES.labels(result.outcome, decision.state).inc()
    if result.latency is not None:
        _SECONDS.labels(result.step, result.outcome).observe(result.latency.total_seconds())
    _log.info(
        "try_settled",
        helpdesk=helpdesk,
        step=result.step,
        outcome=result.outcome,
        error_class=result.error_class,
        state=decision.state,
        tries=tries,
        kept=kept,
    )
