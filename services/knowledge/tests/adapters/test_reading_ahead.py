"""A question is opened while its arms compute here, and never while it waits for a call or for its turn."""

import asyncio
import os
from collections.abc import Sequence
from threading import Event

import numpy as np

from knowledge.adapters.embedder import EmbeddingPool
from knowledge.ingestion.embedding import Vector

# Nothing is held up by it: what is looked for has not come when it is over.
_A_MOMENT = 0.05


class HeldEmbedder:
    """Embeds when it is let go."""

    identity = "held/2/-"

    def __init__(self) -> None:
        self.let_go = Event()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.let_go.wait()
        return [np.ones(2, dtype=np.float32) for _ in texts]


class EndpointOfArm(HeldEmbedder):
    """A second arm over the network, which answers when it is let go."""

    identity = "remote/2/-"
    dimension = 2
    is_remote = True

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        return self.embed(texts)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        return self.embed(texts)


async def test_the_terms_of_a_question_do_not_wait_for_the_first_arm() -> None:
    held = HeldEmbedder()
    pool = EmbeddingPool(held, queue=8)
    try:
        reading = await pool.read_ahead("退货")
        is_computing = not reading.first.done()
        held.let_go.set()
        known = await reading.known()
    finally:
        held.let_go.set()
        pool.close()

    assert is_computing
    assert "退货" in known.terms
    assert known.first.data


async def test_with_more_questions_than_cores_each_is_read_before_it_is_opened() -> None:
    held = HeldEmbedder()
    pool = EmbeddingPool(held, queue=64)
    try:
        before = [asyncio.create_task(pool.read("退货")) for _ in range(os.cpu_count() or 1)]
        late = asyncio.create_task(pool.read_ahead("运费"))
        opened, _ = await asyncio.wait({late}, timeout=_A_MOMENT)
        held.let_go.set()
        reading = await late
        await asyncio.gather(*before)
    finally:
        held.let_go.set()
        pool.close()

    assert not opened
    assert reading.first.done()


async def test_an_arm_over_the_network_is_awaited_before_a_question_is_opened() -> None:
    held, remote = HeldEmbedder(), EndpointOfArm()
    held.let_go.set()
    pool = EmbeddingPool(held, queue=8, second=remote)
    try:
        asking = asyncio.create_task(pool.read_ahead("退货", with_second=True))
        opened, _ = await asyncio.wait({asking}, timeout=_A_MOMENT)
        remote.let_go.set()
        known = await (await asking).known()
    finally:
        remote.let_go.set()
        pool.close()

    assert not opened
    assert known.second is not None


async def test_an_arm_that_takes_too_long_is_left_out_when_the_question_is_asked_again_for_it() -> None:
    held, remote = HeldEmbedder(), EndpointOfArm()
    held.let_go.set()
    pool = EmbeddingPool(held, queue=8, second=remote, second_seconds=_A_MOMENT)
    try:
        reading = await pool.read_ahead("退货", with_second=True)
        read = await pool.finish(reading)
    finally:
        remote.let_go.set()
        pool.close()

    assert (reading.second, read.second) == (None, None)
    assert read.first.data
