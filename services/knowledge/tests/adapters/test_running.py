"""A process takes up no more than it can, and tells every reader of an attempt the end that is in the log."""

import asyncio
import random
from dataclasses import dataclass, field

import pytest

from contracts.errors import UnavailableError
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.adapters.running import Attempts
from knowledge.answering.log import Asked, Closing, Logged
from knowledge.asking import Means
from tests.support.answering import (
    NOON,
    FakeLog,
    FakeSearcher,
    compute_here,
    counting_handles,
    make_asked,
    make_passage,
    no_stage,
)

pytestmark = pytest.mark.unit

RETURNS = make_passage("茶壶可以在九天内退回。", document="returns", heading="退货")


@dataclass
class SlowLog(FakeLog):
    """Opens attempts only after it is let go."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self, asked: Asked) -> bool:
        await self.gate.wait()
        return await super().open(asked)


@dataclass
class DeafLog(FakeLog):
    """Keeps a closing and loses the confirmation."""

    async def close(self, asked: Asked, closing: Closing) -> None:
        known = asked.attempt_id in self.closed
        await super().close(asked, closing)
        if not known:
            raise UnavailableError


def attempts(log: FakeLog, *, most_running: int = 2) -> Attempts:
    writer = ExtractiveWriter(compute_here)
    means = Means(
        searcher=FakeSearcher((RETURNS,)), writer=writer, fallback=writer, log=log, compute=compute_here,
        stage=no_stage, seconds=lambda: 0.0, deadline_seconds=0.0, now=lambda: NOON, new_handle=counting_handles(),
    )  # fmt: skip
    return Attempts(means, most_running=most_running)


async def test_a_burst_opens_no_more_attempts_than_may_run() -> None:
    log = SlowLog()
    running = attempts(log)
    burst = [
        asyncio.create_task(running.take_up(make_asked("茶壶能退吗？", attempt=number), seconds=30))
        for number in range(1, 6)
    ]
    await asyncio.sleep(0)

    log.gate.set()
    taken = await asyncio.gather(*burst, return_exceptions=True)
    await running.close()

    assert sum(isinstance(each, UnavailableError) for each in taken) == 3
    assert len(log.opened) == 2


@dataclass
class StepwiseLog(FakeLog):
    """Opens attempts in as many steps as a database takes, of which the last but one commits."""

    steps: int = 3

    async def open(self, asked: Asked) -> bool:
        for step in range(self.steps):
            await asyncio.sleep(0)
            if step == self.steps - 2:
                self.opened[asked.attempt_id] = asked
        return True


@pytest.mark.parametrize("seed", range(20))
async def test_an_asker_who_goes_away_leaves_no_attempt_open(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - chance, not a secret
    log = StepwiseLog(steps=chance.randrange(2, 6))
    running = attempts(log)
    asking = asyncio.create_task(running.take_up(make_asked("茶壶能退吗？"), seconds=30))
    for _ in range(chance.randrange(1, 9)):
        await asyncio.sleep(0)

    asking.cancel()
    await asyncio.wait([asking])
    await running.close()

    assert log.opened.keys() == log.closed.keys()


async def test_a_closing_whose_confirmation_is_lost_is_what_everybody_is_told() -> None:
    log = DeafLog()
    running = attempts(log)
    asked = make_asked("茶壶几天内可以退？")

    told: Logged = await (await running.take_up(asked, seconds=30))
    await running.close()

    assert told.outcome is not None
    assert told == await log.find(asked.tenant, asked.attempt_id)


@dataclass
class PressedLog(FakeLog):
    """Has no connection for the first closings: nothing of them is kept."""

    refused: int = 2

    async def close(self, asked: Asked, closing: Closing) -> None:
        if self.refused:
            self.refused -= 1
            raise UnavailableError
        await super().close(asked, closing)


async def test_an_answer_that_finds_no_connection_at_once_is_stored_and_told() -> None:
    log = PressedLog()
    running = attempts(log)
    asked = make_asked("茶壶几天内可以退？")

    told = await (await running.take_up(asked, seconds=30))
    await running.close()

    assert told.outcome is not None
    assert told == await log.find(asked.tenant, asked.attempt_id)


async def test_an_answer_that_cannot_be_stored_is_no_bug_but_unavailable() -> None:
    log = PressedLog(refused=3)
    running = attempts(log)

    with pytest.raises(UnavailableError):
        await (await running.take_up(make_asked("茶壶几天内可以退？"), seconds=30))
    await running.close()

    assert log.refused == 0
    assert not log.closed
