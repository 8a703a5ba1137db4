"""The rows of the answer log, each field spelled as Postgres spells it, in one way whatever the session is set to."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Table, Text, TextClause, and_, any_, cast, func, literal, select, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import UUID as PG_UUID
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import Select

from knowledge.auditing.sealing import FIELDS, Kind, Place, Values
from knowledge.tables.answers import answer_cause, answer_log, answer_opening
from knowledge.tables.seals import answer_erasure, answer_original

TABLES: Final[dict[Kind, Table]] = {
    "opening": answer_opening,
    "closing": answer_log,
    "cause": answer_cause,
    "erasure": answer_erasure,
}

_SPELLING: Final[TextClause] = text(
    "SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true),"
    " set_config('extra_float_digits', '1', true)"
)


async def read_values(connection: AsyncConnection, tenant: str, places: Iterable[Place]) -> dict[Place, Values]:
    """Give the rows at these places; what is gone is left out."""
    await connection.execute(_SPELLING)
    by_kind: dict[Kind, list[Place]] = {}
    for place in places:
        by_kind.setdefault(place.kind, []).append(place)
    found: dict[Place, Values] = {}
    for kind, wanted in by_kind.items():
        found |= await _read_kind(connection, tenant, kind, [place.attempt for place in wanted])
    return found


async def erased_among(
    connection: AsyncConnection, tenant: str, attempts: Sequence[UUID]
) -> frozenset[tuple[object, int]]:
    """Say which of these attempts the log has erased."""
    erasure = answer_erasure.c
    query = select(erasure.attempt, erasure["try"]).where(erasure.tenant == tenant, erasure.attempt == any_of(attempts))
    return frozenset((row[0], row[1]) for row in await connection.execute(query))


async def _read_kind(
    connection: AsyncConnection, tenant: str, kind: Kind, attempts: Sequence[UUID]
) -> dict[Place, Values]:
    rows = await connection.execute(_query(kind, tenant, attempts))
    names = FIELDS[kind]
    return {Place(kind, row[0], row[1]): dict(zip(names, row[2:], strict=True)) for row in rows}


def _query(kind: Kind, tenant: str, attempts: Sequence[UUID]) -> Select[tuple[object, ...]]:
    table = TABLES[kind]
    own, original = table.c, answer_original.c
    spelled = [
        func.encode(original.ciphertext, "hex") if name == "original" else cast(own[name], Text)
        for name in FIELDS[kind]
    ]
    source = table
    if kind == "opening":
        same = and_(original.tenant == own.tenant, original.attempt == own.attempt, original["try"] == own["try"])
        source = table.outerjoin(answer_original, same)
    return (
        select(own.attempt, own["try"], *spelled)
        .select_from(source)
        .where(own.tenant == tenant, own.attempt == any_of(attempts))
    )


def any_of(attempts: Sequence[UUID]) -> Any:  # SQLAlchemy's type of an array comparison is private
    """Spell a list of attempts for a comparison."""
    return any_(literal(list(attempts), ARRAY(PG_UUID())))
