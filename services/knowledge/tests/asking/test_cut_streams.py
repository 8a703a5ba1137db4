"""Cut anywhere, on the side of the model or of the reader, a stream shows only what passed, and ends as JSON does."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.stream import grammar_fault
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.adapters.openai_pieces import EndpointTroubleError, Piece, Tokens, Trouble
from knowledge.adapters.openai_writer import OpenAiWriter, Patience, Route
from knowledge.adapters.running import Attempts
from knowledge.answering.log import Logged
from knowledge.answering.prompting import Prompt
from knowledge.api.answer_events import answer_stream
from knowledge.asking import Means
from tests.support.answering import (
    NOON,
    FakeLog,
    FakeSearcher,
    compute_here,
    counting_handles,
    make_asked,
    make_passage,
    make_policy,
    no_stage,
)
from tests.support.scripted_replies import REPLIES, read_order

pytestmark = pytest.mark.unit

PASSAGE: Final = make_passage(
    "茶壶可以在9天内退回。退货的运费由买家承担。刻字的茶壶不可以退回。退回的茶壶要擦干净。退货要填写申请表。",
    document="returns",
)
QUESTIONS: Final = ("茶壶几天内可以退回？", "茶壶几天内可以退回？运费由谁承担？")
# One that obeys the question says only what the question says: it needs a question that gives orders.
BEHAVIOURS: Final = sorted(REPLIES.keys() - {"injection-following"})
Mode = Literal["whole", "verified_sentences"]
Ending = Trouble | Literal["stop", "length", "tool call", "no end"]
ENDINGS: Final[tuple[Ending, ...]] = (
    "stop", "length", "tool call", "no end", "silent", "slow", "unreachable", "busy", "failing", "refused", "garbled",
)  # fmt: skip
Event = tuple[str, dict[str, Any]]  # JSON


@dataclass(frozen=True)
class CutEndpoint:
    """Fulfils `Endpoint`: sends what a behaviour says, so many characters of it in pieces, and then ends somehow."""

    model: str
    cut: int
    piece: int
    ending: Ending

    async def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece]:
        """Send the beginning of the reply."""
        order = read_order([{"content": prompt.instructions}, {"content": prompt.document}])
        reply = REPLIES[self.model](order, order)[: self.cut]
        for at in range(0, len(reply), self.piece):
            yield _piece(reply[at : at + self.piece])
            await asyncio.sleep(0)
        if self.ending in ("stop", "length"):
            yield _piece("", finish_reason=self.ending)
        elif self.ending == "tool call":
            yield _piece("", is_tool_call=True)
        elif self.ending != "no end":
            raise EndpointTroubleError(self.ending)

    async def close(self) -> None:
        """Hold nothing."""


def _piece(text: str, *, finish_reason: str | None = None, is_tool_call: bool = False) -> Piece:
    tokens = Tokens(9, 9) if finish_reason else None
    return Piece(text=text, is_thinking=False, is_tool_call=is_tool_call, finish_reason=finish_reason, tokens=tokens)


async def ask(endpoint: CutEndpoint, question: str, *, mode: Mode, fallback: bool) -> tuple[Logged, bytes]:
    """Ask, and give what a reader of JSON gets and what one of the stream does."""
    route = Route(rank="primary", endpoint=endpoint, breaker=Breaker(seconds=lambda: 0.0), price=None)
    patience = Patience(first_byte_seconds=60.0, whole_seconds=60.0, output_tokens=500)
    policy = make_policy(writer_fallback=fallback).model_copy(update={"mode": mode})
    means = Means(
        searcher=FakeSearcher((PASSAGE,), policy=policy), writer=OpenAiWriter((route,), patience=patience),
        fallback=ExtractiveWriter(compute_here), log=FakeLog(), compute=compute_here, stage=no_stage,
        seconds=lambda: 0.0, deadline_seconds=0.0, now=lambda: NOON, new_handle=counting_handles(),
    )  # fmt: skip
    attempts, asked = Attempts(means, most_running=4), make_asked(question)
    ending = await attempts.take_up(asked, seconds=1_000_000_000.0)
    live = attempts.live(asked.attempt_id)
    streamed = b"".join([piece async for piece in answer_stream(asked, ending, live=live)])
    logged = await ending
    await attempts.close()
    return logged, streamed


def events_of(streamed: bytes) -> list[Event]:
    """Read whole events only, as a client does whose connection breaks."""
    blocks = streamed.split(b"\n\n")[:-1]
    fields = (dict(line.split(": ", 1) for line in block.decode().splitlines() if ": " in line) for block in blocks)
    return [(block["event"], json.loads(block["data"])) for block in fields if "event" in block]


def seen(events: list[Event]) -> list[Any]:  # JSON
    return [(data["kind"], data["text"], data["citations"]) for name, data in events if name == "delta"]


@given(
    behaviour=st.sampled_from(BEHAVIOURS),
    question=st.sampled_from(QUESTIONS),
    cut=st.integers(min_value=0, max_value=900),
    piece=st.integers(min_value=1, max_value=90),
    ending=st.sampled_from(ENDINGS),
    mode=st.sampled_from(("whole", "verified_sentences")),
    fallback=st.booleans(),
    read=st.floats(min_value=0, max_value=1),
)
def test_a_stream_cut_anywhere_shows_what_passed_and_ends_as_json_does(
    *, behaviour: str, question: str, cut: int, piece: int, ending: Ending, mode: Mode, fallback: bool, read: float
) -> None:
    endpoint = CutEndpoint(behaviour, cut, piece, ending)

    logged, streamed = asyncio.run(ask(endpoint, question, mode=mode, fallback=fallback))

    events = events_of(streamed)
    told = seen(events)
    statements = [text.strip() for kind, text, _ in told if kind == "statement"]
    assert all(statement in PASSAGE.text for statement in statements)
    so_far = seen(events_of(streamed[: int(read * len(streamed))]))
    assert so_far == told[: len(so_far)]
    assert grammar_fault([name for name, _ in events if name != "usage"], closed=True) is None
    name, last = events[-1]
    if logged.outcome is None:
        assert (name, last["code"]) == ("error", logged.failure)
        return
    assert (name, last) == ("completed", json.loads(logged.outcome.model_dump_json()))
    assert told == [(part.kind, part.text, list(part.citations)) for part in logged.outcome.parts]
    assert "".join(text for _, text, _ in told) == logged.outcome.answer


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("mode", ["whole", "verified_sentences"])
def test_every_behaviour_is_cut_after_each_of_its_lines(behaviour: str, mode: Mode) -> None:
    for cut in (0, 40, 80, 120, 160, 200, 300, 900):
        for ending in ("unreachable", "stop"):
            endpoint = CutEndpoint(behaviour, cut, 7, ending)
            logged, streamed = asyncio.run(ask(endpoint, QUESTIONS[0], mode=mode, fallback=True))

            events = events_of(streamed)
            assert all(text.strip() in PASSAGE.text for kind, text, _ in seen(events) if kind == "statement")
            assert (events[-1][0] == "completed") == (logged.outcome is not None)
