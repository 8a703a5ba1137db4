"""A writer that lies is caught before a word of it is shown: never half an answer."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from contracts.errors import GiveUpError, TryAgainError
from contracts.reasons import FailureCode, RefusalCause, RefusalReason
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart, Usage, Written
from knowledge.answering.log import Closing
from knowledge.asking import Means, answer
from knowledge.validation.verdict import FaultCode
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

RULE = "茶壶可以在九天内退回。"
FREIGHT = "退货的运费由买家承担。"
PASSAGE = make_passage(f"{RULE}{FREIGHT}退货要填写申请表。退回的茶壶要擦干净。", document="returns")
ANOTHER_ATTEMPTS = "att-other-h1"
Lie = Callable[[Brief], Draft]


@dataclass
class ScriptedWriter:
    """Writes what it is told, each try in turn; the last one again and again."""

    drafts: list[Lie | Exception]
    name: str = "scripted"
    briefs: list[Brief] = field(default_factory=list[Brief])

    async def write(self, brief: Brief) -> Written:
        self.briefs.append(brief)
        turn = self.drafts[min(len(self.briefs), len(self.drafts)) - 1]
        if isinstance(turn, Exception):
            raise turn
        usage = Usage(model="made-up", input_tokens=9, output_tokens=5, finish_reason="stop", prompt_version="1")
        return Written(draft=turn(brief), usage=usage)


def draft(citations: list[tuple[str, str]], *claims: tuple[str, tuple[int, ...]]) -> Draft:
    return Draft(
        refusal=None,
        missing_facts=(),
        citations=tuple(DraftCitation(handle, quote) for handle, quote in citations),
        parts=tuple(
            DraftPart(kind="statement", text=text, citations=cited, question_part=None) for text, cited in claims
        ),
        raw="what the writer sent",
    )


def honest(brief: Brief) -> Draft:
    return draft([(brief.handles[0], RULE)], (RULE, (1,)))


def reworded(brief: Brief) -> Draft:
    return draft([(brief.handles[0], RULE)], ("九天之内，您可以把茶壶寄回来。", (1,)))


def too_many(brief: Brief) -> Draft:
    quotes = [RULE, FREIGHT, "退货要填写申请表。", "退回的茶壶要擦干净。"]
    return draft([(brief.handles[0], quote) for quote in quotes], (RULE, (1, 2, 3, 4)))


LIES: dict[str, tuple[Lie, FaultCode]] = {
    "unknown citation": (lambda _: draft([("h99", RULE)], (RULE, (1,))), FaultCode.UNKNOWN_CITATION),
    "citation of another attempt": (
        lambda _: draft([(ANOTHER_ATTEMPTS, RULE)], (RULE, (1,))),
        FaultCode.UNKNOWN_CITATION,
    ),
    "altered quote": (
        lambda brief: draft([(brief.handles[0], RULE.replace("九", "十九"))], (RULE, (1,))),
        FaultCode.QUOTE_NOT_VERBATIM,
    ),
    "empty quote": (lambda brief: draft([(brief.handles[0], " ")], (RULE, (1,))), FaultCode.EMPTY_QUOTE),
    "unrelated but valid quote": (
        lambda brief: draft([(brief.handles[0], FREIGHT)], (RULE, (1,))),
        FaultCode.UNSUPPORTED_WORDS,
    ),
    "same pair twice": (
        lambda brief: draft([(brief.handles[0], RULE), (brief.handles[0], RULE)], (RULE, (1, 2))),
        FaultCode.DUPLICATE_CITATION,
    ),
    "unused citation": (
        lambda brief: draft([(brief.handles[0], RULE), (brief.handles[0], FREIGHT)], (RULE, (1,))),
        FaultCode.UNUSED_CITATION,
    ),
    "too many": (too_many, FaultCode.TOO_MANY_CITATIONS),
    "swapped number": (
        lambda brief: draft([(brief.handles[0], RULE)], ("茶壶可以在三十天内退回。", (1,))),
        FaultCode.NUMBER_NOT_IN_QUOTE,
    ),
}


async def ask(writer: ScriptedWriter, *, fallback: bool, log: FakeLog | None = None) -> Closing:
    means = Means(
        searcher=FakeSearcher((PASSAGE,), policy=make_policy(writer_fallback=fallback)),
        writer=writer,
        fallback=ExtractiveWriter(compute_here),
        log=log or FakeLog(),
        compute=compute_here,
        stage=no_stage,
        seconds=lambda: 0.0,
        deadline_seconds=30.0,
        now=lambda: NOON,
        new_handle=counting_handles(),
    )
    return await answer(make_asked("茶壶几天内可以退？"), means=means)


@pytest.mark.parametrize("lie", LIES)
async def test_without_fallback_a_lie_becomes_a_refusal(lie: str) -> None:
    tell, code = LIES[lie]

    closing = await ask(ScriptedWriter([tell]), fallback=False)

    assert closing.outcome is not None
    assert closing.outcome.reason_code is RefusalReason.NO_AUTHORIZED_EVIDENCE
    assert closing.cause is RefusalCause.UNSUPPORTED_DRAFT
    assert closing.citations == ()
    assert code in {fault.code for logged in closing.drafts for fault in logged.faults}


@pytest.mark.parametrize("lie", LIES)
async def test_with_fallback_a_lie_becomes_the_extractive_answer(lie: str) -> None:
    tell, code = LIES[lie]

    closing = await ask(ScriptedWriter([tell]), fallback=True)

    assert closing.outcome is not None
    assert not closing.outcome.refused
    assert all(citation.view.quote in PASSAGE.text for citation in closing.citations)
    assert [logged.writer for logged in closing.drafts] == ["scripted", "scripted", "extractive"]
    assert code in {fault.code for fault in closing.drafts[0].faults}


async def test_the_retry_is_told_its_faults_and_may_mend_them() -> None:
    writer = ScriptedWriter([LIES["swapped number"][0], honest])

    closing = await ask(writer, fallback=True)

    assert [logged.writer for logged in closing.drafts] == ["scripted", "scripted"]
    assert any("NUMBER_NOT_IN_QUOTE" in fault for fault in writer.briefs[1].faults_to_mend)
    assert closing.outcome is not None
    assert closing.outcome.answer == RULE
    assert closing.released is not None
    assert closing.released.usage is not None
    assert closing.released.usage.model == "made-up"


async def test_a_true_rule_in_other_words_is_released() -> None:
    closing = await ask(ScriptedWriter([reworded]), fallback=False)

    assert closing.outcome is not None
    assert closing.outcome.answer == "九天之内，您可以把茶壶寄回来。"


@pytest.mark.parametrize("trouble", [TryAgainError(), GiveUpError(), TimeoutError()])
async def test_a_writer_in_trouble_is_replaced_at_once(trouble: Exception) -> None:
    writer = ScriptedWriter([trouble])

    closing = await ask(writer, fallback=True)

    assert len(writer.briefs) == 1
    assert closing.outcome is not None
    assert not closing.outcome.refused
    assert [logged.trouble for logged in closing.drafts] == [type(trouble).__name__, None]


async def test_trouble_without_fallback_is_a_failure() -> None:
    closing = await ask(ScriptedWriter([GiveUpError()]), fallback=False)

    assert (closing.outcome, closing.failure) == (None, FailureCode.KNOWLEDGE_ERROR)


async def test_a_writer_that_refuses_is_believed() -> None:
    refusal = replace(draft([]), refusal=RefusalReason.ESCALATION_TOPIC)

    closing = await ask(ScriptedWriter([lambda _: refusal]), fallback=True)

    assert closing.outcome is not None
    assert closing.outcome.reason_code is RefusalReason.NO_AUTHORIZED_EVIDENCE
    assert closing.outcome.handoff == "offered"


async def test_the_log_says_which_passage_a_draft_claimed() -> None:
    closing = await ask(ScriptedWriter([LIES["unknown citation"][0]]), fallback=False)

    assert closing.drafts[0].claimed == ((None, RULE),)
    assert closing.drafts[0].raw == "what the writer sent"
