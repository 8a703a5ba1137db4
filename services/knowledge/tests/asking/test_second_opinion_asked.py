"""A claim that code cannot decide is answered where a second opinion supports it, and refused where nobody does."""

from dataclasses import dataclass
from decimal import Decimal

import pytest

from contracts.reasons import RefusalCause
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart, Usage, Written
from knowledge.answering.log import Closing
from knowledge.asking import Means, answer
from knowledge.validation.second_opinion import Doubt, SecondOpinion, Spend
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

QUOTE = "退货的运费由买家承担。"
USED = Usage(
    model="judge", input_tokens=70, output_tokens=3, finish_reason="stop", prompt_version=None, cost=Decimal("0.25")
)
CLAIM = "The buyer pays the return shipping."


class Translator:
    """Words its answer in another language than the passage, so that code alone cannot compare them."""

    name = "translator"

    async def write(self, brief: Brief) -> Written:
        part = DraftPart(kind="statement", text=CLAIM, citations=(1,), question_part=None)
        draft = Draft(
            refusal=None, missing_facts=(), citations=(DraftCitation(brief.handles[0], QUOTE),), parts=(part,), raw=""
        )
        usage = Usage(
            model="made-up", input_tokens=9, output_tokens=5, finish_reason="stop", prompt_version="1", cost=Decimal(1)
        )
        return Written(draft=draft, usage=usage)


@dataclass
class Opinion:
    says: bool

    async def supports(self, tenant: str, doubts: tuple[Doubt, ...], *, spend: Spend) -> bool:
        assert tenant
        spend(USED)
        assert [(doubt.claim, doubt.quotes) for doubt in doubts] == [(CLAIM, (QUOTE,))]
        return self.says


async def ask(opinion: SecondOpinion | None) -> Closing:
    passage = make_passage(QUOTE, document="returns")
    means = Means(
        searcher=FakeSearcher((passage,), policy=make_policy(writer_fallback=False)),
        writer=Translator(),
        fallback=ExtractiveWriter(compute_here),
        log=FakeLog(),
        compute=compute_here,
        stage=no_stage,
        seconds=lambda: 0.0,
        deadline_seconds=30.0,
        now=lambda: NOON,
        new_handle=counting_handles(),
        second_opinion=opinion,
    )
    return await answer(make_asked("退货的运费由谁承担？"), means=means)


async def test_a_supported_doubt_is_answered() -> None:
    closing = await ask(Opinion(says=True))

    assert closing.outcome is not None
    assert closing.outcome.answer == CLAIM


@pytest.mark.parametrize("opinion", [None, Opinion(says=False)])
async def test_a_doubt_nobody_lifts_is_refused(opinion: Opinion | None) -> None:
    assert (await ask(opinion)).cause is RefusalCause.UNSUPPORTED_DRAFT


async def test_a_second_opinion_is_part_of_what_the_attempt_cost() -> None:
    closing = await ask(Opinion(says=True))

    assert closing.spent is not None
    assert (closing.spent.cost, closing.spent.input_tokens, closing.spent.model) == (Decimal("1.25"), 79, "made-up")
