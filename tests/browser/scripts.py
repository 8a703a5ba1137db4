"""What the fake bff says: attempts written out as the events of the real one."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final

from contracts.answers import CitationView, CitedPassage, Part, Suggestion
from contracts.reasons import Coverage, FailureCode, Handoff, RefusalReason
from contracts.stream import AttemptEvent, CitationEvent, CompletedEvent, DeltaEvent, ErrorEvent

TRACE_ID: Final = "0af7651916cd43dd8448eb211c80319c"
RETURNS_QUOTE: Final = "普通商品自签收次日起十五天内能退，不需要说明理由，但定制商品、已拆封的食品和贴身用品除外。"
SHIPPING_QUOTE: Final = "无理由退货的运费由买家承担，但商品有质量问题或者我们发错商品的，运费由商家承担。"
RETURNS_PASSAGE: Final = f"𠮷祥系列同样适用。\n\n{RETURNS_QUOTE}\n\n退回的商品应当完好，配件、赠品和说明书齐全。"
SHIPPING_PASSAGE: Final = (
    f"{SHIPPING_QUOTE}\n\n由商家承担的运费，请先垫付，我们收到退货后连同货款一起退还，每单最高 25 元。"
)


@dataclass(frozen=True)
class Gate:
    """A place in a script where the attempt waits until the test opens it."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self) -> None:
        """Let the attempt go on."""
        self.opened.set()


@dataclass(frozen=True)
class Cut:
    """A place in a script where every reader's connection breaks once."""


Step = AttemptEvent | Gate | Cut
Script = tuple[Step, ...]


def citation(index: int, *, title: str, section: str, quote: str, source_url: str | None = None) -> CitationView:
    """Make a citation of a policy of the fictional shop."""
    return CitationView(
        index=index,
        title=title,
        section=section,
        revision="2026-07",
        effective_from=date(2026, 7, 1),
        effective_to=None,
        updated_at=datetime(2026, 6, 20, 8, tzinfo=UTC),
        quote=quote,
        detail_url=f"/v1/citations/{index}",
        source_url=source_url,
    )


RETURNS: Final = citation(
    1,
    title="退货与换货政策",
    section="哪些商品能退",
    quote=RETURNS_QUOTE,
    source_url="https://shop.example/zh/policies/returns",
)
SHIPPING: Final = citation(2, title="配送与运费", section="退货运费由谁承担", quote=SHIPPING_QUOTE)
_PASSAGES: Final = {RETURNS_QUOTE: RETURNS_PASSAGE, SHIPPING_QUOTE: SHIPPING_PASSAGE}


def cited_passage(view: CitationView) -> CitedPassage:
    """Give the whole passage that a citation quotes."""
    passage = _PASSAGES.get(view.quote, view.quote)
    start = passage.index(view.quote)
    return CitedPassage(
        **view.model_dump(exclude={"detail_url"}),
        heading_path=(view.title, view.section),
        passage=passage,
        quote_start=start,
        quote_end=start + len(view.quote),
        replaced_by=None,
        withdrawn_at=None,
    )


def statement(text: str, *citations: CitationView) -> DeltaEvent:
    """Say one claim with its citations."""
    indexes = tuple(view.index for view in citations)
    return DeltaEvent(kind="statement", text=text, citations=indexes, new_citations=citations)


def not_covered(text: str) -> DeltaEvent:
    """Say that a question part has no evidence."""
    return DeltaEvent(kind="not_covered", text=text, citations=(), new_citations=())


def answer(*steps: DeltaEvent | Gate | Cut, coverage: Coverage = "full", handoff: Handoff = "none") -> Script:
    """Write out an answer: the given steps, the citations, the closing event."""
    deltas = [step for step in steps if isinstance(step, DeltaEvent)]
    views = {view.index: view for delta in deltas for view in delta.new_citations}
    completed = CompletedEvent(
        answer="".join(delta.text for delta in deltas),
        parts=tuple(
            Part(kind=delta.kind, text=delta.text, citations=delta.citations, question_part=None) for delta in deltas
        ),
        coverage=coverage,
        refused=False,
        refusal_reason=None,
        reason_code=None,
        missing_facts=(),
        handoff=handoff,
        suggestions=(),
    )
    return (*steps, *(CitationEvent(**views[index].model_dump()) for index in sorted(views)), completed)


def refusal(
    reason: RefusalReason,
    sentence: str,
    *,
    handoff: Handoff = "offered",
    missing_facts: tuple[str, ...] = (),
    suggestions: tuple[Suggestion, ...] = (),
) -> Script:
    """Write out a refusal."""
    completed = CompletedEvent(
        answer=sentence,
        parts=(),
        coverage="none",
        refused=True,
        refusal_reason=sentence,
        reason_code=reason,
        missing_facts=missing_facts,
        handoff=handoff,
        suggestions=suggestions,
    )
    return (completed,)


def failure(*steps: DeltaEvent | Gate | Cut, code: FailureCode = FailureCode.VALIDATION_FAILED) -> Script:
    """Write out a failure after the given steps."""
    return (*steps, ErrorEvent(code=code, message="The attempt failed.", retryable=True, trace_id=TRACE_ID))


FULL_ANSWER: Final = answer(statement(RETURNS_QUOTE, RETURNS), statement(SHIPPING_QUOTE, SHIPPING))
