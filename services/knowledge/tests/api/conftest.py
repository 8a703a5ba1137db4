"""Give the tests of the staff API the whole application over a queue that works at once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from sqlalchemy import text

from contracts.ids import uuid7
from knowledge.main import create_app
from knowledge.settings import KnowledgeSettings
from knowledge.tasks.asking import open_asking
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.tasks.evaluating import Evaluating, advance_evaluation
from knowledge.tasks.sentences import embed_sentences
from knowledge.versions.store import upkeep
from runtime.tenants import TenantDirectory
from runtime.tokens import add_key, private_file, public_file, read_keys
from tests.support.databases import OpenDatabase
from tests.support.office import Office


@dataclass(frozen=True)
class Premises:
    """The whole application, which the offices of a module share; each has a tenant of its own."""

    app: FastAPI
    settings: KnowledgeSettings


@pytest.fixture(scope="module")
async def premises(tmp_path_factory: pytest.TempPathFactory, service_database: OpenDatabase) -> AsyncIterator[Premises]:
    """Open the application for a module: its routes, weights and statements are prepared once."""
    folder = tmp_path_factory.mktemp("premises")
    for name in ("staff", "service"):
        add_key(private_file(folder, name), public_file(folder, name))
    (folder / "tenants.yaml").write_text("tenants: {}\n")
    settings = KnowledgeSettings(
        redis_url="redis://localhost:1/0", keys_directory=folder, tenants_file=folder / "tenants.yaml",
        database_url=service_database("knowledge").app, database_pool_size=4,
        originals_keys=SecretStr(bytes(32).hex()),
    )  # fmt: skip
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        yield Premises(app, settings)


@pytest.fixture
async def office(premises: Premises, bench: Bench, tenant: str) -> AsyncIterator[Office]:
    """Give the whole application over a queue that works at once."""
    app, settings = premises.app, premises.settings
    settings.tenants_file.write_text(f"tenants:\n  {tenant}: {{name: Shop}}\n  {tenant}-b: {{name: Other}}\n")

    async def enqueue(*, tenant: str, import_id: str) -> None:
        while advance_import(bench, tenant=tenant, import_id=UUID(import_id)):
            pass

    async def warm(*, tenant: str) -> None:
        with bench.database.transaction(tenant) as connection:
            upkeep.warm(connection, tenant=tenant, vectors=("passage_vector",))

    evaluating = Evaluating(
        database=bench.database,
        open=lambda: open_asking(settings, TenantDirectory(settings.tenants_file)),
        new_id=uuid7,
    )

    async def evaluate(*, tenant: str, run_id: str) -> None:
        with bench.database.transaction(tenant) as connection:
            waiting = [row.version for row in connection.execute(text("SELECT version FROM sentence_backlog"))]
        for version in waiting:
            while embed_sentences(bench, tenant=tenant, version=version):
                pass
        while await asyncio.to_thread(advance_evaluation, evaluating, tenant=tenant, run_id=UUID(run_id)):
            pass

    opened = app.state.resources, app.state.evaluations
    app.state.resources = replace(app.state.resources, enqueue=enqueue, warm=warm)
    app.state.evaluations = replace(app.state.evaluations, enqueue=evaluate)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as client:
        yield Office(client, read_keys(private_file(settings.keys_directory, "staff")), tenant)
    app.state.resources, app.state.evaluations = opened
