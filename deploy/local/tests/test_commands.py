"""The command ends with one clear sentence and a status that scripts can use."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jwt
import psycopg
import pytest

from tests.support.fake_installation import FakeInstallation, events_of, free_port
from youju.database_urls import for_psycopg
from youju.embedded.postgres import Postgres
from youju.keys import make_missing_keys

pytestmark = pytest.mark.journey


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    ports = {f"YOUJU_{name}_PORT": str(free_port()) for name in ("BFF", "KNOWLEDGE", "TICKETING")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("YOUJU_")}
    return {**kept, **ports, "YOUJU_HOME": str(tmp_path / "home")}


@pytest.fixture
def elsewhere() -> Iterator[Postgres]:
    """Give a server of its own, for what would change the roles that other tests use."""
    with tempfile.TemporaryDirectory(prefix="youju-") as folder:
        Path(folder).chmod(0o711)
        server = Postgres(Path(folder), Path(folder))
        server.start()
        yield server
        server.stop()


def youju(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "youju", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)


def test_a_port_in_use_stops_the_start_with_one_sentence(environment: dict[str, str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])

        run = youju(environment | {"YOUJU_KNOWLEDGE_PORT": port}, "up")

    assert run.returncode == 1
    assert run.stderr.startswith(f"✗ Port {port} is in use by another program")
    assert "YOUJU_KNOWLEDGE_PORT" in run.stderr
    assert run.stderr.count("\n") == 1


def test_settings_that_no_service_accepts_stop_the_start_with_the_last_lines(environment: dict[str, str]) -> None:
    run = youju(environment | {"YOUJU_LOG_LEVEL": "shouting"}, "up")

    assert run.returncode == 1
    assert "refuses to start with these settings" in run.stderr
    assert "YOUJU_LOG_LEVEL is not valid" in run.stderr
    status = youju(environment, "status").stderr
    assert "Youju is not running" in status
    assert "YOUJU_LOG_LEVEL is not valid" in status


def test_a_locale_that_knows_no_utf8_prints_ticks_all_the_same(environment: dict[str, str]) -> None:
    run = youju(environment | {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, "down")

    assert (run.returncode, run.stdout) == (0, "  ✓ Youju is not running.\n")


def test_down_names_what_a_killed_supervisor_left(installation: FakeInstallation) -> None:
    killed = installation.start("worker")
    events_of(killed)
    killed.kill()
    killed.wait()

    run = youju(installation.environment, "down")

    assert run.stdout == "  ✓ Ended what an earlier run left behind: worker.\n"


def test_down_stops_a_running_installation(installation: FakeInstallation) -> None:
    running = installation.start("worker")
    events_of(running)

    run = youju(installation.environment, "down")

    assert (run.returncode, run.stdout) == (0, "  ✓ Youju is stopped.\n")
    assert running.wait(timeout=60) == 0


def test_status_lists_the_processes(installation: FakeInstallation) -> None:
    events_of(installation.start("api", "worker"))

    run = youju(installation.environment, "status")

    assert run.returncode == 0
    assert "✓  worker" in run.stdout
    assert f"http://127.0.0.1:{installation.port}/docs" in run.stdout


def test_clean_removes_everything(environment: dict[str, str]) -> None:
    home = Path(environment["YOUJU_HOME"])
    youju(environment, "tenant", "add", "acme")
    assert home.exists()

    run = youju(environment, "clean")

    assert run.returncode == 0
    assert not home.exists()


def test_clean_leaves_a_folder_alone_in_which_people_keep_their_own_things(environment: dict[str, str]) -> None:
    home = Path(environment["YOUJU_HOME"])
    youju(environment, "tenant", "add", "acme")
    (home / "thesis.odt").touch()

    run = youju(environment, "clean")

    assert run.returncode == 1
    assert "thesis.odt" in run.stderr
    assert {"thesis.odt", "tenants.yaml", "logs"} <= {each.name for each in home.iterdir()}


def test_a_home_that_is_a_file_gets_one_sentence(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    run = youju(environment | {"YOUJU_HOME": str(tmp_path / "file")}, "up")

    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert "is no folder" in run.stderr


def test_logs_of_an_unknown_process_name_the_known_ones(installation: FakeInstallation) -> None:
    events_of(installation.start("worker"))

    run = youju(installation.environment, "logs", "nobody")

    assert run.returncode == 1
    assert "There is no log named nobody; there are: worker" in run.stderr


def test_a_tenant_is_added_once(environment: dict[str, str]) -> None:
    first = youju(environment, "tenant", "add", "acme", "--name", "Acme")
    second = youju(environment, "tenant", "add", "acme")

    assert first.stdout == "  ✓ Tenant acme is added.\n"
    assert second.stderr == "✗ There is a tenant acme already.\n"
    assert "acme                 Acme" in youju(environment, "tenant", "list").stdout


def test_a_token_says_who_and_for_whom(environment: dict[str, str]) -> None:
    make_missing_keys(Path(environment["YOUJU_HOME"]) / "keys")
    youju(environment, "tenant", "add", "acme")

    printed = youju(environment, "token", "--tenant", "acme", "--role", "owner", "--role", "publisher").stdout.strip()

    claims = jwt.decode(printed, options={"verify_signature": False})
    assert (claims["tenant"], claims["roles"], claims["aud"]) == ("acme", ["owner", "publisher"], "staff")


def test_a_token_for_an_unknown_tenant_or_role_is_refused(environment: dict[str, str]) -> None:
    assert "There is no tenant nobody" in youju(environment, "token", "--tenant", "nobody", "--role", "owner").stderr
    assert "king is no role" in youju(environment, "token", "--role", "king").stderr


def test_a_question_while_nothing_runs_says_how_to_start(environment: dict[str, str]) -> None:
    run = youju(environment, "ask", "Can I return it?")

    assert run.returncode == 1
    assert "Nothing answers at http://127.0.0.1:" in run.stderr
    assert "make up" in run.stderr


def test_an_import_of_a_path_that_is_not_there_names_it(environment: dict[str, str]) -> None:
    assert youju(environment, "import", "nowhere").stderr == "✗ nowhere does not exist.\n"


def test_doctor_says_a_remedy_for_each_fault(environment: dict[str, str]) -> None:
    run = youju(environment, "doctor")

    lines = [line for line in run.stdout.splitlines() if line.startswith("  ✗")]
    assert run.returncode == 1
    assert {"processes", "queue", "keys", "tenants"} <= {line.split()[1] for line in lines}
    assert all(" → " in line for line in lines)


def test_provisioning_elsewhere_prints_settings_that_work(environment: dict[str, str], elsewhere: Postgres) -> None:
    run = youju(environment, "provision", elsewhere.admin_url)

    settings = dict(line.removeprefix("export ").split("=", 1) for line in run.stdout.splitlines())
    with psycopg.connect(for_psycopg(settings["YOUJU_BFF_DATABASE_URL"].strip("'"))) as connection:
        row = connection.execute("SELECT current_user::text, current_database()::text").fetchone()
    assert len(settings) == 9
    assert row == ("bff_app", "youju_bff")


def test_provisioning_a_server_that_is_not_there_gets_one_sentence(environment: dict[str, str]) -> None:
    nowhere = f"postgresql+psycopg://postgres:secret@127.0.0.1:{free_port()}/postgres"

    run = youju(environment | {"YOUJU_ADMIN_DATABASE_URL": nowhere}, "provision")

    assert run.returncode == 1
    assert run.stderr.startswith("✗ Postgres does not let an administrator in: ")
    assert run.stderr.count("\n") == 1
    assert "secret" not in run.stderr


def test_the_state_file_is_for_its_owner_only(installation: FakeInstallation) -> None:
    events_of(installation.start("worker"))

    assert installation.home.state.stat().st_mode & 0o077 == 0
    assert json.loads(installation.home.state.read_text())["ready"] is True
