"""URLs lead to the same server with another role, and psycopg reads what SQLAlchemy reads."""

from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.engine import make_url

from youju.database_urls import Passwords, for_psycopg, reason_of, urls
from youju.embedded.postgres import Postgres

pytestmark = pytest.mark.unit

_ADMIN = (
    "postgresql+psycopg://postgres@/postgres?host=/run/sockets",
    "postgresql+psycopg://admin:p%40ss@db.example:6543/postgres?sslmode=require",
    "postgres://admin@db.example/postgres",
)


@pytest.mark.parametrize("admin", _ADMIN)
def test_a_role_s_url_keeps_server_and_options(admin: str) -> None:
    made = urls(admin, "bff", database="youju_bff", passwords=Passwords(owner="o", app="a/b@c:d", sweeper="s"))

    before, after = make_url(admin), make_url(made.app)
    assert (after.host, after.port, after.query) == (before.host, before.port, before.query)
    assert (after.username, after.password, after.database) == ("bff_app", "a/b@c:d", "youju_bff")
    assert after.drivername == "postgresql+psycopg"


@pytest.mark.parametrize("admin", _ADMIN)
def test_psycopg_understands_every_url(admin: str) -> None:
    made = urls(admin, "bff", database="youju_bff", passwords=Passwords(owner="o", app="a/b@c:d", sweeper="s"))

    read = conninfo_to_dict(for_psycopg(made.app))

    assert (read["user"], read["password"], read["dbname"]) == ("bff_app", "a/b@c:d", "youju_bff")


def test_a_url_without_anything_names_the_default_server() -> None:
    assert for_psycopg("postgresql:///") == "postgresql:///"
    assert conninfo_to_dict(for_psycopg("postgresql:///", "other"))["dbname"] == "other"


def test_a_folder_of_sockets_may_have_any_name() -> None:
    folder = Path("/run/my files + 100%/袋")

    url = Postgres(Path("/run"), folder).admin_url

    assert make_url(url).query["host"] == f"{folder}/postgres"
    assert conninfo_to_dict(for_psycopg(url))["host"] == f"{folder}/postgres"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("connection failed: no such file\n\tIs the server running locally and accepting connections on that socket?\n",
         "connection failed: no such file"),
        ('connection failed: FATAL:  password authentication failed for user "x"\n',
         'connection failed: FATAL:  password authentication failed for user "x"'),
        ("", "OperationalError"),
    ],
)  # fmt: skip
def test_the_reason_is_the_line_that_states_it(said: str, reason: str) -> None:
    assert reason_of(psycopg.OperationalError(said)) == reason
