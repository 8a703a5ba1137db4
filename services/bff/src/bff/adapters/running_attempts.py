"""Run attempts as tasks of their own, independent of any browser, and keep their leases."""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from bff.adapters.measures import count_outcome, show_running
from bff.adapters.records import PostgresRecord
from bff.adapters.told_log import ToldLog
from bff.attempts.attempt import Assignment, Completed, Failed
from bff.attempts.ending import end_attempt
from bff.attempts.failures import InternalFaultError, failed
from bff.attempts.handoff import with_raised_handoff
from bff.attempts.insisting import insist
from bff.attempts.running import Knowledge, run_attempt
from contracts.errors import UnavailableError
from contracts.ids import printed
from contracts.stream import AttemptEvent
from runtime.ending import end_all
from runtime.logging import bound, get_logger
from runtime.telemetry import OUTCOME, REASON_CODE, RETRY_OF, attempt_span

RENEW_SECONDS: Final = 10

_log = get_logger("running_attempts")


class RunningAttempts:
    """The attempts this process runs."""

    def __init__(
        self, *, knowledge: Knowledge, log: ToldLog, record: PostgresRecord, seconds: float, limit: int
    ) -> None:
        """Run at most `limit` attempts at once, each for at most `seconds`."""
        self._knowledge = knowledge
        self._event_log = log
        self._record = record
        self._seconds = seconds
        self._limit = limit
        self._tasks: dict[UUID, asyncio.Task[None]] = {}
        self._opening = 0
        self._is_stopping = False
        self._ends_at: float | None = None
        self._is_idle = asyncio.Event()

    def take_nothing_new(self) -> None:
        """Let other processes run what is asked from now on."""
        self._is_stopping = True

    def leaves(self, attempt_id: UUID) -> bool:
        """Say whether this process stops, and an attempt goes on elsewhere."""
        return self._is_stopping and attempt_id not in self._tasks

    @property
    def has_room(self) -> bool:
        """Whether another attempt may start."""
        return not self._is_stopping and len(self._tasks) + self._opening < self._limit

    @contextmanager
    def opening(self, *, may_be_repeat: bool) -> Generator[bool]:
        """Keep a place while an attempt is opened, and say whether there is one; a repeat is served without.

        Errors: UnavailableError when there is none for what cannot be a repeat, before it costs a statement.
        """
        has_place = self.has_room
        if not has_place and not may_be_repeat:
            raise UnavailableError
        self._opening += has_place
        try:
            yield has_place
        finally:
            self._opening -= has_place
            self._note_idle()

    def start(self, assignment: Assignment) -> None:
        """Start an attempt; it goes on whoever listens."""
        attempt_id = assignment.attempt.attempt_id
        self._tasks[attempt_id] = asyncio.create_task(self._run(assignment), name=printed("att", attempt_id))
        self._tasks[attempt_id].add_done_callback(lambda _: self._forget(attempt_id))
        show_running(len(self._tasks))

    def runs(self, attempt_id: UUID) -> bool:
        """Say whether this process runs an attempt."""
        return attempt_id in self._tasks

    async def wait(self, attempt_id: UUID, *, seconds: float) -> None:
        """Wait until an attempt of this process is over, or the time is."""
        if task := self._tasks.get(attempt_id):
            await asyncio.wait({task}, timeout=seconds)

    def stop(self, attempt_id: UUID) -> None:
        """Stop an attempt that somebody else has ended."""
        if task := self._tasks.get(attempt_id):
            task.cancel()

    async def drain(self, *, seconds: float) -> None:
        """Take nothing new, let what runs or is being opened finish, and end the rest as ABANDONED.

        Repeat: the time counts from the first call.
        """
        self.take_nothing_new()
        if self._ends_at is None:
            self._ends_at = asyncio.get_running_loop().time() + seconds
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._ends_at):
                while self._tasks or self._opening:
                    self._is_idle.clear()
                    await self._is_idle.wait()
        if late := tuple(self._tasks.values()):
            _log.warning("attempts_abandoned", count=len(late))
            await end_all(late)

    def _forget(self, attempt_id: UUID) -> None:
        del self._tasks[attempt_id]
        self._event_log.part_with(attempt_id)
        show_running(len(self._tasks))
        self._note_idle()

    def _note_idle(self) -> None:
        if not self._tasks and not self._opening:
            self._is_idle.set()

    async def _run(self, assignment: Assignment) -> None:
        attempt = assignment.attempt
        printed_id = printed("att", attempt.attempt_id)
        with (
            attempt_span("attempt", tenant=attempt.tenant, attempt_id=printed_id) as span,
            bound(attempt_id=printed_id, tenant=attempt.tenant),
        ):
            if attempt.retry_of_attempt_id is not None:
                span.set_attribute(RETRY_OF, printed("att", attempt.retry_of_attempt_id))
            result = await self._run_with_lease(assignment)
            count_outcome(attempt, result)
            facts = _facts(result)
            span.set_attributes(facts)
            _log.info("attempt_finished", **{name.rpartition(".")[2]: value for name, value in facts.items()})

    async def _run_with_lease(self, assignment: Assignment) -> Completed | Failed | None:
        running = asyncio.current_task()
        assert running is not None  # noqa: S101 - a coroutine always runs in a task here
        renewing = asyncio.create_task(self._keep_lease(assignment, running))
        try:
            return await run_attempt(
                assignment,
                seconds=self._seconds,
                knowledge=self._knowledge,
                log=self._event_log,
                record=self._record,
            )
        except UnavailableError:
            # The process stops without its database: whoever finds the expired lease completes the attempt from knowledge's log.
            _log.warning("attempt_not_stored")
            return None
        except Exception:  # noqa: BLE001 - the outermost frame of an attempt; it must not stay PENDING
            _log.exception("attempt_broke")
            return await self._end_broken(assignment)
        finally:
            renewing.cancel()

    async def _end_broken(self, assignment: Assignment) -> Completed | Failed | None:
        attempt = assignment.attempt
        result = with_raised_handoff(failed(InternalFaultError()), attempt, assignment.history)

        async def close(final: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
            return await insist(lambda: self._record.close(assignment, final, events))

        is_ended = await end_attempt(attempt, result, log=self._event_log, close=close)
        return result if is_ended else None

    async def _keep_lease(self, assignment: Assignment, running: asyncio.Task[object]) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            if not await insist(lambda: self._record.renew(assignment)):
                running.cancel()
                return


def _facts(result: Completed | Failed | None) -> Mapping[str, str]:
    match result:
        case None:
            return {OUTCOME: "lost"}
        case Failed():
            return {OUTCOME: "failed", REASON_CODE: result.code.value}
        case Completed():
            reason = result.outcome.reason_code
            return {OUTCOME: "answered"} if reason is None else {OUTCOME: "refused", REASON_CODE: reason.value}
