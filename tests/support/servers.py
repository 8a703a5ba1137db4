"""Give tests a Postgres and a Valkey: named by the environment, else in containers, else embedded.

`YOUJU_TEST_DATABASE_URL` and `YOUJU_TEST_REDIS_URL` name servers that run already (the former as superuser);
`YOUJU_TEST_CONTAINERS=1` starts both with testcontainers.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from tests.support.watchdog import watching
from youju.embedded.postgres import Postgres, configuration
from youju.embedded.valkey import Valkey

_POSTGRES_IMAGE: Final = "pgvector/pgvector:pg18"
_VALKEY_IMAGE: Final = "valkey/valkey:9-alpine"
_PASSWORD: Final = "made-up"
# Test data need not survive a power cut.
_FAST: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "128MB"}


@pytest.fixture(scope="session")
def server_home() -> Iterator[Path]:
    """Give a short path that the account of the embedded Postgres may enter."""
    folder = Path(tempfile.mkdtemp(prefix="youju-"))
    folder.chmod(0o711)
    with watching("servers", folder):
        yield folder


@pytest.fixture(scope="session")
def postgres_admin_url(server_home: Path) -> Iterator[str]:
    """Give the SQLAlchemy URL of a superuser."""
    given = os.environ.get("YOUJU_TEST_DATABASE_URL")
    if given:
        yield given
    elif os.environ.get("YOUJU_TEST_CONTAINERS") == "1":
        yield from _postgres_in_container()
    else:
        server = Postgres(server_home, server_home, _FAST)
        server.start()
        yield server.admin_url
        server.stop()


@pytest.fixture(scope="session")
def redis_url(server_home: Path) -> Iterator[str]:
    """Give the address of a Valkey that is empty at the start of the session; tests keep to keys of their own."""
    given = os.environ.get("YOUJU_TEST_REDIS_URL")
    if given:
        yield given
    elif os.environ.get("YOUJU_TEST_CONTAINERS") == "1":
        yield from _valkey_in_container()
    else:
        server = Valkey(server_home, server_home)
        server.start()
        yield server.url
        server.stop()


def _postgres_in_container() -> Iterator[str]:
    # The image starts once to initialise and once to serve.
    listening = LogMessageWaitStrategy("database system is ready to accept connections", times=2)
    container = DockerContainer(_POSTGRES_IMAGE).with_env("POSTGRES_PASSWORD", _PASSWORD).with_exposed_ports(5432)
    with container.with_command(_postgres_command()).waiting_for(listening) as running:
        address = f"{running.get_container_host_ip()}:{running.get_exposed_port(5432)}"
        yield f"postgresql+psycopg://postgres:{_PASSWORD}@{address}/postgres"


def _postgres_command() -> list[str]:
    """Start Postgres with what our own configuration says of plans and connections: the stock one plans for slow disks."""
    ours = configuration(Path())
    settings = {name: ours[name] for name in ("max_connections", "work_mem", "random_page_cost", "jit")} | _FAST
    return ["postgres", *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))]


def _valkey_in_container() -> Iterator[str]:
    ready = LogMessageWaitStrategy("Ready to accept connections")
    with DockerContainer(_VALKEY_IMAGE).with_exposed_ports(6379).waiting_for(ready) as running:
        yield f"redis://{running.get_container_host_ip()}:{running.get_exposed_port(6379)}/0"
