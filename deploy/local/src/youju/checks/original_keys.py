"""Check whether the keys of originals open what is kept: questions as they were typed, and imported files."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, LiteralString

import psycopg

from knowledge.settings import KnowledgeSettings
from runtime.sealing import KeyRing
from runtime.settings import SettingsError, load_settings
from runtime.tenants import read_tenants
from youju.checks.finding import Finding
from youju.database_urls import for_psycopg

_SUBJECT: Final = "keys of originals"
_CONNECT_SECONDS: Final = 3
# The next key that is used, one after the other: there are few keys and many rows, and an index leads from key to key.
_NEXT: Final[tuple[LiteralString, ...]] = (
    "SELECT min(key_id) FROM answer_original WHERE key_id > %s",
    "SELECT min(key_id) FROM original WHERE key_id > %s AND content IS NOT NULL",
)


def check_original_keys(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Name the keys that are needed and not there, and say when an older one may go; nothing without a database."""
    try:
        read = load_settings(KnowledgeSettings)
        tenants = read_tenants(Path(settings["YOUJU_TENANTS_FILE"])).tenants
        with psycopg.connect(for_psycopg(read.database_url), connect_timeout=_CONNECT_SECONDS) as connection:
            used = {tenant: _keys_of(connection, tenant) for tenant in tenants}
    except (SettingsError, psycopg.Error):
        # The lines on settings, tenants and databases say what is wrong with them.
        return
    ring = read.originals_ring
    lost = {tenant: keys - _known(ring) for tenant, keys in used.items()}
    yield from (_lost(tenant, keys) for tenant, keys in lost.items() if keys)
    if not any(lost.values()):
        yield Finding(_SUBJECT, _state(ring, set[str]().union(*used.values())))


def _keys_of(connection: psycopg.Connection, tenant: str) -> set[str]:
    connection.execute("SELECT set_config('youju.tenant', %s, true)", (tenant,))
    found: set[str] = set()
    for statement in _NEXT:
        last = ""
        while (row := connection.execute(statement, (last,)).fetchone()) and row[0] is not None:
            last = str(row[0])
            found.add(last)
    return found


def _known(ring: KeyRing | None) -> set[str]:
    return set() if ring is None else {ring.newest, *ring.older}


def _lost(tenant: str, keys: set[str]) -> Finding:
    text = f"what {tenant} keeps under {', '.join(sorted(keys))} cannot be opened: that key is not here"
    return Finding(_SUBJECT, text, "put the lost key back as a further line of YOUJU_KNOWLEDGE_ORIGINALS_KEYS, restart")


def _state(ring: KeyRing | None, used: set[str]) -> str:
    if ring is None:
        return "none: questions are kept masked only"
    if not ring.older:
        return f"{ring.newest} opens all that is kept"
    if used & set(ring.older):
        return f"{ring.newest} is taking the place of {', '.join(ring.older)}, which is still needed"
    return f"{ring.newest} opens all that is kept: {', '.join(ring.older)} may go"
