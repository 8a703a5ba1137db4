"""A search that is held to one version and remembers what it found, and a log that keeps nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID

from contracts.reasons import RefusalCause
from knowledge.answering.log import Asked, Closing, Logged
from knowledge.retrieval.passage import Candidate, Found
from knowledge.retrieval.searching import PassageDetail, RefusalExplanation, Searcher, SearchResult, Serving

# Below every strength that evidence can have.
_ANY_STRENGTH = -1e6


@dataclass(slots=True, kw_only=True)
class PinnedSearcher:
    """Fulfils `Searcher` for one attempt. With `lenient` every strength of evidence suffices."""

    inner: Searcher
    version: int
    lenient: bool = False
    searched: list[tuple[str, tuple[Found, ...]]] = field(default_factory=list[tuple[str, tuple[Found, ...]]])

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """Give the version this attempt is held to."""
        del version
        serving = await self.inner.serving(tenant=tenant, version=self.version)
        return _leniently(serving) if self.lenient else serving

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """Search that version, and remember."""
        del version
        found = await self.inner.search(
            tenant=tenant, segments=segments, question=question, as_of=as_of, version=self.version
        )
        self.searched.append((question, found.context.found))
        return found

    async def explain_refusal(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int
    ) -> RefusalExplanation:
        """See `Searcher.explain_refusal`."""
        return await self.inner.explain_refusal(
            tenant=tenant, segments=segments, question=question, as_of=as_of, version=version
        )

    async def still_current(self, *, tenant: str, passage_ids: Sequence[UUID]) -> bool:
        """See `Searcher.still_current`."""
        return await self.inner.still_current(tenant=tenant, passage_ids=passage_ids)

    async def read_passage(
        self, *, tenant: str, segments: tuple[str, ...], passage_id: UUID, today: date
    ) -> PassageDetail | None:
        """See `Searcher.read_passage`."""
        return await self.inner.read_passage(tenant=tenant, segments=segments, passage_id=passage_id, today=today)


class NoLog:
    """Fulfils `AnswerLog` and keeps nothing, so that an evaluation counts in no rate of customers' answers."""

    async def open(self, asked: Asked) -> bool:
        """Say that the attempt is new."""
        del asked
        return True

    async def close(self, asked: Asked, closing: Closing) -> None:
        """Keep nothing."""
        del asked, closing

    async def find(self, tenant: str, attempt_id: UUID) -> Logged | None:
        """Find nothing."""
        del tenant, attempt_id

    async def note_cause(self, asked: Asked, cause: RefusalCause, candidates: tuple[Candidate, ...]) -> None:
        """Keep nothing."""
        del asked, cause, candidates


def _leniently(serving: Serving) -> Serving:
    thresholds = serving.routing_policy.thresholds
    lowest = thresholds.model_copy(update={"refuse_below": _ANY_STRENGTH, "answer_from": _ANY_STRENGTH})
    return replace(serving, routing_policy=serving.routing_policy.model_copy(update={"thresholds": lowest}))
