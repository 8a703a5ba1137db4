"""Staff follow an import over HTTP: archives in parts, pages of problems, an end before its end."""

import io
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
import yaml
from fastapi import FastAPI

from contracts.ids import uuid7
from contracts.service_token import StaffRole
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.api import duplicates, imports
from knowledge.api.dependencies import AUDIENCE_STAFF, Resources
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from runtime.application import build_application
from runtime.clock import utc_now
from runtime.database import Database
from runtime.tenants import TenantDirectory
from runtime.tokens import KeySet, add_key, private_file, public_file, read_keys, sign

pytestmark = pytest.mark.store

_FILE = "---\nslug: {0}\nlabel: '1'\nlanguage: zh\n---\n# {0}\n\n七天内可以无理由退货，运费由商家承担。\n"


@dataclass(frozen=True, slots=True)
class Desk:
    """An owner with a browser."""

    client: httpx.AsyncClient
    keys: KeySet
    tenant: str

    async def call(
        self, method: str, path: str, *, role: StaffRole = "owner", **sent: Any
    ) -> httpx.Response:  # httpx's
        """Call as a member of staff."""
        claims = {"tenant": self.tenant, "actor": "staff-1", "roles": [role]}
        token = sign(self.keys, claims, audience=AUDIENCE_STAFF, now=datetime.now(UTC), lifetime=timedelta(minutes=1))
        headers = {"authorization": f"Bearer {token}"} | sent.pop("headers", {})
        return await self.client.request(method, f"/v1/staff{path}", headers=headers, **sent)

    async def opened(self, **wish: object) -> str:
        """Open an import and give its path."""
        return f"/imports/{(await self.call('POST', '/imports', json=wish)).json()['importId']}"

    async def send(self, path: str, number: int, content: bytes, name: str = "p.zip") -> httpx.Response:
        """Send a part of an archive."""
        headers = {"content-type": "application/octet-stream"}
        return await self.call(
            "PUT", f"{path}/archives/{number}", params={"path": name}, content=content, headers=headers
        )


@pytest.fixture
async def desk(
    database: Database, searcher: DatabaseSearcher, bench: Bench, tenant: str, tmp_path: Path
) -> AsyncIterator[Desk]:
    """Give the routes over a queue that works at once."""
    add_key(private_file(tmp_path, "staff"), public_file(tmp_path, "staff"))
    keys = read_keys(private_file(tmp_path, "staff"))
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text(yaml.safe_dump({"tenants": {tenant: {"name": "Shop"}}}), encoding="utf-8")

    async def enqueue(*, tenant: str, import_id: str) -> None:
        while advance_import(bench, tenant=tenant, import_id=UUID(import_id)):
            pass

    app = build_application(
        title="test", version="1", lifespan=_nothing, ready={}, statuses={"IMPORT_ENDED": 409, "MISSING_PART": 409}
    )
    for router in (imports.router, duplicates.router):
        app.include_router(router)
    app.state.resources = Resources(
        database=database, tenants=TenantDirectory(tenants), searcher=searcher, enqueue=enqueue, warm=_ignore,
        service_keys=keys, staff_keys=keys, clock=utc_now, new_id=uuid7,
    )  # fmt: skip
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as client:
        yield Desk(client, keys, tenant)


async def test_an_archive_goes_in_by_parts_and_its_copies_are_listed(desk: Desk) -> None:
    packed = _packed(a=_FILE.format("a"), b=_FILE.format("b"), broken="no front matter")
    path = await desk.opened()

    for number, part in enumerate((packed[:100], packed[100:])):
        assert (await desk.send(path, number, part)).status_code == 200
    await desk.call("POST", f"{path}/start")

    done = (await desk.call("GET", path)).json()
    assert (done["status"], done["filesTotal"], done["problemsTotal"], done["changes"]["added"]) == ("STAGED", 3, 1, 2)
    page = (await desk.call("GET", f"/versions/{done['version']}/duplicates", role="reviewer")).json()
    assert [({each["one"]["slug"], each["other"]["slug"]}, each["similarity"]) for each in page["items"]] == [
        ({"a", "b"}, 1.0)
    ]
    assert page["nextCursor"] is None


async def test_parts_out_of_order_and_other_kinds_of_files_are_refused(desk: Desk) -> None:
    path = await desk.opened()

    early = await desk.send(path, 1, b"x")
    other = await desk.send(path, 0, b"x", name="a.md")

    assert (early.status_code, early.json()["code"]) == (409, "MISSING_PART")
    assert (other.status_code, "a.md" in other.json()["detail"]) == (400, True)


@pytest.mark.parametrize("value", ["NaN", "1e999", '["\\u0000"]'])
async def test_a_header_that_cannot_be_stored_is_refused(desk: Desk, value: str) -> None:
    path = await desk.opened()
    body = f'{{"files": [{{"path": "a.md", "contentBase64": "", "header": {{"priority": {value}}}}}]}}'

    answer = await desk.call("POST", f"{path}/files", content=body, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_problems_come_in_pages(desk: Desk) -> None:
    path = await desk.opened()
    await desk.send(path, 0, _packed(**{f"broken{number}": "no front matter" for number in range(5)}))
    await desk.call("POST", f"{path}/start")

    first = (await desk.call("GET", f"{path}/problems?limit=3")).json()
    second = (await desk.call("GET", f"{path}/problems?limit=3&cursor={first['nextCursor']}")).json()

    told = [each["path"] for each in (*first["items"], *second["items"])]
    assert told == [f"broken{number}.md" for number in range(5)]
    assert second["nextCursor"] is None


async def test_an_import_that_refuses_faulty_files_stages_nothing(desk: Desk) -> None:
    path = await desk.opened(faulty="refuse")
    await desk.send(path, 0, _packed(a=_FILE.format("a"), broken="no front matter"))
    await desk.call("POST", f"{path}/start")

    done = (await desk.call("GET", path)).json()

    assert (done["status"], done["version"], [each["path"] for each in done["problems"]]) == (
        "FAILED",
        None,
        ["broken.md"],
    )


async def test_a_waiting_import_is_discarded_once_and_an_ended_one_is_not(desk: Desk) -> None:
    path = await desk.opened()
    await desk.send(path, 0, _packed(a=_FILE.format("a")))

    discarded = await desk.call("DELETE", path)
    again = await desk.call("DELETE", path)
    started = (await desk.call("POST", f"{path}/start")).json()
    other = await desk.opened()
    await desk.call("POST", f"{other}/start")
    ended = await desk.call("DELETE", other)

    assert (discarded.json()["status"], discarded.json()["reason"]) == ("DISCARDED", "It was discarded by staff-1.")
    assert (again.json(), started["status"]) == (discarded.json(), "DISCARDED")
    assert (ended.status_code, ended.json()["code"]) == (409, "IMPORT_ENDED")


async def test_only_an_owner_discards(desk: Desk) -> None:
    path = await desk.opened()

    answers = [await desk.call("DELETE", path, role="publisher"), await desk.call("DELETE", "/imports/job_00")]

    assert [each.status_code for each in answers] == [403, 404]


def _packed(**files: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as opened:
        for name, content in files.items():
            opened.writestr(f"{name}.md", content)
    return held.getvalue()


@asynccontextmanager
async def _nothing(_app: FastAPI) -> AsyncGenerator[None]:
    yield


async def _ignore(*, tenant: str) -> None:
    """Warm nothing."""
