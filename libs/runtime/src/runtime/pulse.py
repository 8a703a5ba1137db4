"""The loop of a pulse: duties that run when notified and at least once every second or so.

A duty claims rows (SKIP LOCKED or a guarded UPDATE), so any number of pulses may run. A duty that fails is logged
and counted and runs again at its next turn: it is the outermost frame, nothing is lost because the rows remain.
"""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import psycopg
from prometheus_client import Counter, start_http_server
from psycopg.sql import SQL, Identifier

from contracts.errors import TryAgainError, UnavailableError
from runtime.ending import end_all
from runtime.health import BEAT_SECONDS, keep_ready, mark_ready, mark_stopped
from runtime.logging import bound, get_logger

_SWEEP_SECONDS: Final = 1.0
_RECONNECT_SECONDS: Final = 1.0
_ASK_AGAIN_SECONDS: Final = 1.0

_RUNS = Counter("youju_duty_runs_total", "Runs of a pulse's duties", ["duty", "result"])
_LOST_TURNS = Counter("youju_tenant_turns_lost_total", "Turns of a tenant that a duty could not take", ["duty"])
_DUTY: Final = ContextVar("duty", default="none")
_log = get_logger("pulse")

RowT = TypeVar("RowT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duty:
    """Something a pulse looks after. `run` returns how many rows it handled."""

    name: str
    run: Callable[[], Awaitable[int]]
    every_seconds: float = _SWEEP_SECONDS
    channel: str | None = None
    """A Postgres notification that wakes the duty early."""


async def run_pulse(duties: tuple[Duty, ...], *, listen_url: str, metrics_port: int | None = None) -> None:
    """Run the duties until SIGTERM or SIGINT. `listen_url` is a libpq URL for LISTEN."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if metrics_port is not None:
        start_http_server(metrics_port, addr="127.0.0.1")
    wakes = {duty.name: asyncio.Event() for duty in duties}
    tasks = [asyncio.create_task(_repeat(duty, wakes[duty.name])) for duty in duties]
    tasks.append(asyncio.create_task(_listen(duties, wakes, listen_url)))
    tasks.append(asyncio.create_task(_beat()))
    mark_ready()
    await stop.wait()
    mark_stopped()
    await end_all(tasks, patience_seconds=_ASK_AGAIN_SECONDS)


async def _beat() -> None:
    """Say that the loop still goes round: a duty that holds it up keeps all others waiting too."""
    while True:
        keep_ready()
        await asyncio.sleep(BEAT_SECONDS)


async def _repeat(duty: Duty, wake: asyncio.Event) -> None:
    while True:
        wake.clear()
        await run_once(duty)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(duty.every_seconds):
                await wake.wait()


async def run_once(duty: Duty) -> None:
    """Run a duty until it finds nothing more to do; trouble is counted, not raised."""
    _DUTY.set(duty.name)
    with bound(duty=duty.name):
        try:
            while await duty.run():
                _RUNS.labels(duty.name, "worked").inc()
            _RUNS.labels(duty.name, "idle").inc()
        except (UnavailableError, TryAgainError) as trouble:
            _RUNS.labels(duty.name, "trouble").inc()
            _log.warning("duty_delayed", code=trouble.code)
        except Exception:  # noqa: BLE001 - the outermost frame of a duty; its rows come due again
            _RUNS.labels(duty.name, "failed").inc()
            _log.exception("duty_failed")


async def run_for_each(tenants: Iterable[str], work: Callable[[str], Awaitable[int]]) -> int:
    """Do a duty's work for one tenant after the other and give how many rows it handled; as `run_for_each_row`."""

    async def work_for(tenant: str, _row: None) -> int:
        return await work(tenant)

    return await run_for_each_row(((tenant, None) for tenant in tenants), work_for)


async def run_for_each_row(rows: Iterable[tuple[str, RowT]], work: Callable[[str, RowT], Awaitable[int]]) -> int:
    """Do a duty's work for one tenant's row after the other and give how many it handled.

    Trouble with one is told and counted, and the next has its turn; what fails for good is asked again at every round.
    Errors: TryAgainError at once, because an outside system that does not answer keeps it from all; UnavailableError when two
    turns end in it one after the other, or the last one does, because a statement that takes too long for one tenant says so
    in the same way as a database that is away.
    """
    handled = 0
    away: UnavailableError | None = None
    for tenant, row in rows:
        with bound(tenant=tenant):
            try:
                handled += await work(tenant, row)
                away = None
            except TryAgainError:
                raise
            except UnavailableError as unreachable:
                _lose_turn("turn_delayed")
                if away is not None:
                    raise
                away = unreachable
            except TimeoutError:
                _lose_turn("turn_delayed")
            except Exception:  # noqa: BLE001 - the outermost frame of one tenant's turn; the others have theirs
                _lose_turn("turn_failed")
    if away is not None:
        raise away
    return handled


def _lose_turn(event: Literal["turn_delayed", "turn_failed"]) -> None:
    _LOST_TURNS.labels(_DUTY.get()).inc()
    if event == "turn_failed":
        _log.exception(event)
    else:
        _log.warning(event)


async def _listen(duties: tuple[Duty, ...], wakes: dict[str, asyncio.Event], url: str) -> None:
    channels = {duty.channel: wakes[duty.name] for duty in duties if duty.channel}
    while channels:
        try:
            await _listen_once(channels, url)
        except psycopg.OperationalError:
            _log.warning("listen_lost")
            await asyncio.sleep(_RECONNECT_SECONDS)


async def _listen_once(channels: dict[str, asyncio.Event], url: str) -> None:
    async with await psycopg.AsyncConnection.connect(libpq_url(url), autocommit=True) as connection:
        for channel, wake in channels.items():
            await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
            wake.set()
        async for notification in connection.notifies():
            channels[notification.channel].set()


def libpq_url(url: str) -> str:
    """Strip SQLAlchemy's driver name from a database URL."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
