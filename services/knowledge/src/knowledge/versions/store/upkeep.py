"""What the database needs after a large import to be fast at once, instead of after its own rounds of upkeep.

Statistics lead the planner to the indexes; a vacuum marks pages as visible to all, without which every posting that is
read costs a look into the table; what a search reads is loaded into memory.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

# Only conditions and joins need statistics; those of texts and vectors would be the dear ones.
_ANALYSED: Final = {
    "revision": "tenant, id, document, audience_id, in_force_from, in_force_until",
    "version_revision": "tenant, version, revision",
    "passage": "tenant, id, revision, audience_id, in_force_from, in_force_until, indexed",
    "posting": "tenant, term, passage",
    "passage_vector": "tenant, passage, hot",
}
_SENTENCE: Final = {"sentence": "tenant, passage"}
_GROWING: Final = {"term_frequency": "tenant, version, term", "posting": "tenant, term"}
_PARTITIONED: Final = ("passage", "posting", "passage_vector", "sentence")
_FIRST_WITH_ONLY: Final = (18,)
# As the database itself does it: below this it waits for its own rounds.
_GROWN_SHARE: Final = 10
_NEW: Final = text("""
    SELECT count(*) AS held, count(*) FILTER (WHERE NOT EXISTS (
               SELECT FROM version_revision AS before
               WHERE before.version = (SELECT max(number) FROM version
                                       WHERE number < :version
                                         AND state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED'))
                 AND before.revision = ours.revision)) AS new
    FROM version_revision AS ours WHERE ours.version = :version
""")

_PARTITION: Final = "SELECT tableoid::regclass::text FROM {table} WHERE tenant = :tenant LIMIT 1"
_BUFFERS: Final = text("SELECT pg_size_bytes(current_setting('shared_buffers'))")
_WARM_POSTINGS: Final = text("""
    SELECT count(*) FROM (SELECT term FROM posting WHERE tenant = :tenant LIMIT :limit) AS read
""")
_WARM_PASSAGES: Final = text("""
    SELECT count(*) FROM (SELECT in_force_until FROM passage WHERE tenant = :tenant LIMIT :limit) AS read
""")
_WARM_VECTORS: Final = """
    SELECT count(hot) FROM (SELECT hot, embedding FROM {table} WHERE tenant = :tenant LIMIT :limit) AS read
"""
_WARM_GRAPH: Final = text("SELECT warm_graph(:table, :tenant)")
_POSTING_BYTES: Final = 90
_PASSAGE_BYTES: Final = 1_200
# A third of the buffers for each of the two that grow with the tenant; the rest is for everybody else.
_SHARE: Final = 3


def partitions_of(connection: Connection, *, tenant: str, vectors: Sequence[str]) -> dict[str, str]:
    """Name the partition that holds a tenant's rows, by table; a table without any is left out."""
    found: dict[str, str] = {}
    for table in (*_PARTITIONED, *vectors):
        name = connection.execute(text(_PARTITION.format(table=table)), {"tenant": tenant}).scalar_one_or_none()
        if name is not None:
            found[table] = name
    return found


def tend_sentences(connection: Connection, partitions: dict[str, str]) -> list[str]:
    """Refresh the statistics of sentences, which grow after everything else; say what could not be tended. As `tend`."""
    statements = _analyses_of(connection, _SENTENCE, partitions)
    return [statement for statement in statements if not _is_done(connection, statement)]


def tend(connection: Connection, partitions: dict[str, str], *, seconds: float) -> list[str]:
    """Refresh statistics and visibility of what a version grew in; say what could not be tended in so many seconds.

    Needs a connection outside of a transaction. Other tenants' partitions are left alone.
    """
    ends = time.monotonic() + seconds
    return [
        statement
        for statement in _upkeep(connection, partitions)
        if time.monotonic() > ends or not _is_done(connection, statement)
    ]


def has_grown(connection: Connection, *, version: int) -> bool:
    """Say whether so much of a version is new since the one before that the planner should be told at once."""
    row = connection.execute(_NEW, {"version": version}).one()
    return bool(row.new * _GROWN_SHARE >= row.held)


def tend_versions(connection: Connection) -> list[str]:
    """Refresh what grows with every version, however little of it is new. As `tend`."""
    statements = (f"VACUUM (ANALYZE, TRUNCATE OFF) term_frequency ({_GROWING['term_frequency']})",)
    return [statement for statement in statements if not _is_done(connection, statement)]


def warm(connection: Connection, *, tenant: str, vectors: Sequence[str]) -> None:
    """Read what searches of a tenant read, so that it is in memory; no more than fits beside what others need."""
    share = connection.execute(_BUFFERS).scalar_one() // _SHARE
    connection.execute(_WARM_POSTINGS, {"tenant": tenant, "limit": share // _POSTING_BYTES})
    connection.execute(_WARM_PASSAGES, {"tenant": tenant, "limit": share // _PASSAGE_BYTES})
    for table in vectors:
        asked = {"tenant": tenant, "limit": share // _PASSAGE_BYTES}
        connection.execute(text(_WARM_VECTORS.format(table=table)), asked)
        connection.execute(_WARM_GRAPH, {"table": table, "tenant": tenant})


def _upkeep(connection: Connection, partitions: dict[str, str]) -> list[str]:
    vectors = {table: _ANALYSED["passage_vector"] for table in partitions if table not in _ANALYSED | _SENTENCE}
    analysed = _analyses_of(connection, _ANALYSED | vectors, partitions)
    vacuumed = [
        f"VACUUM (ANALYZE, TRUNCATE OFF) {partitions.get(table, table)} ({columns})"
        for table, columns in _GROWING.items()
    ]
    return [*analysed, *vacuumed]


def _analyses_of(connection: Connection, tables: Mapping[str, str], partitions: dict[str, str]) -> list[str]:
    return [
        statement
        for table, columns in tables.items()
        for statement in _analyses(connection, table, columns, partitions)
    ]


def _analyses(connection: Connection, table: str, columns: str, partitions: dict[str, str]) -> list[str]:
    if table not in partitions:
        # Of a table in partitions there are no rows of this tenant, and those of others are no business of its imports.
        return [] if table in _PARTITIONED else [f"ANALYZE {table} ({columns})"]
    server = connection.dialect.server_version_info or ()
    if server < _FIRST_WITH_ONLY:
        return [f"ANALYZE {table} ({columns})"]
    # A join is planned with the statistics of the whole, which the database never gathers by itself.
    return [f"ANALYZE ONLY {table} ({columns})", f"ANALYZE {partitions[table]} ({columns})"]


def _is_done(connection: Connection, statement: str) -> bool:
    try:
        connection.execute(text(statement))
    except OperationalError:
        # Another upkeep of the same table is under way, or the table is too large for now: both come again.
        return False
    return True
