"""Golden cases: added and retired, never changed or deleted."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.evaluation.case import Adding, CaseNotFoundError, CaseTakenError, StoredCase, masked_case
from knowledge.evaluation.golden import Golden, GoldenSet
from knowledge.tables.evaluation import golden_case
from knowledge.versions.acts import Acting

_CASE = golden_case.c


async def add_case(
    connection: AsyncConnection, acting: Acting, golden: Golden, *, attempt_id: UUID | None = None
) -> bool:
    """Keep a case, masked, and say whether it is new, for the edge to put on record. Repeat: the same case is kept once.

    `attempt_id` is the attempt it was made from.
    Errors: CaseTakenError when the id is that of another case.
    """
    return bool((await add_cases(connection, acting, (golden,), attempt_id=attempt_id)).added)


async def add_cases(
    connection: AsyncConnection, acting: Acting, cases: Sequence[Golden], *, attempt_id: UUID | None = None
) -> Adding:
    """Keep cases, masked, for the edge to put on record. Repeat: the same case is kept once.

    Errors: CaseTakenError naming the first case whose id another one has; then none is kept.
    """
    rows = [_row(acting, masked_case(each), attempt_id) for each in cases]
    if not rows:
        return Adding(added=(), known=0)
    adding = insert(golden_case).on_conflict_do_nothing().returning(_CASE.id)
    fresh = set((await connection.execute(adding, rows)).scalars())
    await _refuse_taken(connection, [row for row in rows if row["id"] not in fresh])
    return Adding(added=tuple(sorted(fresh)), known=len(rows) - len(fresh))


async def retire_case(connection: AsyncConnection, acting: Acting, *, case_id: str, reason: str) -> bool:
    """Take a case out of every later run, and say whether it was in. Repeat: a retired one keeps its first reason.

    Errors: CaseNotFoundError.
    """
    retiring = update(golden_case).where(_CASE.id == case_id, _CASE.retired_at.is_(None))
    why = {"retired_by": acting.actor, "retired_at": func.clock_timestamp(), "retired_reason": reason}
    if (await connection.execute(retiring.values(why))).rowcount:
        return True
    if (await connection.execute(select(_CASE.id).where(_CASE.id == case_id))).one_or_none() is None:
        raise CaseNotFoundError
    return False


async def find_case(connection: AsyncConnection, case_id: str) -> StoredCase:
    """Give one case. Errors: CaseNotFoundError."""
    row = (await connection.execute(select(golden_case).where(_CASE.id == case_id))).one_or_none()
    if row is None:
        raise CaseNotFoundError
    return _stored(row)


async def list_cases(
    connection: AsyncConnection, *, sets: Sequence[GoldenSet], with_retired: bool, after: str, limit: int
) -> list[StoredCase]:
    """List cases by id, after one."""
    listing = select(golden_case).where(_CASE.id > after, _CASE.case_set.in_(sets)).order_by(_CASE.id).limit(limit)
    if not with_retired:
        listing = listing.where(_CASE.retired_at.is_(None))
    return [_stored(row) for row in await connection.execute(listing)]


async def _refuse_taken(connection: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
    known = select(_CASE.id, _CASE.content, _CASE.retired_at).where(_CASE.id.in_([row["id"] for row in rows]))
    stored = {row.id: row for row in await connection.execute(known)} if rows else {}
    for row in rows:
        before = stored[row["id"]]
        if before.retired_at is not None:
            raise CaseTakenError(f"The golden case {row['id']} is retired; give this one an id of its own.")
        if before.content != row["content"]:
            raise CaseTakenError(
                f"The golden case {row['id']} says something else; retire it and give this one an id of its own."
            )


def _row(acting: Acting, golden: Golden, attempt_id: UUID | None) -> dict[str, Any]:  # columns of several types
    return {
        "tenant": acting.tenant,
        "id": golden.id,
        "case_set": golden.set,
        "category": golden.category,
        "language": golden.lang,
        "content": golden.model_dump(mode="json"),
        "attempt": attempt_id,
        "added_by": acting.actor,
    }


def _stored(row: Row[Any]) -> StoredCase:
    return StoredCase(
        golden=Golden.model_validate(row.content),
        added_by=row.added_by,
        added_at=row.added_at,
        retired_by=row.retired_by,
        retired_at=row.retired_at,
        retired_reason=row.retired_reason,
    )
