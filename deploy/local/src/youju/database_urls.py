"""Name the services' databases and spell their URLs."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, quote, urlsplit

SERVICES: Final = ("knowledge", "bff", "ticketing")

_FOR_SQLALCHEMY: Final = "postgresql+psycopg"
_FOR_PSYCOPG: Final = "postgresql"


@dataclass(frozen=True)
class Passwords:
    """What the three roles of one service log in with."""

    owner: str
    app: str
    sweeper: str


@dataclass(frozen=True)
class ServiceDatabase:
    """The SQLAlchemy URLs of one service's database.

    `owner` migrates, `app` serves under row-level security, `sweeper` sees only what migrations grant it.
    """

    owner: str
    app: str
    sweeper: str


def database_of(service: str) -> str:
    """Name the database of a service."""
    return f"youju_{service}"


def urls(admin_url: str, service: str, *, database: str, passwords: Passwords) -> ServiceDatabase:
    """Return the URLs of a database on the server that `admin_url` names."""
    server = urlsplit(admin_url)

    def for_role(kind: str, password: str) -> str:
        host = server.netloc.rpartition("@")[2]
        login = f"{quote(f'{service}_{kind}', safe='')}:{quote(password, safe='')}"
        return _spelled(server._replace(netloc=f"{login}@{host}", path=f"/{database}"), _FOR_SQLALCHEMY)

    return ServiceDatabase(
        owner=for_role("owner", passwords.owner),
        app=for_role("app", passwords.app),
        sweeper=for_role("sweeper", passwords.sweeper),
    )


def for_psycopg(url: str, database: str | None = None) -> str:
    """Turn an SQLAlchemy URL into one that psycopg reads, optionally for another database."""
    parsed = urlsplit(url)
    if database is not None:
        parsed = parsed._replace(path=f"/{database}")
    return _spelled(parsed, _FOR_PSYCOPG)


def _spelled(parts: SplitResult, scheme: str) -> str:
    # By hand, because urlunsplit leaves out the two slashes before an empty host.
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}://{parts.netloc}{parts.path}{query}"


def reason_of(refused: Exception) -> str:
    """Give the line that says why a server let nobody in; what libpq asks back below it helps nobody."""
    lines = (line.strip() for line in str(refused).splitlines())
    said = [line for line in lines if line and not line.endswith("?")]
    return said[-1] if said else type(refused).__name__
