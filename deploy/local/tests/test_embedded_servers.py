"""The embedded servers start, stop, keep their data, and survive what an earlier run left behind."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import redis

from youju.embedded.account import Account, server_account
from youju.embedded.places import data_folder, postgres_programs
from youju.embedded.postgres import Postgres, create_cluster
from youju.embedded.valkey import Valkey
from youju.trouble import Trouble

pytestmark = pytest.mark.store


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Give a short path that the server's account may enter."""
    with tempfile.TemporaryDirectory(prefix="youju-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.fixture(scope="module")
def postgres(place: Path) -> Iterator[Postgres]:
    server = Postgres(place, place)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def valkey(place: Path) -> Iterator[Valkey]:
    server = Valkey(place, place)
    server.start()
    yield server
    server.stop()


def connect(server: Postgres) -> AbstractContextManager[psycopg.Connection]:
    return psycopg.connect(server.admin_url.replace("+psycopg", ""), autocommit=True)


def one(server: Postgres) -> object:
    with connect(server) as connection:
        return connection.execute("SELECT 1").fetchone()


def test_postgres_has_vectors_utf8_and_no_network_port(postgres: Postgres) -> None:
    with connect(postgres) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        distance = connection.execute("SELECT '[1,0]'::vector <=> '[0,1]'::vector").fetchone()
        row = connection.execute(
            "SELECT current_setting('listen_addresses'), pg_encoding_to_char(encoding), datlocprovider, datlocale"
            " FROM pg_database WHERE datname = 'postgres'"
        ).fetchone()

    assert distance == (1.0,)
    assert row == ("", "UTF8", "b", "C.UTF-8")


def test_postgres_keeps_its_data_over_a_restart(postgres: Postgres) -> None:
    with connect(postgres) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")

    postgres.stop()
    stopped = not postgres.is_running()
    postgres.start()

    with connect(postgres) as connection:
        assert stopped
        assert connection.execute("SELECT one FROM kept").fetchone() == (1,)


def test_postgres_takes_over_data_an_earlier_run_still_serves(postgres: Postgres, place: Path) -> None:
    later = Postgres(place, place / "later")

    later.start()

    try:
        assert not postgres.is_running()
        assert one(later) == (1,)
    finally:
        later.stop()
        postgres.stop()
        postgres.start()


def test_postgres_ignores_a_pid_file_that_names_a_stranger(postgres: Postgres, place: Path) -> None:
    postgres.stop()
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (place / "postgres" / "postmaster.pid").write_text(f"{stranger.pid}\n{place / 'postgres'}\n")

    postgres.start()

    try:
        assert postgres.is_running()
        assert stranger.poll() is None
    finally:
        stranger.communicate()


def test_postgres_recovers_after_it_was_killed(postgres: Postgres, place: Path) -> None:
    pid = int((place / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    postgres.stop()

    postgres.start()

    assert one(postgres) == (1,)


def test_a_machine_without_the_locale_gets_one_sentence(tmp_path: Path) -> None:
    account = server_account()
    programs = postgres_programs(account)
    folder = data_folder(tmp_path / "postgres", account, shared=tmp_path / "shared")

    with pytest.raises(Trouble, match=r"no C\.UTF-8 locale"):
        create_cluster(programs, folder, account, locale=("--locale=xx_XX.UTF-8",))

    assert not folder.exists()


def test_a_full_disk_gets_one_sentence(tmp_path: Path) -> None:
    program = tmp_path / "initdb"
    program.write_text("#!/bin/sh\necho 'could not write: No space left on device' >&2\nexit 1\n")
    program.chmod(0o755)

    with pytest.raises(Trouble, match="disk is full"):
        create_cluster(tmp_path, tmp_path / "postgres", Account(uid=None, gid=None))


@dataclass(frozen=True)
class ShutOut(Account):
    def can_enter(self, folder: Path) -> bool:
        del folder
        return False


def test_an_account_that_cannot_enter_gets_its_data_in_a_shared_place(tmp_path: Path) -> None:
    account = ShutOut(uid=None, gid=None)

    real = data_folder(tmp_path / "postgres", account, shared=tmp_path / "shared")

    assert real.is_relative_to(tmp_path / "shared")
    assert (tmp_path / "postgres").is_symlink()
    assert data_folder(tmp_path / "postgres", account, shared=tmp_path / "elsewhere") == real


def test_a_strict_mask_for_new_files_does_not_close_the_shared_place(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        data_folder(tmp_path / "postgres", ShutOut(uid=None, gid=None), shared=tmp_path / "shared")
    finally:
        os.umask(before)

    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o711


def test_an_account_that_cannot_enter_gets_a_copy_of_the_programs(tmp_path: Path) -> None:
    account = ShutOut(uid=None, gid=None)

    programs = postgres_programs(account, shared=tmp_path)

    assert programs.is_relative_to(tmp_path)
    for name in ("initdb", "postgres"):
        assert subprocess.run([programs / name, "--version"], check=False, capture_output=True).returncode == 0
    assert postgres_programs(account, shared=tmp_path) == programs


def test_a_closed_folder_cannot_be_entered_by_the_unprivileged_account(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o000)

    reachable = server_account().can_enter(closed)

    closed.chmod(0o700)
    assert not reachable


def test_valkey_logs_every_write_and_never_evicts(valkey: Valkey) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        settings = client.config_get("appendonly", "maxmemory-policy", "port")

    assert settings == {"appendonly": "yes", "maxmemory-policy": "noeviction", "port": "0"}


def test_valkey_keeps_its_data_over_a_restart(valkey: Valkey) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        client.set("kept", "1")

    valkey.stop()
    stopped = not valkey.is_running()
    valkey.start()

    with redis.Redis.from_url(valkey.url) as client:
        assert stopped
        assert client.get("kept") == b"1"


def test_valkey_takes_over_data_an_earlier_run_still_serves(valkey: Valkey, place: Path) -> None:
    later = Valkey(place, place / "later")

    later.start()

    try:
        assert not valkey.is_running()
        assert later.is_running()
    finally:
        later.stop()
        valkey.stop()
        valkey.start()
