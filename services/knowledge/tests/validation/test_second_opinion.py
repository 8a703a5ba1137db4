"""Only doubts are put to a second opinion, and only when nothing else is wrong."""

from dataclasses import dataclass, field, replace

import pytest

from knowledge.answering.draft import Draft, DraftCitation, DraftPart, Usage
from knowledge.validation.second_opinion import Doubt, Spend, doubts_of, settle
from knowledge.validation.verdict import Fault, FaultCode, ValidatedAnswer, Verdict

pytestmark = pytest.mark.unit

DRAFT = Draft(
    refusal=None,
    missing_facts=(),
    citations=(DraftCitation("h1", "茶壶可以退回。"), DraftCitation("h1", "灯具可以维修。")),
    parts=(
        DraftPart(kind="statement", text="茶壶能退。", citations=(1,), question_part=None),
        DraftPart(kind="statement", text="灯能修。", citations=(2,), question_part=None),
    ),
    raw="",
)
USED = Usage(model="j", input_tokens=1, output_tokens=1, finish_reason="stop", prompt_version=None)
PASSED = Verdict(answer=ValidatedAnswer(parts=(), citations=(), coverage="full"), faults=())
DOUBT = Fault(code=FaultCode.UNSUPPORTED_WORDS, part=2, citation=None, detail="", is_undecidable=True)
FAULT = Fault(code=FaultCode.NUMBER_NOT_IN_QUOTE, part=1, citation=None, detail="")


@dataclass
class Opinion:
    says: bool
    asked: list[tuple[Doubt, ...]] = field(default_factory=list[tuple[Doubt, ...]])

    async def supports(self, tenant: str, doubts: tuple[Doubt, ...], *, spend: Spend) -> bool:
        assert tenant == "tea"
        self.asked.append(doubts)
        spend(USED)
        return self.says


def judged_with(*faults: Fault) -> Verdict:
    return Verdict(answer=None, faults=faults)


async def outcome(opinion: Opinion | None, *faults: Fault) -> Verdict:
    async def judged(vouched: frozenset[int]) -> Verdict:
        left = tuple(fault for fault in faults if fault.part not in vouched)
        return judged_with(*left) if left else PASSED

    return await settle(DRAFT, judged, opinion=opinion, tenant="tea", spend=lambda _: None)


async def test_a_supported_doubt_is_lifted() -> None:
    opinion = Opinion(says=True)

    assert await outcome(opinion, DOUBT) == replace(PASSED, lifted=frozenset({2}))
    assert opinion.asked == [(Doubt(2, "灯能修。", ("灯具可以维修。",)),)]


async def test_a_doubt_rejects_without_an_opinion_or_against_it() -> None:
    assert (await outcome(None, DOUBT)).faults == (DOUBT,)
    assert (await outcome(Opinion(says=False), DOUBT)).faults == (DOUBT,)


async def test_nobody_is_asked_about_a_draft_with_a_fault() -> None:
    opinion = Opinion(says=True)

    assert (await outcome(opinion, DOUBT, FAULT)).faults == (DOUBT, FAULT)
    assert opinion.asked == []


async def test_nobody_is_asked_about_a_draft_that_passed() -> None:
    opinion = Opinion(says=True)

    assert await outcome(opinion) is PASSED
    assert opinion.asked == []


def test_each_part_is_asked_about_once() -> None:
    assert len(doubts_of(judged_with(DOUBT, DOUBT), DRAFT)) == 1
