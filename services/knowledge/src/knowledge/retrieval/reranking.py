"""A reranker reads question and passage together and may put the best passages in another order."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from knowledge.retrieval.passage import Candidate


class Reranker(Protocol):
    """Judges texts against a question."""

    async def judge(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Give one score a text, higher is better; None when it cannot be had in time."""
        ...


def reordered(candidates: Sequence[Candidate], judged: Sequence[float]) -> tuple[Candidate, ...]:
    """Put the first candidates in the order of their judgements, ties as they were; the others follow."""
    noted = [
        replace(candidate, scores=replace(candidate.scores, reranked=score))
        for candidate, score in zip(candidates, judged, strict=False)
    ]
    ranked = sorted(noted, key=lambda each: -(each.scores.reranked or 0.0))
    return (*ranked, *candidates[len(noted) :])
