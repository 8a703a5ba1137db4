"""Serve bff against a real Postgres, a real Valkey and a knowledge of named behaviours."""

import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bff.adapters.clients import Clients, open_clients
from bff.main import create_app
from bff.settings import BffSettings
from runtime.tenants import read_tenants
from runtime.tokens import add_key, private_file, public_file
from services.bff.tests.client import Customer, open_customer
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served
from tests.support.databases import OpenDatabase


@pytest.fixture(scope="session")
def keys_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("service", "guest", "staff"):
        add_key(private_file(folder, name), public_file(folder, name))
    return folder


@pytest.fixture(scope="session")
def tenants_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tenants") / "tenants.yaml"
    file.write_text("tenants: {}\n", encoding="utf-8")
    return file


def add_tenant(file: Path, **settings: object) -> str:
    tenant = f"tenant-{secrets.token_hex(6)}"
    content = read_tenants(file).model_dump(mode="json", exclude_unset=True)
    content["tenants"][tenant] = {"name": "Shop", "auto_escalate": ["ESCALATION_TOPIC"], **settings}
    file.write_text(json.dumps(content, default=str), encoding="utf-8")
    return tenant


@pytest.fixture
def tenant(tenants_file: Path) -> str:
    return add_tenant(tenants_file)


@pytest.fixture(scope="session")
async def knowledge() -> AsyncIterator[FakeKnowledge]:
    fake = FakeKnowledge()
    yield fake
    fake.release_all()


@pytest.fixture(scope="session")
async def knowledge_url(knowledge: FakeKnowledge) -> AsyncIterator[str]:
    async with served(knowledge.app()) as url:
        yield url
        knowledge.release_all()


@pytest.fixture(scope="session")
def settings(
    shared_service_database: OpenDatabase,
    redis_url: str,
    keys_directory: Path,
    tenants_file: Path,
    knowledge_url: str,
) -> BffSettings:
    database = shared_service_database("bff")
    return BffSettings(
        environment="test",
        redis_url=redis_url,
        keys_directory=keys_directory,
        tenants_file=tenants_file,
        database_url=database.app,
        sweeper_database_url=database.sweeper,
        knowledge_url=knowledge_url,
        # A busy machine may take its time; tests of running out of time have settings of their own.
        attempt_seconds=60,
        wait_seconds=50,
        heartbeat_seconds=0.2,
        sessions_per_minute=10_000,
        asks_per_minute=100_000,
        asks_per_minute_and_address=100_000,
        calls_per_minute=100_000,
    )


@pytest.fixture(scope="session")
async def bff_url(settings: BffSettings, knowledge: FakeKnowledge) -> AsyncIterator[str]:
    async with served(create_app(settings)) as url:
        yield url
        knowledge.release_all()


@pytest.fixture
async def clients(settings: BffSettings) -> AsyncIterator[Clients]:
    async with open_clients(settings) as opened:
        yield opened


@pytest.fixture
async def customer(bff_url: str, tenant: str) -> AsyncIterator[Customer]:
    async with open_customer(bff_url, tenant) as opened:
        yield opened
