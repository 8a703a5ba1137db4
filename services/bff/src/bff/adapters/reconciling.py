"""Ask knowledge how closed attempts ended, and count where it says something else."""

from typing import Final
from uuid import UUID

from bff.adapters.clients import Clients
from bff.adapters.measures import count_agreement
from bff.attempts.attempt import Attempt
from bff.attempts.failures import AttemptFailedError, KnowledgeTimeoutError, KnowledgeUnavailableError
from bff.attempts.reading import BrokenStreamError
from bff.attempts.store import LeaseStore
from bff.reconciliation.comparing import Agreement, compare
from bff.reconciliation.store import find_uncompared, note_agreement
from contracts.errors import NotFoundError
from contracts.ids import printed
from runtime.logging import get_logger
from runtime.pulse import run_for_each

_BATCH: Final = 50

_log = get_logger("reconciling")


class Reconciler:
    """The pulse duty that holds both records of an attempt side by side."""

    def __init__(self, clients: Clients) -> None:
        """Act as the app role, one tenant after the other."""
        self._clients = clients

    async def run(self) -> int:
        """Compare one batch of each tenant and give how many attempts were compared.

        Repeat: noting is a guarded UPDATE, so two pulses do some work twice and count it once. An attempt that
        knowledge cannot be asked about now is compared at a later turn.
        """
        return await run_for_each(self._clients.tenants.keys(), self.compare_batch)

    async def compare_batch(self, tenant: str) -> int:
        """Compare the oldest closed attempts of a tenant that were not compared yet."""
        async with self._clients.database.transaction(tenant) as connection:
            found = await find_uncompared(connection, limit=_BATCH)
        compared = 0
        for attempt_id in found:
            try:
                compared += await self._compare(tenant, attempt_id)
            except (KnowledgeUnavailableError, KnowledgeTimeoutError):
                break
            except AttemptFailedError:
                # About this one it cannot be asked; the others do not wait for that.
                _log.warning("attempt_not_compared", attempt_id=printed("att", attempt_id), tenant=tenant)
            except NotFoundError:
                # Erased since it was found: nothing is left to compare.
                continue
        return compared

    async def _compare(self, tenant: str, attempt_id: UUID) -> bool:
        async with self._clients.database.transaction(tenant) as connection:
            attempt = await LeaseStore(connection).read(attempt_id)
        agreement = await self._agreement(attempt)
        async with self._clients.database.transaction(tenant) as connection:
            is_first = await note_agreement(connection, attempt_id, agreement)
        if is_first:
            count_agreement(agreement)
            if agreement == "different":
                _log.error("attempt_differs", attempt_id=printed("att", attempt_id), tenant=tenant)
        return is_first

    async def _agreement(self, attempt: Attempt) -> Agreement:
        try:
            return compare(attempt, await self._clients.knowledge.logged_answer(attempt))
        except BrokenStreamError:
            return "explained" if attempt.outcome is None else "different"
