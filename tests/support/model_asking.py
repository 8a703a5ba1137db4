"""Asks with a model of the scripted server as the writer, and hears what a reader of the stream hears."""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from knowledge.adapters.answering import new_handle
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.adapters.openai_writer import OpenAiWriter, Patience, Route
from knowledge.adapters.running import Attempts
from knowledge.answering.draft import Writer
from knowledge.answering.log import Asked, Closing, Logged
from knowledge.api.answer_events import answer_stream
from knowledge.asking import Means
from knowledge.retrieval.passage import Passage
from knowledge.settings import ModelPrice
from knowledge.versions.conflicts import KnownConflict
from tests.support.answering import (
    NOON,
    FakeLog,
    FakeSearcher,
    compute_here,
    make_passage,
    make_policy,
    no_stage,
)
from tests.support.scripted_model import ScriptedModel

PASSAGE = make_passage(
    "茶壶可以在9天内退回。退货的运费由买家承担。刻字的茶壶不可以退回。退回的茶壶要擦干净。退货要填写申请表。",
    document="doc-returns",
    heading="第三章",
)
QUESTION = "茶壶几天内可以退回？"
Event = tuple[str, dict[str, object]]
PRICE = ModelPrice(input=Decimal(1), output=Decimal(4))
SLOW = ("pauses", "hangs after its end", "silent", "slow first byte", "slow drip", "slow drip of its head")


@dataclass
class Asking:
    """Asks as the edge does, with a model of the scripted server as the writer."""

    url: str
    model: ScriptedModel
    clock: float = 0.0
    passage: Passage = PASSAGE
    mode: str = "whole"
    withdrawn: set[UUID] = field(default_factory=set[UUID])
    conflicts: tuple[KnownConflict, ...] = ()
    log: FakeLog = field(default_factory=FakeLog)
    opened: list[OpenAiWriter] = field(default_factory=list[OpenAiWriter])

    def route(self, behaviour: str) -> Route:
        place = ModelPlace(
            base_url=self.url, model=behaviour, api_key="made-up", output_tokens=500,
            output_tokens_field="max_tokens", temperature=0.0, seconds=60.0,
        )  # fmt: skip
        breaker = Breaker(seconds=lambda: self.clock)
        return Route(rank="primary", endpoint=OpenAiEndpoint(place), breaker=breaker, price=PRICE)

    def writer(self, *behaviours: str, patience_seconds: float = 60.0) -> OpenAiWriter:
        patience = Patience(first_byte_seconds=patience_seconds, whole_seconds=patience_seconds, output_tokens=500)
        self.opened.append(OpenAiWriter(tuple(map(self.route, behaviours)), patience=patience))
        return self.opened[-1]

    def attempts(self, writer: Writer, *, fallback: bool = True) -> Attempts:
        policy = make_policy(writer_fallback=fallback).model_copy(update={"mode": self.mode})
        means = Means(
            searcher=FakeSearcher(
                (self.passage,), policy=policy, withdrawn=self.withdrawn, conflicts=self.conflicts
            ), writer=writer,
            fallback=ExtractiveWriter(compute_here), log=self.log, compute=compute_here, stage=no_stage,
            seconds=lambda: 0.0, deadline_seconds=0.0, now=lambda: NOON, new_handle=new_handle,
        )  # fmt: skip
        return Attempts(means, most_running=4)

    async def ask(self, writer: Writer, asked: Asked, *, fallback: bool = True) -> tuple[Logged, Closing, list[Event]]:
        attempts = self.attempts(writer, fallback=fallback)
        ending = await attempts.take_up(asked, seconds=1_000_000_000.0)
        live = attempts.live(asked.attempt_id)
        streamed = b"".join([piece async for piece in answer_stream(asked, ending, live=live)])
        logged = await ending
        await attempts.close()
        return logged, self.log.closed[asked.attempt_id], events_in(streamed)


def events_in(streamed: bytes) -> list[Event]:
    """Read the events of a stream, or of a piece of one."""
    blocks = (dict(_fields(block)) for block in streamed.decode().strip().split("\n\n"))
    return [(block["event"], json.loads(block["data"])) for block in blocks]


def _fields(block: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (line.partition(": ") for line in block.splitlines())]
