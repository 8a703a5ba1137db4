"""Bring up the servers that the user did not name, and say where they are."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from youju.child import Watched
from youju.database_urls import SERVICES, database_of
from youju.embedded.postgres import Postgres
from youju.embedded.valkey import Valkey
from youju.environment import LOCAL_PASSWORDS, embedded_databases, needs_postgres, needs_valkey
from youju.home import Home
from youju.provisioning import provision

Step = Callable[[str], AbstractContextManager[None]]
Start = Callable[[Watched], None]


def bring_up_servers(
    home: Home, sockets: Path, given: Mapping[str, str], *, step: Step, start: Start
) -> dict[str, str]:
    """Start what is needed, prepare the databases, and return the settings that lead there.

    Errors: Trouble when a server does not start.
    """
    settings: dict[str, str] = {}
    if needs_postgres(given):
        settings |= _bring_up_postgres(Postgres(home.folder, sockets), step=step, start=start)
    if needs_valkey(given):
        valkey = Valkey(home.folder, sockets)
        with step("Valkey"):
            start(valkey)
        settings["YOUJU_REDIS_URL"] = valkey.url
    return settings


def _bring_up_postgres(postgres: Postgres, *, step: Step, start: Start) -> dict[str, str]:
    with step("Postgres with pgvector"):
        start(postgres)
    with step("Databases and roles"):
        for service in SERVICES:
            provision(postgres.admin_url, service, database=database_of(service), passwords=LOCAL_PASSWORDS)
    return embedded_databases(postgres.admin_url)
