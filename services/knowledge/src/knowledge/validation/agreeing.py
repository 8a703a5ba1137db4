"""Has claims compared with quotes in other words before they are judged: the comparing is not pure, the judging is.

A check is run once to learn what it would compare; only where it compares anything are texts embedded, and the check
runs again with what came out.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from contracts.errors import UnavailableError
from knowledge.answering.computing import Compute
from knowledge.validation.validator import Agree

Pair = tuple[str, tuple[str, ...]]
"""A claim and its quotes."""

Compare = Callable[[Sequence[Pair]], Awaitable[Sequence[float]]]
"""Gives the cosine of each claim and the nearest of its quotes, in order. Errors: UnavailableError when too much waits to be embedded."""

_Result = TypeVar("_Result")


@dataclass(slots=True, kw_only=True)
class Agreements:
    """What was compared in one attempt. Without `compare` a claim in quite other words than its quotes is refused."""

    compare: Compare | None
    compute: Compute
    known: dict[Pair, float] = field(default_factory=dict[Pair, float])

    async def checked(self, check: Callable[[Agree | None], _Result]) -> _Result:
        """Run a check with what the embedders say of the pairs it asks about, each embedded once an attempt."""
        missing: dict[Pair, None] = {}

        def learn(claim: str, quotes: tuple[str, ...]) -> float:
            pair = claim, quotes
            if pair not in self.known:
                missing[pair] = None
            return self.known.get(pair, 1.0)

        checked = await self.compute(lambda: check(learn))
        if not missing:
            return checked
        if not await self._learned(tuple(missing)):
            return await self.compute(lambda: check(None))
        return await self.compute(lambda: check(lambda claim, quotes: self.known[claim, quotes]))

    async def _learned(self, pairs: Sequence[Pair]) -> bool:
        """Compare pairs; False when nobody can, which is no reason to fail: the next writer quotes instead."""
        if self.compare is None:
            return False
        try:
            agreements = await self.compare(pairs)
        except UnavailableError:
            return False
        self.known.update(zip(pairs, agreements, strict=True))
        return True
