"""Let a second opinion decide what code cannot: whether a claim in other words still says what its quotes say.

It is asked only when nothing that code decides is wrong with a draft, and it can lift doubts, never faults. Without one,
or when it does not answer, a doubt rejects the draft like any other fault.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from knowledge.answering.draft import Draft, Usage
from knowledge.validation.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim that code can neither accept nor refuse, and the quotes it leans on; the part counts from 1."""

    part: int
    claim: str
    quotes: tuple[str, ...]


Spend = Callable[[Usage], None]
"""Takes what a call has used, also one that is cut off."""


class SecondOpinion(Protocol):
    """Judges doubts."""

    async def supports(self, tenant: str, doubts: tuple[Doubt, ...], *, spend: Spend) -> bool:
        """Tell whether every doubtful claim follows from its quotes. Errors: none; what is not known is not supported."""
        ...


Judged = Callable[[frozenset[int]], Awaitable[Verdict]]
"""Judges the draft, its doubts about the given parts being lifted."""


async def settle(draft: Draft, judged: Judged, *, opinion: SecondOpinion | None, tenant: str, spend: Spend) -> Verdict:
    """Judge a draft, with a second opinion where only doubts are left and somebody gives one."""
    verdict = await judged(frozenset())
    doubts = doubts_of(verdict, draft)
    if opinion is None or not doubts or not await opinion.supports(tenant, doubts, spend=spend):
        return verdict
    lifted = frozenset(doubt.part for doubt in doubts)
    return replace(await judged(lifted), lifted=lifted)


def doubts_of(verdict: Verdict, draft: Draft) -> tuple[Doubt, ...]:
    """List the doubts about a draft; empty as soon as anything is decided against it."""
    if not all(fault.is_undecidable for fault in verdict.faults):
        return ()
    parts = dict.fromkeys(fault.part for fault in verdict.faults if fault.part is not None)
    return tuple(Doubt(number, draft.parts[number - 1].text.strip(), _quotes(draft, number)) for number in parts)


def _quotes(draft: Draft, number: int) -> tuple[str, ...]:
    return tuple(draft.citations[cited - 1].quote for cited in draft.parts[number - 1].citations)
