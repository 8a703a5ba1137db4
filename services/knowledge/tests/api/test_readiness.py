"""Traffic comes only to a process whose database has every migration it needs."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from knowledge.main import create_app
from knowledge.settings import KnowledgeSettings
from runtime.database import Database
from tests.support.databases import Databases

pytestmark = pytest.mark.store


@pytest.fixture
async def unmigrated(databases: Databases) -> AsyncIterator[str]:
    """Give the app role's URL of a database without any migration."""
    name, empty = databases.empty("knowledge")
    yield empty.app
    databases.drop(name)


async def _ready(url: str, folder: Path) -> tuple[int, object]:
    settings = KnowledgeSettings(
        redis_url="redis://localhost:1/0", keys_directory=folder, tenants_file=folder / "tenants.yaml", database_url=url
    )
    app = create_app(settings)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as client:
        answer = await client.get("/health/ready")
    await app.state.database.close()
    return answer.status_code, answer.json()


async def test_a_migrated_database_is_ready(database: Database, tmp_path: Path) -> None:
    url = database.engine.url.render_as_string(hide_password=False)

    assert await _ready(url, tmp_path) == (200, {"database": "ok"})


async def test_a_database_without_migrations_is_not_ready(unmigrated: str, tmp_path: Path) -> None:
    assert await _ready(unmigrated, tmp_path) == (503, {"database": "not_migrated"})
