"""A writer may answer in another language than the policy's where the embedders agree that it says the same."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

import pytest

from contracts.errors import UnavailableError
from contracts.reasons import FailureCode
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.computing import all_or_none
from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart, Hear, Usage, Written
from knowledge.answering.log import Closing
from knowledge.asking import Means, answer
from knowledge.validation.agreeing import Compare, Pair
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

pytestmark = pytest.mark.unit

QUESTION = "茶壶 teapot 可以退回吗？"
QUOTE = "A teapot can be sent back."
TEAPOT = make_passage(f"{QUOTE} Cups are washed first.", document="teapots", language="en")
CLAIM = "茶壶可以退回。"


@dataclass(frozen=True, slots=True)
class Translator:
    """Says in Chinese what the English passage says, sentence by sentence."""

    name: str = "translator"

    async def write(self, brief: Brief) -> Written:
        return Written(draft=_draft(brief), usage=_FREE)

    async def write_live(self, brief: Brief, *, hear: Hear) -> Written:
        draft = _draft(brief)
        await hear(replace(draft, parts=(*draft.parts, replace(draft.parts[0], text=f"{CLAIM}\n"))))
        return Written(draft=draft, usage=_FREE)


_FREE = Usage(model=None, input_tokens=0, output_tokens=0, finish_reason=None, prompt_version=None)


def _draft(brief: Brief) -> Draft:
    part = DraftPart(kind="statement", text=CLAIM, citations=(1,), question_part=None)
    citations = (DraftCitation(brief.handles[0], QUOTE),)
    return Draft(refusal=None, missing_facts=(), citations=citations, parts=(part,), raw=CLAIM)


def comparing(agreement: float, *, seen: list[Pair]) -> Compare:
    async def compare(pairs: Sequence[Pair]) -> list[float]:
        seen.extend(pairs)
        return [agreement for _ in pairs]

    return compare


async def ask(compare: Compare | None, *, mode: str = "whole", seconds: float = 30.0) -> Closing:
    policy = make_policy().model_copy(update={"mode": mode})
    means = Means(
        searcher=FakeSearcher((TEAPOT,), policy=policy),
        writer=Translator(),
        fallback=ExtractiveWriter(compute_here),
        log=FakeLog(),
        compute=compute_here,
        stage=no_stage,
        seconds=monotonic,
        deadline_seconds=monotonic() + seconds,
        now=lambda: NOON,
        new_handle=counting_handles(),
        compare=compare,
    )
    return await answer(make_asked(QUESTION), means=means)


def writer_of(closing: Closing) -> str | None:
    return closing.released.writer if closing.released else None


@pytest.mark.parametrize("mode", ["whole", "verified_sentences"])
async def test_a_claim_that_agrees_with_its_quote_is_answered_across_languages(mode: str) -> None:
    seen: list[Pair] = []
    closing = await ask(comparing(0.8, seen=seen), mode=mode)

    assert writer_of(closing) == "translator"
    assert closing.outcome is not None
    assert closing.outcome.answer == CLAIM
    assert seen == [(CLAIM, (QUOTE,))]


async def test_a_claim_that_does_not_agree_is_quoted_instead() -> None:
    closing = await ask(comparing(0.1, seen=[]))

    assert writer_of(closing) == "extractive"
    assert {fault.code for draft in closing.drafts for fault in draft.faults} == {"UNSUPPORTED_WORDS"}


async def test_without_anybody_to_compare_nothing_new_is_said_across_languages() -> None:
    async def busy(pairs: Sequence[Pair]) -> list[float]:
        del pairs
        raise UnavailableError("too much waits")

    assert writer_of(await ask(None)) == "extractive"
    assert writer_of(await ask(busy)) == "extractive"


async def test_comparing_keeps_to_the_deadline_of_the_attempt() -> None:
    async def silent(pairs: Sequence[Pair]) -> list[float]:
        del pairs
        await asyncio.Event().wait()
        return []

    assert (await ask(silent, seconds=0.05)).failure is FailureCode.KNOWLEDGE_TIMEOUT


async def test_of_pieces_side_by_side_none_runs_on_when_one_fails() -> None:
    ended: list[str] = []

    async def fails() -> None:
        raise UnavailableError("gone")

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("waits")

    with pytest.raises(UnavailableError):
        await all_or_none([waits(), fails()])

    assert ended == ["waits"]
