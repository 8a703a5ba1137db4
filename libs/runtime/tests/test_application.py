from collections.abc import AsyncGenerator, AsyncIterator, MutableMapping
from contextlib import asynccontextmanager, nullcontext

import httpx
import pytest
from fastapi import FastAPI
from pydantic import BaseModel, field_validator

from contracts.customer import Problem
from contracts.errors import ConflictError, LimitedError, UnauthenticatedError, UnavailableError, YoujuError
from runtime.application import build_application
from runtime.settings import SettingsError


class Body(BaseModel):
    size: int

    @field_validator("size")
    @classmethod
    def _is_odd(cls, size: int) -> int:
        if size % 2 == 0:
            raise ValueError("must be odd")
        return size


class UnheardOfError(YoujuError):
    """A code no table knows."""

    code = "UNHEARD_OF"


class RetryLimitError(YoujuError):
    """Enough tries."""

    code = "RETRY_LIMIT"


ERRORS: dict[str, Exception] = {
    "conflict": ConflictError(),
    "limited": LimitedError(retry_after_seconds=7),
    "unavailable": UnavailableError(),
    "unauthenticated": UnauthenticatedError(),
    "own": RetryLimitError(),
    "unheard": UnheardOfError(),
    "bug": RuntimeError("secret internals"),
}


@asynccontextmanager
async def _nothing_to_start(_app: FastAPI) -> AsyncGenerator[None]:
    yield


async def _fine() -> None:
    return


async def _down() -> None:
    raise UnavailableError


def _build(*, ready: bool = True) -> FastAPI:
    app = build_application(
        title="Demo",
        version="1",
        lifespan=_nothing_to_start,
        ready={"database": _fine if ready else _down},
        statuses={"RETRY_LIMIT": 409},
        body_limit_bytes=100,
    )

    @app.post("/bodies")
    async def take(body: Body) -> Body:
        return body

    @app.get("/errors/{name}/{attempt_id}")
    async def fail(name: str, attempt_id: str) -> None:
        del attempt_id
        raise ERRORS[name]

    return app


def _client(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://demo")


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with _client(_build()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("conflict", 409, "CONFLICT"),
        ("limited", 429, "RATE_LIMITED"),
        ("unavailable", 503, "UNAVAILABLE"),
        ("unauthenticated", 401, "UNAUTHENTICATED"),
        ("own", 409, "RETRY_LIMIT"),
        ("unheard", 500, "UNHEARD_OF"),
        ("bug", 500, "INTERNAL"),
    ],
)
async def test_every_error_is_a_problem_document(client: httpx.AsyncClient, name: str, status: int, code: str) -> None:
    answer = await client.get(f"/errors/{name}/att_1")

    problem = Problem.model_validate(answer.json())
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, problem.status, problem.code, problem.attempt_id) == (status, status, code, "att_1")
    assert "secret" not in answer.text


async def test_waiting_times_and_challenges_are_headers(client: httpx.AsyncClient) -> None:
    limited = await client.get("/errors/limited/att_1")
    unauthenticated = await client.get("/errors/unauthenticated/att_1")

    assert limited.headers["retry-after"] == "7"
    assert unauthenticated.headers["www-authenticate"] == "Bearer"


async def test_a_check_of_our_own_speaks_for_itself(client: httpx.AsyncClient) -> None:
    answer = await client.post("/bodies", json={"size": 2})

    assert answer.json()["detail"] == "body.size: must be odd."


@pytest.mark.parametrize("body", [b"{}", b'{"size": "many"}', b"{", b"[]"])
async def test_a_malformed_body_is_400_and_names_the_field(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post("/bodies", content=body, headers={"content-type": "application/json"})

    problem = Problem.model_validate(answer.json())
    assert (answer.status_code, problem.code) == (400, "INVALID_REQUEST")
    assert problem.errors


async def test_bytes_that_are_no_text_are_400(client: httpx.AsyncClient) -> None:
    answer = await client.post("/bodies", content=b"\xff", headers={"content-type": "application/json"})

    assert (answer.status_code, Problem.model_validate(answer.json()).code) == (400, "INVALID_REQUEST")


async def test_a_body_above_the_limit_is_413(client: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b" " * 10

    declared = await client.post("/bodies", content=b" " * 101)
    chunked = await client.post("/bodies", content=chunks())

    assert [declared.status_code, chunked.status_code] == [413, 413]
    assert Problem.model_validate(declared.json()).code == Problem.model_validate(chunked.json()).code == "TOO_LARGE"


async def test_unknown_routes_and_methods_are_problems_too(client: httpx.AsyncClient) -> None:
    missing, wrong = await client.get("/nowhere"), await client.put("/bodies")

    assert [Problem.model_validate(a.json()).code for a in (missing, wrong)] == ["NOT_FOUND", "METHOD_NOT_ALLOWED"]


async def test_readiness_names_what_is_missing() -> None:
    async with _client(_build(ready=False)) as client:
        ready, live = await client.get("/health/ready"), await client.get("/health/live")

    assert (ready.status_code, ready.json()) == (503, {"database": "unavailable"})
    assert live.status_code == 200


async def test_metrics_count_requests_by_route(client: httpx.AsyncClient) -> None:
    await client.get("/errors/conflict/att_1")

    text = (await client.get("/metrics")).text

    assert 'route="/errors/{name}/{attempt_id}",status="409"' in text
    assert "att_1" not in text


@pytest.mark.parametrize(
    ("fault", "told"),
    [(SettingsError(("demo was proved with another writer.",)), True), (RuntimeError("a bug"), False)],
)
async def test_a_start_that_settings_forbid_is_refused_in_one_sentence(fault: Exception, *, told: bool) -> None:
    @asynccontextmanager
    async def failing(_app: FastAPI) -> AsyncGenerator[None]:
        raise fault
        yield

    app = build_application(title="Demo", version="1", lifespan=failing, ready={})
    said: list[MutableMapping[str, object]] = []

    async def begin() -> MutableMapping[str, object]:
        return {"type": "lifespan.startup"}

    async def hear(message: MutableMapping[str, object]) -> None:
        said.append(message)

    with nullcontext() if told else pytest.raises(RuntimeError):
        await app({"type": "lifespan", "app": app, "state": {}}, begin, hear)

    (failed,) = said
    assert failed["type"] == "lifespan.startup.failed"
    assert (failed["message"] == str(fault)) is told
    assert ("Traceback" in str(failed["message"])) is not told
