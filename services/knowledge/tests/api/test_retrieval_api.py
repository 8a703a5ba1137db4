"""Staff open a search up: every arm, the order, and why a passage did not come."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from fastapi import FastAPI
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.service_token import StaffRole
from knowledge.adapters.inspecting import DatabaseInspector
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.api import retrieval
from knowledge.api.dependencies import AUDIENCE_STAFF, Resources
from runtime.application import build_application
from runtime.clock import utc_now
from runtime.database import Database
from runtime.tenants import TenantDirectory
from runtime.tokens import KeySet, add_key, private_file, public_file, read_keys, sign
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_FILES = [
    policy("fee", "运费由商家承担。"),
    policy("far", "开票后三个工作日内寄出。"),
    policy("vip", "会员运费全免。", audience=["vip"]),
    policy("old", "运费十元。", effective_to="2025-01-01"),
    policy("gone", "运费二十元。"),
]


@dataclass(frozen=True, slots=True)
class Desk:
    """A member of staff with a browser."""

    client: httpx.AsyncClient
    keys: KeySet
    tenant: str

    async def open(self, *roles: StaffRole, **asked: object) -> httpx.Response:
        """Open a search up."""
        claims = {"tenant": self.tenant, "actor": "staff-1", "roles": list(roles)}
        token = sign(self.keys, claims, audience=AUDIENCE_STAFF, now=datetime.now(UTC), lifetime=timedelta(minutes=1))
        headers = {"authorization": f"Bearer {token}"}
        return await self.client.post("/v1/staff/retrieval", headers=headers, json=asked)


@pytest.fixture
async def desk(database: Database, searcher: DatabaseSearcher, tenant: str, tmp_path: Path) -> AsyncIterator[Desk]:
    """Give the route over the search of the product."""
    add_key(private_file(tmp_path, "staff"), public_file(tmp_path, "staff"))
    keys = read_keys(private_file(tmp_path, "staff"))
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text(yaml.safe_dump({"tenants": {tenant: {"name": "Shop"}}}), encoding="utf-8")
    app = build_application(title="test", version="1", lifespan=_nothing, ready={})
    app.include_router(retrieval.router)
    app.state.inspector = DatabaseInspector(searcher)
    app.state.resources = Resources(
        database=database, tenants=TenantDirectory(tenants), searcher=searcher, enqueue=_ignore, warm=_ignore,
        service_keys=keys, staff_keys=keys, clock=utc_now, new_id=uuid7,
    )  # fmt: skip
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as client:
        yield Desk(client, keys, tenant)


async def _published(importer: Importer, tenant: str) -> None:
    await importer.publish(tenant, [policy("dropped", "运费三十元。")])
    await importer.publish(tenant, _FILES)
    await importer.withdraw(tenant, "gone")


def _fates(body: dict[str, Any]) -> dict[str, list[str]]:  # JSON
    return {each["document"]: each["fates"] for each in body["passages"]}


async def test_every_passage_says_what_became_of_it(desk: Desk, importer: Importer) -> None:
    await _published(importer, desk.tenant)

    body = (await desk.open("support", question="运费", asOf="2026-07-15")).json()

    assert _fates(body) == {
        "fee": ["in_context"],
        "far": ["in_context", "below_threshold"],
        "vip": ["other_audience"],
        "old": ["not_in_force"],
        "gone": ["withdrawn"],
        "dropped": ["not_in_version"],
    }
    assert [each["rank"] for each in body["passages"]] == [1, 2, 3, 4, 5, 6]
    fused = [each["scores"]["fused"] for each in body["passages"]]
    assert fused == sorted(fused, reverse=True)
    assert (body["version"], body["asOf"], sorted(body["terms"])) == (2, "2026-07-15", ["费", "运", "运费"])


async def test_each_arm_shows_what_it_brought_by_itself(desk: Desk, importer: Importer) -> None:
    await _published(importer, desk.tenant)

    body = (await desk.open("operator", question="运费", asOf="2026-07-15")).json()

    arms = {each["name"]: each for each in body["arms"]}
    assert {name: (each["isUsed"], len(each["candidates"])) for name, each in arms.items()} == {
        "words": (True, 1),
        "first": (True, 2),
        "second": (False, 0),
    }
    assert arms["first"]["builtWith"] == "words/512/-"


async def test_a_question_is_masked_before_it_is_searched_for(desk: Desk, importer: Importer) -> None:
    await _published(importer, desk.tenant)

    body = (await desk.open("support", question="运费？我的手机号是13800138000\0", asOf="2026-07-15")).json()

    assert "13800138000" not in "".join(body["terms"])
    assert "in_context" in _fates(body)["fee"]


async def test_segments_and_versions_are_chosen(desk: Desk, importer: Importer) -> None:
    await _published(importer, desk.tenant)

    vip = (await desk.open("owner", question="运费", asOf="2026-07-15", segments=["vip"])).json()
    first = (await desk.open("owner", question="运费", asOf="2026-07-15", version=1)).json()

    assert _fates(vip)["vip"] == ["in_context"]
    assert _fates(first)["dropped"] == ["in_context"]
    assert _fates(first)["fee"] == ["not_in_version"]


async def test_nothing_is_logged_and_nobody_else_may_look(desk: Desk, importer: Importer, database: Database) -> None:
    unpublished = await desk.open("owner", question="运费")
    await _published(importer, desk.tenant)
    await desk.open("owner", question="运费")

    nobody = await desk.client.post("/v1/staff/retrieval", json={"question": "运费"})
    async with database.transaction(desk.tenant) as connection:
        logged = (await connection.execute(text("SELECT count(*) FROM answer_opening"))).scalar_one()

    assert (unpublished.json()["code"], nobody.status_code, logged) == ("NO_PUBLISHED_VERSION", 401, 0)
    assert (await desk.open("owner", question="运费", version=99)).status_code == 404


@asynccontextmanager
async def _nothing(_app: FastAPI) -> AsyncGenerator[None]:
    yield


async def _ignore(**_asked: str) -> None:
    pass
