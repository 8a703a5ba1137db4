"""Versions on their way: listed, evaluated, approved, published, rolled back, discarded."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.imports import import_job
from knowledge.tables.versions import tenant_pointer, version
from knowledge.versions.acts import Act, Acting, version_subject
from knowledge.versions.behind_answers import Behind
from knowledge.versions.releasing import Move, VersionState, following, states_before
from knowledge.versions.store.audit import record_act
from knowledge.versions.version import (
    BaseMovedError,
    PublishedMeanwhileError,
    Version,
    VersionNotFoundError,
)

# A version that is built says itself what it holds; a draft is counted. Before they were told, larger ones were compared in part.
_VERSIONS: Final = """
    SELECT version.number, version.state, version.passages, version.reason, version.created_by, version.created_at,
           version.staged_at, version.evaluated_by, version.evaluated_at, version.approved_by, version.approved_at,
           version.published_by, version.published_at, version.discarded_by, version.discarded_at,
           version.problems, version.duplicates, version.changes,
           (SELECT count(*) FROM conflict_hint WHERE conflict_hint.version = version.number) AS conflicts,
           coalesce(version.conflicts_partial, version.passages > 2000) AS conflicts_partial,
           coalesce(version.masks, (SELECT count(*) FROM version_revision
                                    JOIN mask ON mask.revision = version_revision.revision
                                    WHERE version_revision.version = version.number)) AS masks,
           coalesce(version.revisions, (SELECT count(*) FROM version_revision
                                        WHERE version_revision.version = version.number)) AS revisions,
           coalesce(version.documents, (SELECT count(DISTINCT revision.document) FROM version_revision
                                        JOIN revision ON revision.id = version_revision.revision
                                        WHERE version_revision.version = version.number)) AS documents,
           coalesce((SELECT pending FROM sentence_backlog WHERE sentence_backlog.version = version.number), 0)
               AS sentences_pending
    FROM version
"""
_PAGE: Final = text(
    f"{_VERSIONS} WHERE version.number < coalesce(CAST(:before AS integer), 2147483647)"
    " ORDER BY version.number DESC LIMIT :limit"
)
_ONE: Final = text(f"{_VERSIONS} WHERE version.number = :number")

_MASKS: Final = text("""
    SELECT mask.kind, count(*) AS masks
    FROM version_revision JOIN mask ON mask.revision = version_revision.revision
    WHERE version_revision.version = :number
    GROUP BY mask.kind ORDER BY mask.kind
""")


async def list_versions(connection: AsyncConnection, *, before: int | None, limit: int) -> list[Version]:
    """List versions, newest first, below a number."""
    rows = await connection.execute(_PAGE, {"before": before, "limit": limit})
    return [Version(**row) for row in rows.mappings()]


async def find_version(connection: AsyncConnection, number: int) -> Version:
    """Give one version. Errors: VersionNotFoundError."""
    row = (await connection.execute(_ONE, {"number": number})).mappings().one_or_none()
    if row is None:
        raise VersionNotFoundError
    return Version(**row)


async def read_behind(connection: AsyncConnection, number: int) -> Behind:
    """Give what a version answers by. Errors: VersionNotFoundError."""
    asked = select(version.c.routing_policy, version.c.calibration).where(version.c.number == number)
    row = (await connection.execute(asked)).one_or_none()
    if row is None:
        raise VersionNotFoundError
    return Behind(routing_policy=row.routing_policy, calibration=row.calibration or {})


async def masks_by_kind(connection: AsyncConnection, number: int) -> dict[str, int]:
    """Count what was masked in a version by kind of personal data."""
    rows = await connection.execute(_MASKS, {"number": number})
    return {row.kind: row.masks for row in rows}


async def find_evaluation(connection: AsyncConnection, number: int) -> Mapping[str, Any] | None:  # JSON as it was sent
    """Give what an evaluation of a version measured; None when none is attached."""
    return (await connection.execute(select(version.c.evaluation).where(version.c.number == number))).scalar_one()


async def attach_evaluation(
    connection: AsyncConnection, acting: Acting, *, number: int, evaluation: Mapping[str, object], missed_bars: int
) -> None:
    """Attach what an evaluation measured; `missed_bars` counts the bars it missed. Repeat: the newer one stays.

    Errors: VersionNotFoundError, VersionStateError.
    """
    measured = {"evaluation": evaluation, "evaluated_by": acting.actor, "evaluated_at": func.clock_timestamp()}
    await _move(connection, "evaluate", number=number, values=measured)
    subject = version_subject(number)
    await record_act(connection, acting, "VERSION_EVALUATED", subject=subject, detail={"missedBars": missed_bars})


def mark_evaluated(connection: Connection, *, number: int, actor: str) -> None:
    """Note that a run has measured a version, for a worker. Repeat: harmless; of what cannot be evaluated nothing changes."""
    state = connection.execute(select(version.c.state).where(version.c.number == number).with_for_update()).scalar_one()
    if state in states_before("evaluate"):
        measured = {"evaluated_by": actor, "evaluated_at": func.clock_timestamp()}
        after = following(state, "evaluate", number=number)
        connection.execute(update(version).where(version.c.number == number).values(state=after, **measured))


async def approve(connection: AsyncConnection, acting: Acting, *, number: int) -> None:
    """Let a version be published. Repeat: an approved one stays as it was approved.

    Errors: VersionNotFoundError, VersionStateError.
    """
    approved = {"approved_by": acting.actor, "approved_at": func.clock_timestamp()}
    if await _move(connection, "approve", number=number, values=approved, done="APPROVED"):
        await record_act(connection, acting, "VERSION_APPROVED", subject=version_subject(number))


async def discard(connection: AsyncConnection, acting: Acting, *, number: int) -> None:
    """Give up a version that waits to be published. Repeat: a discarded one stays as it was discarded.

    What no other version holds of it is removed later.
    Errors: VersionNotFoundError, VersionStateError.
    """
    discarded = {"discarded_by": acting.actor, "discarded_at": func.clock_timestamp()}
    if await _move(connection, "discard", number=number, values=discarded, done="DISCARDED"):
        await record_act(connection, acting, "VERSION_DISCARDED", subject=version_subject(number))


async def publish(
    connection: AsyncConnection, acting: Acting, *, number: int, expected_current: int | None
) -> Act | None:
    """Make an approved version current, or roll back to a retired one, and say which act that was.

    Repeat: the current one stays current, and that is no act.

    Errors: VersionNotFoundError, NotPublishableError, BaseMovedError; PublishedMeanwhileError when another publication
    came between.
    """
    state = await _locked_state(connection, number)
    seen = (await connection.execute(select(tenant_pointer.c.current_version))).scalar_one()
    if expected_current not in (None, seen):
        raise PublishedMeanwhileError
    if seen == number:
        return None
    following(state, "publish", number=number)
    await _refuse_moved_base(connection, number, state, seen=seen)
    await _move_pointer(connection, acting, seen=seen, number=number)
    act: Act = "VERSION_ROLLED_BACK" if state == "RETIRED" else "VERSION_PUBLISHED"
    await record_act(connection, acting, act, subject=version_subject(number), detail={"before": seen})
    return act


async def _refuse_moved_base(
    connection: AsyncConnection, number: int, state: VersionState, *, seen: int | None
) -> None:
    """Refuse what builds on a version that does not answer any more: it would take back what came since."""
    # No import brought a calibration, and every calibration has a base.
    is_calibration = version.c.import_id.is_(None) & version.c.base_version.is_not(None)
    wanted = (
        select(version.c.base_version)
        .outerjoin(import_job, import_job.c.id == version.c.import_id)
        .where(version.c.number == number, import_job.c.additive | is_calibration)
    )
    built = (await connection.execute(wanted)).one_or_none()
    if state != "RETIRED" and built is not None and built.base_version != seen:
        told = "nothing" if built.base_version is None else f"version {built.base_version}"
        raise BaseMovedError(f"Version {number} builds on {told}, and another is current now; make it again.")


async def _move_pointer(connection: AsyncConnection, acting: Acting, *, seen: int | None, number: int) -> None:
    moving = (
        update(tenant_pointer)
        .where(tenant_pointer.c.current_version.is_not_distinct_from(seen))
        .values(current_version=number)
    )
    # A second publisher waits here for the first, then finds another pointer than the one it looked at.
    if (await connection.execute(moving)).rowcount != 1:
        raise PublishedMeanwhileError
    retiring = update(version).where(version.c.number == seen, version.c.state.in_(states_before("retire")))
    await connection.execute(retiring.values(state="RETIRED"))
    published = {"state": "PUBLISHED", "published_by": acting.actor, "published_at": func.clock_timestamp()}
    await connection.execute(update(version).where(version.c.number == number).values(**published))


async def _move(
    connection: AsyncConnection, move: Move, *, number: int, values: dict[str, Any], done: VersionState | None = None
) -> bool:  # columns of several types
    """Move a version under its row lock; False when it is `done` already."""
    state = await _locked_state(connection, number)
    if state == done:
        return False
    values["state"] = following(state, move, number=number)
    await connection.execute(update(version).where(version.c.number == number, version.c.state == state).values(values))
    return True


async def _locked_state(connection: AsyncConnection, number: int) -> VersionState:
    locked = select(version.c.state).where(version.c.number == number).with_for_update()
    state = (await connection.execute(locked)).scalar_one_or_none()
    if state is None:
        raise VersionNotFoundError
    return state
