"""A knowledge of named behaviours: the question says which one it shows."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from contracts.answers import AnswerRequest, CitationView, CitedPassage, LoggedAnswer, Outcome, Part
from contracts.customer import Problem
from contracts.reasons import FailureCode, RefusalReason
from contracts.service_token import DEADLINE_HEADER
from contracts.stream import (
    CitationEvent,
    CompletedEvent,
    DeltaEvent,
    ErrorEvent,
    HeartbeatEvent,
    KnowledgeEvent,
    MetadataEvent,
    SessionEvent,
    UsageEvent,
)
from runtime.sse import encode_event

VERSION = 7
QUOTES = ("七天内可以无理由退货。", "退货运费由买家承担。")

Behaviour = Callable[["FakeKnowledge", AnswerRequest], AsyncIterator[bytes]]


def citation(index: int) -> CitationView:
    return CitationView(
        index=index,
        title="退货政策",
        section="退货 › 期限",
        revision="2026-07",
        effective_from=date(2026, 7, 1),
        effective_to=None,
        updated_at=datetime(2026, 7, 1, tzinfo=UTC),
        quote=QUOTES[index - 1],
        detail_url="/v1/internal/passages/17",
        source_url=None,
    )


def answer_events(attempt_id: str, conversation_id: str) -> list[KnowledgeEvent]:
    parts = tuple(
        Part(kind="statement", text=quote, citations=(index,), question_part=f"问{index}")
        for index, quote in enumerate(QUOTES, start=1)
    )
    outcome = Outcome(
        answer="".join(QUOTES),
        parts=parts,
        coverage="full",
        refused=False,
        refusal_reason=None,
        reason_code=None,
        missing_facts=(),
        handoff="none",
        suggestions=(),
    )
    return [
        *opening(attempt_id, conversation_id),
        *(
            DeltaEvent(
                kind=part.kind, text=part.text, citations=part.citations, new_citations=(citation(part.citations[0]),)
            )
            for part in parts
        ),
        *(CitationEvent.model_validate(citation(index).model_dump()) for index in (1, 2)),
        UsageEvent(
            writer="extractive",
            model="secret-model",
            input_tokens=1,
            output_tokens=2,
            finish_reason="stop",
            knowledge_version=VERSION,
            documents=("returns",),
            areas=("aftersales",),
        ),
        CompletedEvent.model_validate(outcome.model_dump()),
    ]


def refusal_events(attempt_id: str, conversation_id: str, reason: RefusalReason) -> list[KnowledgeEvent]:
    text = "现有政策里没有找到依据。"
    part = Part(kind="template", text=text, citations=(), question_part=None)
    outcome = Outcome(
        answer=text,
        parts=(part,),
        coverage="none",
        refused=True,
        refusal_reason=text,
        reason_code=reason,
        missing_facts=(),
        handoff="required" if reason is RefusalReason.ESCALATION_TOPIC else "offered",
        suggestions=(),
    )
    return [
        *opening(attempt_id, conversation_id),
        DeltaEvent(kind="template", text=text, citations=(), new_citations=()),
        CompletedEvent.model_validate(outcome.model_dump()),
    ]


def opening(attempt_id: str, conversation_id: str) -> list[KnowledgeEvent]:
    return [
        SessionEvent(conversation_id=conversation_id, attempt_id=attempt_id, retry_of_attempt_id=None),
        MetadataEvent(trace_id="f" * 32, knowledge_version=VERSION, as_of=date(2026, 11, 29), language="zh"),
    ]


async def encoded(events: list[KnowledgeEvent]) -> AsyncIterator[bytes]:
    for number, event in enumerate(events, start=1):
        yield encode_event(event, number=number)


async def _answer(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(answer_events(asked.attempt_id, asked.conversation_id)):
        yield frame


async def _refusal(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    reason = RefusalReason.NO_AUTHORIZED_EVIDENCE
    async for frame in encoded(refusal_events(asked.attempt_id, asked.conversation_id, reason)):
        yield frame


async def _complaint(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    reason = RefusalReason.ESCALATION_TOPIC
    async for frame in encoded(refusal_events(asked.attempt_id, asked.conversation_id, reason)):
        yield frame


async def _held(fake: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    events = answer_events(asked.attempt_id, asked.conversation_id)
    async for frame in encoded(events[:3]):
        yield frame
    fake.reached(asked.attempt_id).set()
    await fake.gate(asked.attempt_id).wait()
    async for frame in encoded(events[3:]):
        yield frame


async def _waiting(fake: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    events = answer_events(asked.attempt_id, asked.conversation_id)
    async for frame in encoded(events[:2]):
        yield frame
    fake.reached(asked.attempt_id).set()
    await fake.gate(asked.attempt_id).wait()
    async for frame in encoded(events[2:]):
        yield frame


async def _silent(fake: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(opening(asked.attempt_id, asked.conversation_id)):
        yield frame
    await fake.gate(asked.attempt_id).wait()
    yield encode_event(HeartbeatEvent(), number=None)


async def _error(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    error = ErrorEvent(
        code=FailureCode.VALIDATION_FAILED, message="SELECT * FROM passage", retryable=True, trace_id="f" * 32
    )
    async for frame in encoded([*answer_events(asked.attempt_id, asked.conversation_id)[:3], error]):
        yield frame


async def _cut(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(answer_events(asked.attempt_id, asked.conversation_id)[:4]):
        yield frame


async def _cut_after_citations(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(answer_events(asked.attempt_id, asked.conversation_id)[:6]):
        yield frame


async def _torn(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(answer_events(asked.attempt_id, asked.conversation_id)[:3]):
        yield frame
    raise ConnectionResetError("torn on purpose")


async def _empty(_: "FakeKnowledge", __: AnswerRequest) -> AsyncIterator[bytes]:
    for nothing in ():
        yield nothing


async def _unknown_event(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(opening(asked.attempt_id, asked.conversation_id)):
        yield frame
    yield b'event: prompt\ndata: {"text": "be nice"}\n\n'


async def _wrong_order(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(answer_events(asked.attempt_id, asked.conversation_id)[1:]):
        yield frame


async def _extra_field(_: "FakeKnowledge", asked: AnswerRequest) -> AsyncIterator[bytes]:
    async for frame in encoded(opening(asked.attempt_id, asked.conversation_id)):
        yield frame
    yield b'event: delta\ndata: {"kind":"statement","text":"x","citations":[],"newCitations":[],"model":"m"}\n\n'


BEHAVIOURS: dict[str, Behaviour] = {
    "answer": _answer,
    "refusal": _refusal,
    "complaint": _complaint,
    "held": _held,
    "waiting": _waiting,
    "silent": _silent,
    "error": _error,
    "cut": _cut,
    "cut after citations": _cut_after_citations,
    "torn": _torn,
    "empty": _empty,
    "unknown event": _unknown_event,
    "wrong order": _wrong_order,
    "extra field": _extra_field,
}


class FakeKnowledge:
    """What was asked, and the gates that hold answers back. A question that names no behaviour is answered."""

    def __init__(self) -> None:
        self.asked: dict[str, AnswerRequest] = {}
        self.headers: dict[str, dict[str, str]] = {}
        self.calls: Counter[str] = Counter()
        self.logged: dict[str, LoggedAnswer] = {}
        self.unreadable: set[str] = set()
        self.silent: set[str] = set()
        self.passage_status: int | None = None
        self.passage_now: dict[str, object] = {}
        self._gates: dict[str, asyncio.Event] = {}
        self._reached: dict[str, asyncio.Event] = {}

    def gate(self, attempt_id: str) -> asyncio.Event:
        return self._gates.setdefault(attempt_id, asyncio.Event())

    def reached(self, attempt_id: str) -> asyncio.Event:
        return self._reached.setdefault(attempt_id, asyncio.Event())

    def release_all(self) -> None:
        for gate in self._gates.values():
            gate.set()

    def app(self) -> FastAPI:
        app = FastAPI()
        app.add_api_route("/v1/answers", self._answers, methods=["POST"], response_model=None)
        app.add_api_route("/v1/attempts/{attempt_id}", self._attempt, methods=["GET"], response_model=None)
        app.add_api_route(
            "/v1/attempts/{attempt_id}/citations/{index}", self._citation, methods=["GET"], response_model=None
        )
        return app

    async def _answers(self, request: Request) -> Response:
        asked = AnswerRequest.model_validate_json(await request.body())
        self.asked[asked.attempt_id] = asked
        self.headers[asked.attempt_id] = dict(request.headers)
        self.calls[asked.attempt_id] += 1
        assert int(request.headers[DEADLINE_HEADER]) > 0
        status = {"unavailable": 503, "late": 504, "broken": 500, "denied": 403}.get(asked.question)
        if status is not None:
            return _problem(status)
        behaviour = BEHAVIOURS.get(asked.question, _answer)
        return StreamingResponse(behaviour(self, asked), media_type="text/event-stream")

    async def _attempt(self, attempt_id: str) -> Response:
        if attempt_id in self.silent:
            await self.gate(f"log of {attempt_id}").wait()
        if attempt_id in self.unreadable:
            return _problem(500)
        if attempt_id not in self.logged:
            return _problem(404)
        return JSONResponse(self.logged[attempt_id].model_dump(mode="json"))

    async def _citation(self, attempt_id: str, index: int, request: Request) -> Response:
        self.headers[f"{attempt_id}/{index}"] = dict(request.headers)
        if self.passage_status is not None:
            return _problem(self.passage_status)
        quote = QUOTES[index - 1]
        passage = CitedPassage(
            index=index,
            title="退货政策",
            section="退货 › 期限",
            heading_path=("退货", "期限"),
            revision="2026-07",
            effective_from=date(2026, 7, 1),
            effective_to=None,
            updated_at=datetime(2026, 7, 1, tzinfo=UTC),
            passage=f"说明：{quote}",
            quote=quote,
            quote_start=3,
            quote_end=3 + len(quote),
            source_url=None,
            replaced_by=None,
            withdrawn_at=None,
        )
        return JSONResponse(passage.model_copy(update=self.passage_now).model_dump(mode="json"))


def _problem(status: int) -> Response:
    problem = Problem(
        type="about:blank",
        title="made up",
        status=status,
        detail="made up",
        instance=None,
        code="MADE_UP",
        attempt_id=None,
        trace_id=None,
    )
    return JSONResponse(problem.model_dump(mode="json"), status)
