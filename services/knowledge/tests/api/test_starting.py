"""In production the HTTP edge does not start under settings that the answering version was not measured with."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from sqlalchemy import text

from knowledge.api.gate import UnprovenSettingsError
from knowledge.main import create_app
from knowledge.tasks.bench import Bench
from services.knowledge.tests.api.conftest import Premises
from tests.support.office import Office

pytestmark = pytest.mark.store

_FILE: Final = (
    "returns.md",
    "---\nslug: returns\nlabel: '1'\nlanguage: zh\n---\n# 退货\n\n签收后七天内可以退货。\n".encode(),
)
_CASE: Final[dict[str, Any]] = {  # JSON of any shape
    "id": "g-1", "lang": "zh", "category": "returns", "question": "签收后七天内可以退货吗？",
    "acceptable_routes": ["answer"],
}  # fmt: skip


@asynccontextmanager
async def _started(premises: Premises, environment: str) -> AsyncGenerator[None]:
    app = create_app(premises.settings.model_copy(update={"environment": environment}))
    try:
        async with app.router.lifespan_context(app):
            yield
    finally:
        await app.state.database.close()


async def _measured(office: Office, **bound: Any) -> None:  # as above
    await office.call("PUT", "/evaluation-thresholds", "publisher", bounds=[{"metric": "routeAccuracy", **bound}])
    started = await office.call("POST", "/versions/1/evaluations", "reviewer")
    assert started.status_code == 202, started.text


async def _published(office: Office) -> None:
    await office.bring_in(_FILE)
    await office.publish(1)
    await office.call("POST", "/golden-cases", "reviewer", cases=[_CASE])


def _upgrade(bench: Bench, tenant: str) -> None:
    """Let what was measured be under other settings than those of now."""
    with bench.database.transaction(tenant) as connection:
        change = """UPDATE evaluation_run SET settings = settings || '{"validator": "of the release before"}'::jsonb"""
        connection.execute(text(change))


@pytest.mark.parametrize("bound", [{"atLeast": 1}, {"atMost": 0}], ids=["passed", "missed"])
async def test_an_unproven_edge_starts_anywhere_but_in_production(
    premises: Premises, office: Office, bench: Bench, bound: dict[str, Any]
) -> None:
    await _published(office)
    await _measured(office, **bound)
    _upgrade(bench, office.tenant)

    async with _started(premises, "local"):
        pass
    with pytest.raises(UnprovenSettingsError) as refused:
        async with _started(premises, "production"):
            pass

    said = refused.value.sentences
    assert said[0] == f"{office.tenant}, version 1: It was measured with other settings (validator); evaluate it again."
    assert said[-1].strip() == f"youju eval --gate --tenant {office.tenant} --version 1"
    await _measured(office, atLeast=1)
    async with _started(premises, "production"):
        pass


async def test_production_waits_until_new_settings_pass(premises: Premises, office: Office, bench: Bench) -> None:
    await _published(office)
    await _measured(office, atLeast=1)
    _upgrade(bench, office.tenant)
    await _measured(office, atMost=0)

    with pytest.raises(UnprovenSettingsError) as refused:
        async with _started(premises, "production"):
            pass
    gate = (await office.call("GET", "/versions/1/gate", "reviewer")).json()

    assert "Its settings changed (validator), and with these it missed:" in refused.value.sentences[0]
    assert (gate["standing"], gate["settings"]) == ("MISSED", ["validator"])
    await _measured(office, atLeast=1)
    async with _started(premises, "production"):
        pass


async def test_thresholds_that_are_missed_where_nothing_changed_hold_up_no_start(
    premises: Premises, office: Office
) -> None:
    await _published(office)
    await _measured(office, atLeast=1)
    await _measured(office, atMost=0)

    async with _started(premises, "production"):
        pass


async def test_where_nothing_is_gated_production_starts(premises: Premises, office: Office) -> None:
    await _published(office)

    async with _started(premises, "production"):
        pass
