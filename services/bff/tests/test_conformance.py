"""The transcripts that client teams test with are what is served; `make transcripts` records them anew."""

import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from contracts.answers import AnswerRequest, Part, Suggestion
from contracts.reasons import RefusalReason
from contracts.stream import CompletedEvent, DeltaEvent, KnowledgeEvent
from services.bff.tests import fake_knowledge
from services.bff.tests.client import STREAM, Customer
from services.bff.tests.fake_knowledge import Behaviour, FakeKnowledge, answer_events, encoded, refusal_events

pytestmark = pytest.mark.store

FOLDER: Final = Path(__file__).parents[3] / "clients" / "conformance" / "transcripts"
RECORD: Final = os.environ.get("YOUJU_RECORD") == "1"
UNCOVERED: Final = "火星上能退货吗？"
NEEDS_FACT: Final = {
    "missing_facts": ("orderStatus",),
    "suggestions": (Suggestion(label="已发货", question="answer", facts={"orderStatus": "shipped"}),),
}
# What each transcript shows: the behaviour of knowledge behind it.
OUTCOMES: Final = {
    "answer": "answer",
    "partial-answer": "partial",
    "refusal-no-evidence": "refusal",
    "refusal-missing-fact": "missing fact",
    "refusal-conflict": "conflict",
    "refusal-human-decision": "human decision",
    "refusal-escalation-topic": "complaint",
    "refusal-human-requested": "human requested",
    "failure-taken-back": "error",
    "failure-cut": "cut",
    "failure-empty": "empty",
    "failure-unavailable": "unavailable",
    "failure-timeout": "late",
    "failure-error": "broken",
    "failure-cancelled": "silent",
}
_FIXED: Final = (
    (re.compile(r"cnv_[0-9a-f]{32}"), "cnv_" + "0" * 31 + "1"),
    (re.compile(r"att_[0-9a-f]{32}"), "att_" + "0" * 31 + "1"),
    (re.compile(r'("traceId": ?)"[0-9a-f]{32}"'), r'\1"' + "a" * 32 + '"'),
    (re.compile(r'("asOf": ?)"[0-9-]{10}"'), r'\1"2026-11-30"'),
    (re.compile(r'("createdAt": ?)"[^"]+"'), r'\1"2026-11-30T08:00:00Z"'),
    (re.compile(r'("completedAt": ?)"[^"]+"'), r'\1"2026-11-30T08:00:01Z"'),
)


def refusing(reason: RefusalReason, **more: object) -> Behaviour:
    async def refuse(_: FakeKnowledge, asked: AnswerRequest) -> AsyncIterator[bytes]:
        *before, closing = refusal_events(asked.attempt_id, asked.conversation_id, reason)
        async for frame in encoded([*before, closing.model_copy(update=more)]):
            yield frame

    return refuse


async def partial(_: FakeKnowledge, asked: AnswerRequest) -> AsyncIterator[bytes]:
    events = answer_events(asked.attempt_id, asked.conversation_id)
    closing = events[-1]
    assert isinstance(closing, CompletedEvent)
    text = f"没有依据回答：{UNCOVERED}"
    part = Part(kind="not_covered", text=text, citations=(), question_part=UNCOVERED)
    whole = {"answer": closing.answer + text, "parts": (*closing.parts, part), "coverage": "partial"}
    said: list[KnowledgeEvent] = [
        *events[:4],
        DeltaEvent(kind="not_covered", text=text, citations=(), new_citations=()),
        *events[4:-1],
        closing.model_copy(update=whole),
    ]
    async for frame in encoded(said):
        yield frame


@pytest.fixture(autouse=True)
def outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    more: dict[str, Behaviour] = {
        "partial": partial,
        "missing fact": refusing(RefusalReason.MISSING_BUSINESS_FACT, **NEEDS_FACT),
        "conflict": refusing(RefusalReason.CONFLICTING_POLICY),
        "human decision": refusing(RefusalReason.HUMAN_DECISION_REQUIRED, handoff="required"),
        "human requested": refusing(RefusalReason.HUMAN_REQUESTED, handoff="required"),
    }
    for name, behaviour in more.items():
        monkeypatch.setitem(fake_knowledge.BEHAVIOURS, name, behaviour)


def fixed(text: str) -> str:
    for pattern, value in _FIXED:
        text = pattern.sub(value, text)
    return text


async def streamed(customer: Customer, conversation: str, question: str) -> str:
    """Ask, and give the frames as they are served, without heartbeats, whose number is chance."""
    path = f"/v1/conversations/{conversation}/attempts"
    said = ""
    async with customer.http.stream(
        "POST", path, json={"question": question, "language": "zh"}, headers=STREAM
    ) as answer:
        async for piece in answer.aiter_text():
            said += piece
            if question == "silent" and "event: metadata" in piece:
                attempt = json.loads(said.split("data: ")[1].split("\n")[0])["attemptId"]
                await customer.http.post(f"{path}/{attempt}/cancel")
    return "".join(f"{frame}\n\n" for frame in said.split("\n\n") if frame.strip() and "event: heartbeat" not in frame)


async def read(customer: Customer, conversation: str) -> dict[str, Any]:  # JSON
    (attempt,) = (await customer.http.get(f"/v1/conversations/{conversation}")).json()["attempts"]
    passages = [(await customer.http.get(each["detailUrl"])).json() for each in attempt["citations"]]
    return {"attempt": attempt, "passages": passages}


@pytest.mark.parametrize("name", OUTCOMES)
async def test_a_transcript_is_what_is_served(customer: Customer, name: str) -> None:
    conversation = await customer.open_conversation()

    frames = fixed(await streamed(customer, conversation, OUTCOMES[name]))
    state = fixed(json.dumps(await read(customer, conversation), ensure_ascii=False, indent=1) + "\n")

    if RECORD:
        (FOLDER / f"{name}.sse").write_text(frames, encoding="utf-8")
        (FOLDER / f"{name}.json").write_text(state, encoding="utf-8")
    assert (FOLDER / f"{name}.sse").read_text(encoding="utf-8") == frames, "run `make transcripts`"
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == state, "run `make transcripts`"


def test_there_is_no_other_transcript() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(OUTCOMES)
