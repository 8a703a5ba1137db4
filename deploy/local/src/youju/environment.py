"""Build the environment that the processes are started with: our defaults below, the user's own settings on top."""

from collections.abc import Mapping
from pathlib import Path

from youju.database_urls import SERVICES, Passwords, ServiceDatabase, database_of, urls
from youju.home import CHECKOUT, Home
from youju.keys import mask_key_file, originals_keys_file
from youju.table import DEFAULT_PORTS
from youju.trouble import Trouble

# The socket's folder is private and its connections are trusted, so these protect nothing and need not be secret.
LOCAL_PASSWORDS = Passwords(owner="local", app="local", sweeper="local")

_LAST_PORT = 65_535


def port_of(setting: str, given: Mapping[str, str]) -> int:
    """Return the port a setting names.

    Errors: Trouble when it is not a port.
    """
    text = given.get(setting, str(DEFAULT_PORTS[setting]))
    if not text.isdecimal() or not 0 < int(text) <= _LAST_PORT:
        raise Trouble(f"{setting} is {text!r}, which is not a port between 1 and {_LAST_PORT}.")
    return int(text)


def base_environment(home: Home, given: Mapping[str, str]) -> dict[str, str]:
    """Return everything but the addresses of the servers; whatever `given` already says wins."""
    ports = {setting: str(port_of(setting, given)) for setting in DEFAULT_PORTS}
    ours = {
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "YOUJU_ENVIRONMENT": "local",
        "YOUJU_BFF_KNOWLEDGE_URL": f"http://127.0.0.1:{ports['YOUJU_KNOWLEDGE_PORT']}",
        "YOUJU_KEYS_DIRECTORY": str(home.keys),
        "YOUJU_KNOWLEDGE_MASK_KEY_FILE": str(mask_key_file(home.keys)),
        "YOUJU_KNOWLEDGE_ORIGINALS_KEYS_FILE": str(originals_keys_file(home.keys)),
        "YOUJU_TENANTS_FILE": str(home.tenants),
        "YOUJU_BFF_PAGE_DIRECTORY": str(page_folder(given)),
        # Here one person asks whole sets of golden questions from one address.
        "YOUJU_BFF_ASKS_PER_MINUTE": "6000",
        "YOUJU_BFF_ASKS_PER_MINUTE_AND_ADDRESS": "6000",
        "YOUJU_BFF_CALLS_PER_MINUTE": "6000",
        **ports,
    }
    return {**ours, **given}


def page_folder(given: Mapping[str, str]) -> Path:
    """Return where the built page lies."""
    return Path(given.get("YOUJU_BFF_PAGE_DIRECTORY", str(CHECKOUT / "web" / "dist")))


def database_settings(service: str, database: ServiceDatabase) -> dict[str, str]:
    """Name the three URLs of a service's database the way its settings read them."""
    prefix = f"YOUJU_{service.upper()}"
    return {
        f"{prefix}_DATABASE_URL": database.app,
        f"{prefix}_OWNER_DATABASE_URL": database.owner,
        f"{prefix}_SWEEPER_DATABASE_URL": database.sweeper,
    }


def embedded_databases(admin_url: str) -> dict[str, str]:
    """Return the database settings of all services on the embedded server."""
    found: dict[str, str] = {}
    for service in SERVICES:
        database = urls(admin_url, service, database=database_of(service), passwords=LOCAL_PASSWORDS)
        found |= database_settings(service, database)
    return found


def needs_postgres(given: Mapping[str, str]) -> bool:
    """Say whether any service is left without a database of the user's own."""
    return any(f"YOUJU_{service.upper()}_DATABASE_URL" not in given for service in SERVICES)


def needs_valkey(given: Mapping[str, str]) -> bool:
    """Say whether the user named no Redis."""
    return "YOUJU_REDIS_URL" not in given
