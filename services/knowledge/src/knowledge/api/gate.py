"""The gate at the HTTP edge: what a version's evaluation says to publishing it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Protocol

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.evaluation.gate import Decision, changed_unproven, decide, refuse_closed, told_unproven
from knowledge.evaluation.store.runs import current_version, is_migrated, list_measured, newest_run
from knowledge.evaluation.store.thresholds import newest_thresholds
from runtime.database import Database
from runtime.logging import get_logger
from runtime.settings import SettingsError

_log: Final = get_logger("gate")
_REMEDY: Final = (
    "In production nothing answers under settings that were not proved. Measure the workers of these settings through an"
    " edge that still runs; where none does, start this one with YOUJU_ENVIRONMENT=local and keep customers from it"
    " meanwhile (docs/evaluating.md):"
)


class UnprovenSettingsError(SettingsError):
    """A published version was measured with other settings than those of this process, or missed with these; evaluate it again."""


class EnqueueRun(Protocol):
    """Hands the next batch of a run to a worker."""

    async def __call__(self, *, tenant: str, run_id: str) -> None:
        """Enqueue. Errors: none; when the broker is down the pulse asks again."""
        ...


class Gatekeeping(Protocol):
    """Knows the settings of this process."""

    async def settings_of(self, *, tenant: str, version: int) -> dict[str, str]:
        """Give the digest of every setting behind a version's answers; none for a version that cannot answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluations:
    """What the routes of evaluation need besides the database."""

    gatekeeper: Gatekeeping
    enqueue: EnqueueRun


def evaluations(request: Request) -> Evaluations:
    """Give what this process evaluates with."""
    found: Evaluations = request.app.state.evaluations
    return found


WithEvaluations = Annotated[Evaluations, Depends(evaluations)]


async def decide_gate(connection: AsyncConnection, number: int, settings: dict[str, str]) -> Decision:
    """Decide about a version under the settings of this process."""
    found = decide(await newest_run(connection, number), await newest_thresholds(connection), settings)
    if found.standing != "MISSED":
        return found
    return replace(found, settings=changed_unproven(await list_measured(connection, number), settings))


async def refuse_closed_gate(connection: AsyncConnection, number: int, settings: dict[str, str]) -> None:
    """Let a version pass whose gate is open. Errors: GateClosedError."""
    refuse_closed(number, await decide_gate(connection, number, settings))


async def refuse_unproven(
    database: Database, tenants: Sequence[str], *, gatekeeper: Gatekeeping, refuses: bool
) -> None:
    """Look whether every published version that is gated passed under the settings of this process, and say where not.

    Errors: UnprovenSettingsError where one was not and `refuses` is set.
    """
    found = [each for tenant in tenants if (each := await _unproven(database, tenant, gatekeeper)) is not None]
    for each in found:
        _log.warning("settings_unproven", sentence=each.sentence)
    if found and refuses:
        raise UnprovenSettingsError(
            (*(each.sentence for each in found), _REMEDY, *(f"  {each.command}" for each in found))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unproven:
    """A version that answers under other settings than it was measured with; `command` measures it again."""

    sentence: str
    command: str


async def _unproven(database: Database, tenant: str, gatekeeper: Gatekeeping) -> _Unproven | None:
    """Say what differs for a tenant; None where nothing does, or where nothing is gated."""
    async with database.transaction(tenant) as connection:
        if not await is_migrated(connection):
            return None
        number = await current_version(connection)
        measured = [] if number is None else await list_measured(connection, number)
    if number is None or not measured:
        return None
    told = told_unproven(measured, await gatekeeper.settings_of(tenant=tenant, version=number))
    if told is None:
        return None
    return _Unproven(
        sentence=f"{tenant}, version {number}: {told}",
        command=f"youju eval --gate --tenant {tenant} --version {number}",
    )
