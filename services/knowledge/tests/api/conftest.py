"""Give the tests of the staff API the whole application over a queue that works at once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import httpx
import pytest
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


@pytest.fixture
async def office(tmp_path: Path, service_database: OpenDatabase, bench: Bench, tenant: str) -> AsyncIterator[Office]:
    """Give the whole application over a queue that works at once."""
    for name in ("staff", "service"):
        add_key(private_file(tmp_path, name), public_file(tmp_path, name))
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text(f"tenants:\n  {tenant}: {{name: Shop}}\n  {tenant}-b: {{name: Other}}\n")
    settings = KnowledgeSettings(
        redis_url="redis://localhost:1/0", keys_directory=tmp_path, tenants_file=tenants,
        database_url=service_database("knowledge").app, database_pool_size=4,
        originals_keys=SecretStr(bytes(32).hex()),
    )  # fmt: skip
    app = create_app(settings)

    async def enqueue(*, tenant: str, import_id: str) -> None:
        while advance_import(bench, tenant=tenant, import_id=UUID(import_id)):
            pass

    async def warm(*, tenant: str) -> None:
        with bench.database.transaction(tenant) as connection:
            upkeep.warm(connection, tenant=tenant, vectors=("passage_vector",))

    evaluating = Evaluating(
        database=bench.database, open=lambda: open_asking(settings, TenantDirectory(tenants)), new_id=uuid7
    )

    async def evaluate(*, tenant: str, run_id: str) -> None:
        with bench.database.transaction(tenant) as connection:
            waiting = [row.version for row in connection.execute(text("SELECT version FROM sentence_backlog"))]
        for version in waiting:
            while embed_sentences(bench, tenant=tenant, version=version):
                pass
        while await asyncio.to_thread(advance_evaluation, evaluating, tenant=tenant, run_id=UUID(run_id)):
            pass

    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as client,
    ):
        app.state.resources = replace(app.state.resources, enqueue=enqueue, warm=warm)
        app.state.evaluations = replace(app.state.evaluations, enqueue=evaluate)
        yield Office(client, read_keys(private_file(tmp_path, "staff")), tenant)
