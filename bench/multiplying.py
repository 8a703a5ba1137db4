"""Multiply a filled tenant inside the database: every row again and again with other ids, some other terms, moved vectors.

What comes out has the size and shape of a large index, no more: 15 % of a copy's postings lie under terms of their own,
vectors are moved by noise, sentences and texts are repeated as they are.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Identifier, Literal

_NOISE: Final = 0.5
_NOISES: Final = 997
_BUILD_MEMORY: Final = "4GB"

# What stands in the place of a column; every other column is repeated as it is.
_NEW: Final = "md5({column}::text || '/' || %(copy)s)::uuid"
_ANOTHER: Final = "hashint8extended(term, %(copy)s + hashtextextended(passage::text, 0))"
_REPLACED: Final[dict[str, dict[str, str]]] = {
    "document": {"id": _NEW.format(column="id"), "slug": "slug || '+' || %(copy)s"},
    "revision": {"id": _NEW.format(column="id"), "document": _NEW.format(column="document")},
    "version_revision": {"revision": _NEW.format(column="revision")},
    "passage": {"id": _NEW.format(column="id"), "revision": _NEW.format(column="revision")},
    "posting": {
        "passage": _NEW.format(column="passage"),
        "term": f"CASE WHEN mod({_ANOTHER}, 100) BETWEEN 0 AND 29 THEN {_ANOTHER} ELSE term END",
    },
    "passage_vector": {"passage": _NEW.format(column="passage"), "embedding": "{moved}"},
    "passage_vector_384": {"passage": _NEW.format(column="passage"), "embedding": "{moved}"},
    "sentence": {"passage": _NEW.format(column="passage")},
}
_MOVED: Final = (
    "(SELECT l2_normalize(copied.embedding + noise.vector) FROM noise"
    " WHERE noise.number = mod(abs(hashtextextended(passage::text, %(copy)s)), {noises})"
    " AND vector_dims(noise.vector) = vector_dims(copied.embedding))"
)
_MAKE_NOISE: Final = """
    INSERT INTO noise SELECT number, (
        SELECT array_agg(random_normal(0, %(length)s / sqrt(%(dimension)s))) FROM generate_series(1, %(dimension)s)
        WHERE number >= 0)::halfvec
    FROM generate_series(0, %(noises)s - 1) AS number
"""
# Half of the hashes are negative, so 30 of a hundred not negative ones are 15 % of all: what is left of a frequency.
_LEFT: Final = 0.85
_COUNTS: Final = (
    "UPDATE version SET passages = passages * %(times)s, servable_passages = servable_passages * %(times)s",
    "UPDATE version_audience SET passages = passages * %(times)s",
    "UPDATE term_frequency SET passages = passages * (1 + %(left)s * (%(times)s - 1))",
)
_COLUMNS: Final = """
    SELECT attname FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
_INDEXES: Final = """
    SELECT indexname, replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes
    JOIN pg_class ON pg_class.relname = indexname WHERE pg_class.relkind = 'I' AND indexdef LIKE '%USING hnsw%'
"""
_KEY: Final = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'posting'::regclass AND contype = 'p'"


def multiply(admin_url: str, tenant: str, *, times: int) -> float:
    """Make a tenant so many times as large and say how many seconds that took."""
    started = time.perf_counter()
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute("SET synchronous_commit = off")
        admin.execute(SQL("SET maintenance_work_mem = {}").format(_BUILD_MEMORY))
        _make_noise(admin)
        for table in _REPLACED:
            _keep_apart(admin, table, tenant)
        with _without_indexes(admin):
            for copy in range(1, times):
                for table in _REPLACED:
                    admin.execute(_copying(admin, table), {"copy": copy})
                print(f"  copy {copy} of {times - 1}: {time.perf_counter() - started:.0f} s", flush=True)
        for statement in _COUNTS:
            admin.execute(
                f"{statement} WHERE tenant = %(tenant)s".encode(), {"times": times, "left": _LEFT, "tenant": tenant}
            )
        admin.execute("VACUUM (ANALYZE)")
    return time.perf_counter() - started


def _make_noise(admin: Connection) -> None:
    admin.execute("CREATE TEMP TABLE noise (number integer, vector halfvec)")
    for dimension in (512, 384):
        admin.execute(_MAKE_NOISE, {"length": _NOISE, "dimension": dimension, "noises": _NOISES})
    admin.execute("CREATE INDEX ON noise (number)")


def _keep_apart(admin: Connection, table: str, tenant: str) -> None:
    """Put the imported rows aside, so that copies are made of them alone."""
    rows = SQL("CREATE TEMP TABLE {} AS SELECT * FROM {} WHERE tenant = {}")
    admin.execute(rows.format(Identifier(f"imported_{table}"), Identifier(table), Literal(tenant)))


def _copying(admin: Connection, table: str) -> bytes:
    columns = [str(row[0]) for row in admin.execute(_COLUMNS, (table,))]
    moved = _MOVED.format(noises=_NOISES)
    given = (_REPLACED[table].get(each, each).replace("{moved}", moved) for each in columns)
    names = ", ".join(columns)
    return f"INSERT INTO {table} ({names}) SELECT {', '.join(given)} FROM imported_{table} AS copied".encode()  # noqa: S608 - our own names


@contextmanager
def _without_indexes(admin: Connection) -> Generator[None]:
    graphs = admin.execute(_INDEXES).fetchall()
    key_name, key = admin.execute(_KEY).fetchall()[0]
    for name, _ in graphs:
        admin.execute(SQL("DROP INDEX {}").format(Identifier(name)))
    admin.execute(SQL("ALTER TABLE posting DROP CONSTRAINT {}").format(Identifier(key_name)))
    yield
    started = time.perf_counter()
    admin.execute(f"ALTER TABLE posting ADD CONSTRAINT {key_name} {key}".encode())
    print(f"  key of posting: {time.perf_counter() - started:.0f} s", flush=True)
    for name, definition in graphs:
        started = time.perf_counter()
        admin.execute(definition.encode())
        print(f"  {name}: {time.perf_counter() - started:.0f} s", flush=True)
