"""Check whether what answers was built by what runs: an arm of another embedder or analyser is left out of every search."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import psycopg

from knowledge.adapters.candidates import built_otherwise
from knowledge.adapters.embedder import UseEmbedder
from knowledge.adapters.second_arm import open_second_arm
from knowledge.settings import KnowledgeSettings
from runtime.settings import SettingsError, load_settings
from runtime.tenants import read_tenants
from youju.checks.finding import Finding
from youju.database_urls import for_psycopg

_CONNECT_SECONDS: Final = 3
_CURRENT: Final = """
    SELECT version.number, version.analyser, version.embedder, version.second_embedder
    FROM tenant_pointer JOIN version ON version.number = tenant_pointer.current_version
"""


def check_arms(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Compare the current version of every tenant with the analyser and the embedders of this installation."""
    try:
        read = load_settings(KnowledgeSettings)
        tenants = read_tenants(Path(settings["YOUJU_TENANTS_FILE"])).tenants
        second = open_second_arm(read, seconds=1.0)
    except SettingsError as unusable:
        yield Finding("arms", unusable.sentences[0], "correct the settings of knowledge")
        return
    running = None if second is None else second.identity
    yield Finding("second arm", running or "none: two arms make the order")
    try:
        with psycopg.connect(for_psycopg(read.database_url), connect_timeout=_CONNECT_SECONDS) as connection:
            for tenant in tenants:
                yield from _check_tenant(connection, tenant, second=running)
    except psycopg.Error:
        # The lines on databases say what is wrong with them.
        return


def _check_tenant(connection: psycopg.Connection, tenant: str, *, second: str | None) -> Iterator[Finding]:
    connection.execute("SELECT set_config('youju.tenant', %s, true)", (tenant,))
    row = connection.execute(_CURRENT).fetchone()
    if row is None:
        return
    number, *built = row
    foreign = built_otherwise(*built, first=UseEmbedder.identity, second=second)
    if foreign:
        text = f"version {number} was built with {', '.join(foreign)}, which does not run here and is left out"
        yield Finding(f"arms of {tenant}", text, "import again, or set the settings back")
