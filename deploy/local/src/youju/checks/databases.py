"""Check each service's database: reachable, safely used, migrated, and of one clock with this machine."""

import importlib.util
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from runtime.clock import utc_now
from runtime.migrating import applied_revision, newest_revision
from youju.checks.finding import Finding
from youju.database_urls import SERVICES, for_psycopg, reason_of

_CONNECT_SECONDS: Final = 3
# Leases last 30 seconds and tokens allow 5; clocks further apart than this begin to eat into them.
_CLOCK_TOLERANCE: Final = timedelta(seconds=2)


def check_databases(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Look at connection, role, migrations and clock of every service's database."""
    for service in SERVICES:
        url = settings.get(f"YOUJU_{service.upper()}_DATABASE_URL")
        if url is None:
            yield Finding(f"{service} database", "no address is known", "run `make up`, or set its *_DATABASE_URL")
        else:
            yield from _check_one(service, url)


def _check_one(service: str, url: str) -> Iterator[Finding]:
    try:
        with psycopg.connect(for_psycopg(url), connect_timeout=_CONNECT_SECONDS) as connection:
            yield _role(service, connection)
            yield _clock(service, connection)
    except psycopg.OperationalError as refused:
        yield Finding(f"{service} database", reason_of(refused), "see `make logs`, or start it with `make up`")
        return
    yield check_migrations(service, url)


def _role(service: str, connection: psycopg.Connection) -> Finding:
    row = connection.execute(
        "SELECT current_user::text, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    role, is_unsafe = row if row is not None else ("?", True)
    if is_unsafe:
        remedy = f"connect as {service}_app: this role passes by row-level security"
        return Finding(f"{service} database", f"connected as {role}", remedy)
    return Finding(f"{service} database", f"connected as {role}")


def _clock(service: str, connection: psycopg.Connection) -> Finding:
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    there: datetime = row[0] if row is not None else utc_now()
    apart = abs(there - utc_now())
    text = f"{apart.total_seconds():.1f} s from this machine's"
    remedy = "" if apart <= _CLOCK_TOLERANCE else "let both machines take their time from the same server (NTP)"
    return Finding(f"{service} clock", text, remedy)


def check_migrations(service: str, url: str) -> Finding:
    """Compare the revision a database is at with the newest the code knows."""
    wanted = newest_revision(_migrations_folder(service))
    engine = create_engine(url, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            applied = applied_revision(connection)
    except OperationalError as lost:
        return Finding(f"{service} migrations", str(lost.orig), "start the database with `make up`")
    if applied == wanted:
        return Finding(f"{service} migrations", f"at {applied}")
    text = f"at {applied or 'none'}, the code wants {wanted}"
    return Finding(f"{service} migrations", text, f"run `python -m {service}.migrations`, or `make down up`")


def _migrations_folder(service: str) -> Path:
    found = importlib.util.find_spec(f"{service}.migrations")
    if found is None or found.origin is None:
        return Path()
    return Path(found.origin).parent
