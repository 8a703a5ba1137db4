"""What a customer typed is masked before it leaves the installation, whole or streamed, asked over HTTP."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import yaml
from fastapi import FastAPI

from contracts.answers import AnswerRequest, EarlierTurn
from contracts.ids import printed, uuid7
from contracts.service_token import AUDIENCE_KNOWLEDGE, ServiceClaims
from knowledge.adapters.answering import open_answering
from knowledge.adapters.writers import open_models
from knowledge.api import answers
from knowledge.api.dependencies import Resources
from knowledge.settings import KnowledgeSettings
from runtime.application import build_application
from runtime.clock import utc_now
from runtime.database import Database
from runtime.settings import load_settings
from runtime.tenants import TenantDirectory
from runtime.tokens import KeySet, add_key, private_file, public_file, read_keys, sign
from tests.support.answering import FakeSearcher, make_passage
from tests.support.databases import OpenDatabase
from tests.support.scripted_model import ScriptedModel, scripted_model

pytestmark = pytest.mark.store

ROUTE = "/v1/answers"
PASSAGE = make_passage("茶壶可以在9天内退回。退货的运费由买家承担。", document="returns", heading="退货")
TYPED = "茶壶几天内可以退回？我的手机 13812345678，邮箱 lin.lan@example.com"


@dataclass(frozen=True)
class Shop:
    """Knowledge over HTTP with the settings of an installation, and the model it asks."""

    http: httpx.AsyncClient
    keys: KeySet
    tenant: str
    model: ScriptedModel

    async def ask(self, accept: str) -> str:
        attempt_id = printed("att", uuid7())
        body = AnswerRequest(
            attempt_id=attempt_id, conversation_id="cnv_1", question=TYPED, language="zh", as_of=utc_now().date(),
            asked_at=utc_now(), facts={"orderNumber": "A-4711"}, earlier_turns=(EarlierTurn(question="发票呢？", answered=True),),
        )  # fmt: skip
        claims = ServiceClaims(
            tenant=self.tenant, actor="cus_1", segments=("public",), attempt_id=attempt_id, method="POST", path=ROUTE
        )
        said = claims.model_dump(mode="json")
        lifetime = timedelta(seconds=60)
        token = sign(self.keys, said, audience=AUDIENCE_KNOWLEDGE, now=utc_now(), lifetime=lifetime)
        headers = {"Authorization": f"Bearer {token}", "Accept": accept}
        response = await self.http.post(ROUTE, json=body.model_dump(mode="json"), headers=headers)
        assert response.status_code == 200, response.text
        return response.text


@asynccontextmanager
async def _nothing(_app: FastAPI) -> AsyncGenerator[None]:
    yield


async def _idle(**_asked: str) -> None:
    return None


@pytest.fixture
async def shop(
    service_database: OpenDatabase, tenant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Shop]:
    add_key(private_file(tmp_path, "service"), public_file(tmp_path, "service"))
    keys = read_keys(private_file(tmp_path, "service"))
    file = tmp_path / "tenants.yaml"
    file.write_text(yaml.safe_dump({"tenants": {tenant: {"name": "Shop", "writer": "openai"}}}), encoding="utf-8")
    database = Database(service_database("knowledge").app, pool_size=4)
    async with scripted_model() as (url, model):
        given = {
            "YOUJU_REDIS_URL": "redis://h", "YOUJU_KEYS_DIRECTORY": str(tmp_path), "YOUJU_TENANTS_FILE": str(file),
            "YOUJU_KNOWLEDGE_DATABASE_URL": "postgresql://h", "YOUJU_KNOWLEDGE_MODEL_BASE_URL": url,
            "YOUJU_KNOWLEDGE_MODEL_NAME": "honest",
        }  # fmt: skip
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        tenants = TenantDirectory(file)
        searcher = FakeSearcher((PASSAGE,))
        app = build_application(title="test", version="1", lifespan=_nothing, ready={})
        app.include_router(answers.router)
        app.state.answering = answering = open_answering(
            database=database, searcher=searcher, clock=utc_now, embedder="none", most_running=4, tenants=tenants,
            models=open_models(load_settings(KnowledgeSettings)),
        )  # fmt: skip
        app.state.resources = Resources(
            database=database, tenants=tenants, searcher=searcher, enqueue=_idle, warm=_idle, service_keys=keys,
            staff_keys=keys, clock=utc_now, new_id=uuid7,
        )  # fmt: skip
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://knowledge") as http:
            yield Shop(http, keys, tenant, model)
        await answering.close()
    await database.close()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_only_the_masked_question_reaches_the_model(shop: Shop, accept: str) -> None:
    answer = await shop.ask(accept)

    [received] = shop.model.received
    sent = str(received)
    assert "茶壶可以在9天内退回。" in answer
    assert "茶壶几天内可以退回？" in received.order.question
    assert [each for each in ("13812345678", "lin.lan", "4711", "发票", "cus_1", shop.tenant) if each in sent] == []
    assert [mask for mask in ("[phone]", "[email]") if mask not in received.order.question] == []
