"""End attempts whose runner is gone: with what knowledge logged, else as ABANDONED."""

import asyncio
from typing import Final
from uuid import UUID

from bff.adapters.clients import Clients
from bff.adapters.measures import count_outcome
from bff.attempts.attempt import Assignment, Completed, Failed
from bff.attempts.ending import end_attempt
from bff.attempts.failures import AbandonedError, AttemptFailedError, CancelledAttemptError, failed
from bff.attempts.handoff import with_raised_handoff
from bff.attempts.store import AttemptStore, LeaseStore, expired_leases
from contracts.ids import printed
from contracts.stream import AttemptEvent
from runtime.database import Database
from runtime.logging import bound, get_logger
from runtime.telemetry import attempt_span

# As many as a process runs by default: when it dies, none of them waits for another.
_BATCH: Final = 128
# With the lease of 30 seconds and a turn of the duty, an attempt ends within a minute, whatever knowledge does.
_PATIENCE_SECONDS: Final = 10.0

_log = get_logger("reaping")


class Reaper:
    """The pulse duty for expired leases."""

    def __init__(self, clients: Clients, *, sweeper: Database, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        """Find leases as the sweeper, act on them as the app role. Knowledge has so long to say how each ended."""
        self._clients = clients
        self._sweeper = sweeper
        self._patience_seconds = patience_seconds

    async def run(self) -> int:
        """End one batch of abandoned attempts and say how many were found.

        Repeat: taking a lease over is a guarded UPDATE, so two reapers share the work.
        """
        async with self._sweeper.sweep() as connection:
            found = await expired_leases(connection, limit=_BATCH)
        ended = await asyncio.gather(*(self._reap(*each) for each in found), return_exceptions=True)
        for trouble in ended:
            if isinstance(trouble, BaseException):
                raise trouble
        return len(found)

    async def _reap(self, tenant: str, attempt_id: UUID) -> None:
        assignment = await self._take_over(tenant, attempt_id)
        if assignment is not None:
            await self._end(assignment)

    async def _take_over(self, tenant: str, attempt_id: UUID) -> Assignment | None:
        holder = self._clients.new_id()
        async with self._clients.database.transaction(tenant) as connection:
            attempt = await LeaseStore(connection).take_over(attempt_id, holder=holder)
            if attempt is None:
                return None
            store = AttemptStore(connection, tenant=tenant, customer=attempt.customer)
            history = await store.history(attempt.conversation_id, before=attempt_id)
        return Assignment(attempt=attempt, lease_holder=holder, history=history)

    async def _end(self, assignment: Assignment) -> None:
        attempt = assignment.attempt
        printed_id = printed("att", attempt.attempt_id)

        async def close(final: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
            return await self._clients.record.close(assignment, final, events)

        with attempt_span("reap", tenant=attempt.tenant, attempt_id=printed_id), bound(attempt_id=printed_id):
            result = with_raised_handoff(await self._logged(assignment), attempt, assignment.history)
            is_ended = await end_attempt(attempt, result, log=self._clients.event_log, close=close)
            count_outcome(attempt, result if is_ended else None)
            _log.warning("attempt_reaped", is_ended=is_ended)

    async def _logged(self, assignment: Assignment) -> Completed | Failed:
        try:
            async with asyncio.timeout(self._patience_seconds):
                logged = await self._clients.knowledge.logged_answer(assignment.attempt)
        except (AttemptFailedError, TimeoutError):
            return failed(AbandonedError())
        is_late = isinstance(logged, Completed) and await self._clients.record.is_with_person(assignment.attempt)
        return failed(CancelledAttemptError()) if is_late else logged
