"""Runs attempts on tasks of their own: a reader that goes away takes nothing with it."""

import asyncio
from dataclasses import replace
from time import monotonic
from typing import Final, Protocol, TypeVar
from uuid import UUID

from contracts.errors import UnavailableError, YoujuError
from contracts.ids import printed
from contracts.reasons import FailureCode
from knowledge.adapters.live import Live
from knowledge.adapters.measures import count_asked, count_ended, measure_first_sentence, show_running
from knowledge.answering.draft import Writer
from knowledge.answering.log import Asked, ClosedBeforeError, Closing, Logged, as_logged
from knowledge.asking import Means, answer, explain, give_up
from runtime.ending import end_all
from runtime.logging import bound, get_logger
from runtime.telemetry import attempt_span

# The server has waited 25 seconds for open requests before; what still runs has no reader any more.
PATIENCE_SECONDS: Final = 2.0
_LOOK_AGAIN_SECONDS: Final = 0.1
_Result = TypeVar("_Result")

_log = get_logger("answers")


class Choosing(Protocol):
    """Decides who words a tenant's answers, and hears what they cost."""

    async def choose(self, tenant: str) -> Writer:
        """Give the writer of the next answer. Errors: none."""
        ...

    def settle(self, tenant: str, closing: Closing) -> None:
        """Count what an attempt has cost."""
        ...


class Attempts:
    """Takes questions up, runs each attempt once, and lets later askers join."""

    def __init__(self, means: Means, *, most_running: int, writers: Choosing | None = None) -> None:
        """Use these means for every attempt; each gets a deadline of its own, and the writer of its tenant."""
        self._means = means
        self._writers = writers
        self._most_running = most_running
        self._tasks: set[asyncio.Task[object]] = set()
        self._opening = 0
        self._beginning: set[asyncio.Task[asyncio.Task[Logged]]] = set()
        self._live: dict[UUID, Live] = {}

    async def take_up(self, asked: Asked, *, seconds: float) -> asyncio.Task[Logged]:
        """Open an attempt and start it, or join the one that is there; the task gives its end.

        Errors: UnavailableError when this process runs as many as it can, before anything is stored.
        """
        if len(self._tasks) + self._opening >= self._most_running:
            raise UnavailableError("Too many questions are being answered; try again shortly.")
        self._opening += 1
        beginning = asyncio.create_task(self._begin(asked, seconds))
        self._beginning.add(beginning)
        beginning.add_done_callback(self._begun)
        # A caller that goes away while the row is committed must not leave an attempt open that nobody runs.
        return await asyncio.shield(beginning)

    async def _begin(self, asked: Asked, seconds: float) -> asyncio.Task[Logged]:
        try:
            is_new = await self._means.log.open(asked)
        finally:
            self._opening -= 1
        count_asked(asked.channel, is_new=is_new)
        deadline_seconds = monotonic() + seconds
        if is_new:
            self._live[asked.attempt_id] = Live()
        work = self._run(asked, deadline_seconds) if is_new else self._join(asked, deadline_seconds)
        return self._keep(asyncio.create_task(work))

    def _begun(self, beginning: asyncio.Task[asyncio.Task[Logged]]) -> None:
        self._beginning.discard(beginning)
        trouble = None if beginning.cancelled() else beginning.exception()
        if trouble is not None:
            # Whoever asks gets the error; this is for an asker who has gone.
            _log.warning("attempt_not_begun", kind=type(trouble).__name__)

    def live(self, attempt_id: UUID) -> Live:
        """Give what a running attempt shows; of one that does not run here it stays empty."""
        return self._live.get(attempt_id) or Live()

    async def close(self, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Let the running attempts end; what does not in time is closed as abandoned."""
        if self._beginning:
            await asyncio.wait(self._beginning, timeout=patience_seconds)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=patience_seconds)
        while self._tasks:
            await end_all(tuple(self._tasks))

    def _keep(self, task: asyncio.Task[_Result]) -> asyncio.Task[_Result]:
        self._tasks.add(task)
        show_running(len(self._tasks))
        task.add_done_callback(self._let_go)
        return task

    def _let_go(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        show_running(len(self._tasks))
        trouble = None if task.cancelled() else task.exception()
        if trouble is not None:
            # Whoever waits for the attempt gets the error; this is for an attempt whose reader has gone.
            _log.warning("attempt_without_end", kind=type(trouble).__name__)

    async def _run(self, asked: Asked, deadline_seconds: float) -> Logged:
        try:
            return await self._run_shown(asked, deadline_seconds)
        finally:
            self._live.pop(asked.attempt_id, None)

    async def _run_shown(self, asked: Asked, deadline_seconds: float) -> Logged:
        attempt_id = printed("att", asked.attempt_id)
        with attempt_span("answer", tenant=asked.tenant, attempt_id=attempt_id), bound(attempt_id=attempt_id):
            try:
                closing = await self._answer(asked, deadline_seconds)
            except ClosedBeforeError:
                # A commit whose confirmation was lost, or a process that slept too long: everybody is told the same.
                return await self._join(asked, monotonic() + _LOOK_AGAIN_SECONDS)
            _log_end(closing)
            _measure(self._live[asked.attempt_id], closing)
            if self._writers is not None:
                self._writers.settle(asked.tenant, closing)
            self._keep(asyncio.create_task(self._explain(asked, closing)))
            return as_logged(asked, closing)

    async def _answer(self, asked: Asked, deadline_seconds: float) -> Closing:
        live = self._live[asked.attempt_id]
        means = replace(self._means, deadline_seconds=deadline_seconds, show=live.show)
        try:
            if self._writers is not None:
                means = replace(means, writer=await self._writers.choose(asked.tenant))
            return await answer(asked, means=means)
        except asyncio.CancelledError:
            return await give_up(asked, FailureCode.ABANDONED, means=means)
        except (ClosedBeforeError, UnavailableError):
            # Nothing more can be stored: whoever waits hears it, and an attempt that stays open counts as abandoned soon.
            raise
        except Exception as bug:  # noqa: BLE001 - the outermost frame of an attempt
            _log.exception("attempt_broke", exc_info=bug)
            return await give_up(asked, FailureCode.INTERNAL, means=means)

    async def _explain(self, asked: Asked, closing: Closing) -> None:
        """Find the cause of a refusal after its answer is out; without one, count what is known."""
        cause = closing.cause
        try:
            cause = await explain(asked, closing, searcher=self._means.searcher, log=self._means.log)
        except YoujuError as trouble:
            _log.warning("cause_not_found", code=trouble.code)
        finally:
            count_ended(asked, closing, cause)

    async def _join(self, asked: Asked, deadline_seconds: float) -> Logged:
        """Wait for the run that is there already, in this process or another."""
        while monotonic() < deadline_seconds:
            logged = await self._means.log.find(asked.tenant, asked.attempt_id)
            if logged is not None and not logged.is_open:
                return logged
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        raise UnavailableError("The attempt is still running; ask for it again shortly.")


def _measure(live: Live, closing: Closing) -> None:
    if closing.outcome is not None and not closing.outcome.refused:
        first_at = monotonic() if live.first_at is None else live.first_at
        measure_first_sentence(was_early=live.first_at is not None, seconds=first_at - live.began_at)


def _log_end(closing: Closing) -> None:
    outcome = closing.outcome
    if outcome is None:
        _log.warning("attempt_failed", failure=closing.failure, version=closing.version)
        return
    _log.info(
        "attempt_completed",
        refused=outcome.refused,
        reason=outcome.reason_code,
        coverage=outcome.coverage,
        version=closing.version,
        drafts=len(closing.drafts),
    )
