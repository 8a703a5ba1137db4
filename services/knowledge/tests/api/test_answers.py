"""bff asks over HTTP: the grammar of events, one run an attempt, and a citation read again."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from fastapi import FastAPI
from httpx_sse import EventSource
from prometheus_client import REGISTRY
from pydantic import JsonValue, TypeAdapter

from contracts.answers import AnswerRequest, CitedPassage, LoggedAnswer
from contracts.errors import UnavailableError
from contracts.ids import printed, uuid7
from contracts.reasons import FailureCode, RefusalCause, RefusalReason
from contracts.service_token import AUDIENCE_KNOWLEDGE, DEADLINE_HEADER, ServiceClaims
from contracts.stream import KNOWLEDGE_EVENT, CompletedEvent, DeltaEvent, ErrorEvent, KnowledgeEvent, grammar_fault
from knowledge.adapters.answering import Answering, open_answering
from knowledge.answering.log import Logged
from knowledge.api import answers
from knowledge.api.answer_events import answer_stream
from knowledge.api.dependencies import Resources
from knowledge.retrieval.searching import PassageDetail, SearchResult
from runtime.application import build_application
from runtime.clock import utc_now
from runtime.database import Database
from runtime.tenants import TenantDirectory
from runtime.tokens import KeySet, add_key, private_file, public_file, read_keys, sign
from tests.support.answering import FakeSearcher, make_asked, make_passage
from tests.support.databases import OpenDatabase

pytestmark = pytest.mark.store

RETURNS = make_passage("茶壶可以在九天内退回。但刻字的除外。", document="returns", heading="退货")
ROUTES = "/v1/answers"
_JSON = {"Accept": "application/json"}
_OBJECT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


@dataclass
class HeldSearcher(FakeSearcher):
    """Answers only after it is let go, and forgets a passage when told."""

    gate: asyncio.Event | None = None
    hidden: bool = False
    entered: asyncio.Queue[None] = field(default_factory=asyncio.Queue[None])

    async def search(self, **asked: object) -> SearchResult:
        if self.gate is not None:
            self.entered.put_nowait(None)
            await self.gate.wait()
        return await super().search(**asked)  # pyright: ignore[reportArgumentType]  # passes all on

    async def read_passage(self, **asked: object) -> PassageDetail | None:
        return None if self.hidden else await super().read_passage(**asked)  # pyright: ignore[reportArgumentType]  # passes all on


@dataclass
class Bff:
    """Calls knowledge as bff does."""

    http: httpx.AsyncClient
    keys: KeySet
    tenant: str

    def token(self, attempt_id: str, method: str, path: str, **claims: str) -> dict[str, str]:
        said = ServiceClaims(
            tenant=claims.get("tenant", self.tenant), actor="cus_1", segments=("public",), attempt_id=attempt_id,
            method=method, path=path,
        )  # fmt: skip
        token = sign(
            self.keys,
            said.model_dump(mode="json"),
            audience=AUDIENCE_KNOWLEDGE,
            now=utc_now(),
            lifetime=timedelta(seconds=60),
        )
        return {"Authorization": f"Bearer {token}"}

    async def post(self, question: str, attempt_id: str, headers: dict[str, str] | None = None) -> httpx.Response:
        body = AnswerRequest(
            attempt_id=attempt_id, conversation_id="cnv_1", question=question, language="zh",
            as_of=utc_now().date(), asked_at=utc_now(),
        )  # fmt: skip
        sent = self.token(attempt_id, "POST", ROUTES) | (headers or {})
        return await self.http.post(ROUTES, json=body.model_dump(mode="json"), headers=sent)

    async def get(self, path: str, attempt_id: str, **claims: str) -> httpx.Response:
        return await self.http.get(path, headers=self.token(attempt_id, "GET", path, **claims))

    async def stream(self, question: str, attempt_id: str) -> list[KnowledgeEvent]:
        response = await self.post(question, attempt_id)
        assert response.status_code == 200, response.text
        assert response.headers["Cache-Control"] == "no-store"
        return [
            KNOWLEDGE_EVENT.validate_python(_OBJECT.validate_json(event.data) | {"event": event.event})
            async for event in EventSource(response).aiter_sse()
        ]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> KeySet:
    folder = tmp_path_factory.mktemp("keys")
    add_key(private_file(folder, "service"), public_file(folder, "service"))
    return read_keys(private_file(folder, "service"))


@pytest.fixture
def searcher() -> HeldSearcher:
    return HeldSearcher((RETURNS,))


@pytest.fixture
async def answering(service_database: OpenDatabase, searcher: HeldSearcher) -> AsyncIterator[Answering]:
    database = Database(service_database("knowledge").app, pool_size=4)
    opened = open_answering(database=database, searcher=searcher, clock=utc_now, embedder="none", most_running=8)
    yield opened
    await opened.close()
    await database.close()


@pytest.fixture
async def bff(
    answering: Answering,
    searcher: HeldSearcher,
    keys: KeySet,
    tenant: str,
    tmp_path: Path,
    service_database: OpenDatabase,
) -> AsyncIterator[Bff]:
    tenants = tmp_path / "tenants.yaml"
    shop = {"name": "Shop", "time_zone": "UTC"}
    tenants.write_text(yaml.safe_dump({"tenants": {tenant: shop, "other": shop}}), encoding="utf-8")
    database = Database(service_database("knowledge").app, pool_size=1)
    app = build_application(title="test", version="1", lifespan=_nothing, ready={})
    app.include_router(answers.router)
    app.state.answering = answering
    app.state.resources = Resources(
        database=database, tenants=TenantDirectory(tenants), searcher=searcher, enqueue=_enqueue, warm=_warm,
        service_keys=keys, staff_keys=keys, clock=utc_now, new_id=uuid7,
    )  # fmt: skip
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as http:
        yield Bff(http, keys, tenant)
    await database.close()


@pytest.fixture
def attempt_id() -> str:
    return printed("att", uuid7())


async def test_an_answer_streams_its_parts_citations_usage_and_end(bff: Bff, attempt_id: str) -> None:
    events = await bff.stream("茶壶几天内可以退？", attempt_id)

    names = [event.event for event in events]
    assert grammar_fault([name for name in names if name != "usage"], closed=True) is None
    assert names[:2] == ["session", "metadata"]
    assert names[-2:] == ["usage", "completed"]
    completed = events[-1]
    assert isinstance(completed, CompletedEvent)
    deltas = [event for event in events if isinstance(event, DeltaEvent)]
    assert "".join(delta.text for delta in deltas) == completed.answer
    assert [view.index for delta in deltas for view in delta.new_citations] == [1, 2]


async def test_a_refusal_completes(bff: Bff, attempt_id: str) -> None:
    events = await bff.stream("我要投诉", attempt_id)

    completed = events[-1]
    assert isinstance(completed, CompletedEvent)
    assert (completed.refused, completed.reason_code, completed.handoff) == (
        True, RefusalReason.ESCALATION_TOPIC, "required"
    )  # fmt: skip


async def test_json_says_the_same_as_the_stream(bff: Bff, attempt_id: str) -> None:
    whole = LoggedAnswer.model_validate_json((await bff.post("茶壶几天内可以退？", attempt_id, _JSON)).content)

    completed = (await bff.stream("茶壶几天内可以退？", attempt_id))[-1]

    assert whole.outcome is not None
    assert isinstance(completed, CompletedEvent)
    assert completed.model_dump(exclude={"event"}) == whole.outcome.model_dump()
    assert whole.status == "COMPLETED"


async def test_asking_again_gives_the_logged_answer_and_runs_nothing(
    bff: Bff, attempt_id: str, searcher: HeldSearcher
) -> None:
    first = await bff.stream("茶壶几天内可以退？", attempt_id)
    searched = list(searcher.searched)

    second = await bff.stream("茶壶几天内可以退？", attempt_id)

    assert second[2:] == first[2:]
    assert searcher.searched == searched


async def test_asking_twice_at_once_runs_once(bff: Bff, attempt_id: str, searcher: HeldSearcher) -> None:
    searcher.gate = asyncio.Event()
    both = [asyncio.create_task(bff.post("茶壶几天内可以退？", attempt_id, _JSON)) for _ in range(2)]
    await searcher.entered.get()

    searcher.gate.set()
    first, second = await asyncio.gather(*both)

    assert first.json() == second.json()
    assert len(searcher.searched) == 1


async def test_a_lost_searcher_is_an_error_event_and_a_problem(
    bff: Bff, searcher: HeldSearcher, attempt_id: str
) -> None:
    searcher.trouble = UnavailableError()

    event = (await bff.stream("茶壶几天内可以退？", attempt_id))[-1]
    response = await bff.post("茶壶几天内可以退？", attempt_id, _JSON)

    assert isinstance(event, ErrorEvent)
    assert (event.code, event.retryable) == (FailureCode.KNOWLEDGE_UNAVAILABLE, True)
    assert (response.status_code, response.json()["code"]) == (503, "KNOWLEDGE_UNAVAILABLE")


async def test_a_bug_is_told_and_logged_as_such(bff: Bff, searcher: HeldSearcher, attempt_id: str) -> None:
    searcher.trouble = RuntimeError("made up")

    event = (await bff.stream("茶壶几天内可以退？", attempt_id))[-1]

    assert isinstance(event, ErrorEvent)
    assert event.code is FailureCode.INTERNAL
    logged = LoggedAnswer.model_validate_json((await bff.get(f"/v1/attempts/{attempt_id}", attempt_id)).content)
    assert (logged.status, logged.failure_code) == ("FAILED", FailureCode.INTERNAL)


async def test_no_time_left_is_a_timeout(bff: Bff, attempt_id: str) -> None:
    response = await bff.post("茶壶几天内可以退？", attempt_id, {**_JSON, DEADLINE_HEADER: "0"})

    assert (response.status_code, response.json()["code"]) == (504, "KNOWLEDGE_TIMEOUT")


async def test_a_logged_attempt_can_be_read_by_its_own_token_only(bff: Bff, attempt_id: str) -> None:
    await bff.stream("茶壶几天内可以退？", attempt_id)
    path = f"/v1/attempts/{attempt_id}"

    assert (await bff.get(path, attempt_id)).status_code == 200
    assert (await bff.get(path, attempt_id, tenant="other")).status_code == 404
    assert (await bff.get(path, printed("att", uuid7()))).status_code == 404
    assert (await bff.http.get(path)).status_code == 401


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 200),
        ({"method": "POST"}, 401),
        ({"path": ROUTES}, 401),
        ({"path": "/v1/attempts/att_1"}, 401),
        ({"audience": "staff"}, 401),
        ({"audience": "customer"}, 401),
        ({"age": timedelta(seconds=70)}, 401),
        ({"age": timedelta(seconds=-70)}, 401),
        ({"tenant": "nobody"}, 404),
    ],
)
async def test_a_service_token_serves_for_its_own_request_and_a_minute(
    bff: Bff,
    attempt_id: str,
    change: dict[str, Any],
    status: int,  # values of several types
) -> None:
    await bff.stream("茶壶几天内可以退？", attempt_id)
    path = f"/v1/attempts/{attempt_id}"
    said = ServiceClaims(
        tenant=change.get("tenant", bff.tenant), actor="cus_1", segments=("public",), attempt_id=attempt_id,
        method=change.get("method", "GET"), path=change.get("path", path),
    )  # fmt: skip
    token = sign(
        bff.keys,
        said.model_dump(mode="json"),
        audience=change.get("audience", AUDIENCE_KNOWLEDGE),
        now=utc_now() - change.get("age", timedelta()),
        lifetime=timedelta(seconds=60),
    )

    answer = await bff.http.get(path, headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == status
    assert status == 200 or answer.headers["content-type"] == "application/problem+json"
    assert token not in answer.text


async def test_a_citation_is_read_again_with_its_place(bff: Bff, attempt_id: str, searcher: HeldSearcher) -> None:
    await bff.stream("茶壶几天内可以退？", attempt_id)
    path = f"/v1/attempts/{attempt_id}/citations/1"

    cited = CitedPassage.model_validate_json((await bff.get(path, attempt_id)).content)
    assert cited.passage[cited.quote_start : cited.quote_end] == cited.quote
    assert (await bff.get(f"/v1/attempts/{attempt_id}/citations/9", attempt_id)).status_code == 404
    searcher.hidden = True
    assert (await bff.get(path, attempt_id)).status_code == 404


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"attemptId": "att_1"}, 401),
        ({"question": "x" * 10_001}, 400),
        ({"question": None}, 400),
        ({"asOf": "2999-01-01"}, 400),
        ({"retryOfAttemptId": "nonsense"}, 400),
    ],
)
async def test_a_request_that_makes_no_sense_is_a_problem(
    bff: Bff, attempt_id: str, change: dict[str, JsonValue], status: int
) -> None:
    body = AnswerRequest(
        attempt_id=attempt_id, conversation_id="cnv_1", question="能退吗", language="zh", as_of=utc_now().date(), asked_at=utc_now()
    ).model_dump(mode="json") | change  # fmt: skip

    response = await bff.http.post(ROUTES, json=body, headers=bff.token(attempt_id, "POST", ROUTES))

    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"


async def test_a_refusal_is_counted_with_the_cause_found_afterwards(
    bff: Bff, answering: Answering, searcher: HeldSearcher, attempt_id: str
) -> None:
    labels = {"outcome": "refused", "reason": "NO_AUTHORIZED_EVIDENCE", "cause": "FILTERED_BY_ACCESS", "channel": "web"}
    before = REGISTRY.get_sample_value("youju_knowledge_attempts_total", labels) or 0.0
    searcher.passages, searcher.kept_back = (), {"谁送货？": RefusalCause.FILTERED_BY_ACCESS}

    await bff.stream("谁送货？", attempt_id)
    await answering.attempts.close()

    assert REGISTRY.get_sample_value("youju_knowledge_attempts_total", labels) == before + 1


async def test_personal_data_goes_no_further_than_the_door(bff: Bff, attempt_id: str, searcher: HeldSearcher) -> None:
    await bff.stream("我的手机是 13800138000，\0茶壶几天内可以退？", attempt_id)

    assert searcher.searched
    assert not any("13800138000" in searched for searched in searcher.searched)


async def test_a_full_process_refuses_before_anything_is_stored(bff: Bff, searcher: HeldSearcher) -> None:
    searcher.gate = asyncio.Event()
    waiting = [asyncio.create_task(bff.post("茶壶能退吗？", printed("att", uuid7()), _JSON)) for _ in range(8)]
    for _ in waiting:
        await searcher.entered.get()
    late = printed("att", uuid7())

    response = await bff.post("茶壶能退吗？", late, _JSON)
    searcher.gate.set()
    await asyncio.gather(*waiting)

    assert response.status_code == 503
    assert (await bff.get(f"/v1/attempts/{late}", late)).status_code == 404


async def test_what_a_stopping_process_cannot_finish_is_abandoned(
    bff: Bff, answering: Answering, searcher: HeldSearcher, attempt_id: str
) -> None:
    searcher.gate = asyncio.Event()
    waiting = asyncio.create_task(bff.stream("茶壶几天内可以退？", attempt_id))
    await searcher.entered.get()

    await answering.attempts.close(patience_seconds=0.0)

    event = (await waiting)[-1]
    assert isinstance(event, ErrorEvent)
    assert event.code is FailureCode.ABANDONED
    logged = LoggedAnswer.model_validate_json((await bff.get(f"/v1/attempts/{attempt_id}", attempt_id)).content)
    assert logged.failure_code is FailureCode.ABANDONED


async def test_a_waiting_reader_hears_heartbeats() -> None:
    ending: asyncio.Future[Logged] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(_result_of(ending))
    asked = make_asked("能退吗？")

    wire = answer_stream(asked, task, heartbeat_seconds=0.01)
    heard = [await anext(wire) for _ in range(4)]
    task.cancel()

    assert [line.split(b"event: ")[1].split(b"\n")[0] for line in heard] == [
        b"session", b"metadata", b"heartbeat", b"heartbeat"
    ]  # fmt: skip
    assert b"id:" not in heard[-1]
    await wire.aclose()


async def _result_of(ending: "asyncio.Future[Logged]") -> Logged:
    return await ending


@asynccontextmanager
async def _nothing(_app: FastAPI) -> AsyncGenerator[None]:
    yield


async def _enqueue(*, tenant: str, import_id: str) -> None:
    del tenant, import_id


async def _warm(*, tenant: str) -> None:
    del tenant
