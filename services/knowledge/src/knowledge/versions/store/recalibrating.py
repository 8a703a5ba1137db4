"""A version with another calibration: the same revisions, passages and index under a new number."""

from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Table, insert, literal, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.imports import passage_duplicate
from knowledge.tables.index import term_frequency
from knowledge.tables.sentences import sentence_backlog
from knowledge.tables.versions import conflict_hint, conflict_omitted, tenant_pointer, version, version_revision
from knowledge.versions.acts import Acting, version_subject
from knowledge.versions.calibration import Fitted
from knowledge.versions.releasing import SERVABLE
from knowledge.versions.store.audit import record_act
from knowledge.versions.version import VersionNotFoundError

_SHARED: Final = (
    version_revision, term_frequency, conflict_hint, conflict_omitted, passage_duplicate, sentence_backlog,
)  # fmt: skip

_KEPT: Final = (
    "routing_policy", "analyser", "embedder", "second_embedder", "passages", "servable_passages", "hot", "problems",
    "duplicates", "documents", "revisions", "masks", "built_day", "conflicts_partial",
    "comparer",
)  # fmt: skip

_AUDIENCES: Final = text("""
    INSERT INTO version_audience (tenant, version, audience_id, passages)
    SELECT tenant, :number, audience_id, passages FROM version_audience WHERE version = :base
""")


async def take_number(connection: AsyncConnection) -> int:
    """Give the number of the next version, in a transaction of its own: until it ends, no other version is begun.

    A number that comes to nothing is left out.
    """
    counting = update(tenant_pointer).values(last_version=tenant_pointer.c.last_version + 1)
    number = (await connection.execute(counting.returning(tenant_pointer.c.last_version))).scalar_one_or_none()
    if number is None:
        raise VersionNotFoundError
    return int(number)


async def recalibrate(connection: AsyncConnection, acting: Acting, *, base: int, fitted: Fitted, number: int) -> None:
    """Stage a version of that number which holds what another one does, with what was learned about evidence.

    It is evaluated, approved and published like any other, unless another one was published since: it would take that
    back. Errors: VersionNotFoundError.
    """
    columns = [version.c[name] for name in _KEPT]
    asked = select(*columns, version.c.calibration).where(version.c.number == base, version.c.state.in_(SERVABLE))
    row = (await connection.execute(asked)).mappings().one_or_none()
    if row is None:
        raise VersionNotFoundError
    values: dict[str, Any] = {name: row[name] for name in _KEPT}  # columns of several types
    values |= {"tenant": acting.tenant, "number": number, "state": "STAGED", "created_by": acting.actor}
    values["base_version"] = base
    values |= {"calibration": {**row["calibration"], "fitted": asdict(fitted)}, "staged_at": text("clock_timestamp()")}
    values |= {"changes": {"added": 0, "changed": 0, "removed": 0, "unchanged": row["documents"] or 0}}
    await connection.execute(insert(version).values(values))
    for table in _SHARED:
        await _share(connection, table, base=base, number=number)
    await connection.execute(_AUDIENCES, {"number": number, "base": base})
    detail = {"calibratedFrom": base, "questions": fitted.questions}
    await record_act(connection, acting, "VERSION_STAGED", subject=version_subject(number), detail=detail)


async def _share(connection: AsyncConnection, table: Table, *, base: int, number: int) -> None:
    names = [column.name for column in table.columns]
    taken = [literal(number) if name == "version" else table.c[name] for name in names]
    await connection.execute(insert(table).from_select(names, select(*taken).where(table.c.version == base)))
