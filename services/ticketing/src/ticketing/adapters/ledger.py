"""Keep the ledger of one tenant in Postgres, each call in a transaction of its own."""

from uuid import UUID

from prometheus_client import Counter

from contracts.ids import IdSource
from runtime.clock import Clock
from runtime.database import SyncDatabase
from runtime.logging import get_logger
from ticketing.tickets import store
from ticketing.tickets.creating import TryResult
from ticketing.tickets.retrying import Decision
from ticketing.tickets.ticket import HeldTicket

_TRIES = Counter("youju_ticket_tries_total", "Tries to create a ticket at a helpdesk", ["outcome", "state"])
_log = get_logger("ledger")


class PostgresLedger:
    """Fulfils what creating a ticket needs of the ledger."""

    def __init__(self, database: SyncDatabase, *, tenant: str, clock: Clock, new_id: IdSource) -> None:
        """Take the tenant, the clock and the source of ids."""
        self._database = database
        self._tenant = tenant
        self._clock = clock
        self._new_id = new_id

    def take_up(self, ticket_id: UUID, *, helpdesk: str) -> HeldTicket | None:
        """Lease a due ticket and commit, so that the lease is seen before the helpdesk is called."""
        with self._database.transaction(self._tenant) as connection:
            return store.take_up(connection, ticket_id, try_id=self._new_id(), helpdesk=helpdesk)

    def settle(self, held: HeldTicket, result: TryResult, decision: Decision) -> bool:
        """Record the outcome and write what is to be told, in one transaction."""
        with self._database.transaction(self._tenant) as connection:
            kept = store.settle(connection, held, result, decision, now=self._clock(), new_id=self._new_id)
        _TRIES.labels(result.outcome, decision.state).inc()
        _log.info("try_settled", outcome=result.outcome, state=decision.state, tries=held.tries, kept=kept)
        return kept
