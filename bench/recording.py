"""Answer questions in this process over search results that are kept, so that a gate can be tried again in milliseconds."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from itertools import count
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

from bench.installation import TODAY
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.evidence import written_in
from knowledge.answering.log import Asked, Closing
from knowledge.asking import Means, answer
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart
from knowledge.retrieval.passage import Passage
from knowledge.retrieval.searching import PassageDetail, RefusalExplanation, Searcher, SearchResult, Serving
from knowledge.versions.routing_policy import RoutingPolicy
from personal_data.masking import mask

_Result = TypeVar("_Result")
_NOON: Final = datetime.combine(TODAY, time(12), UTC)
_SECONDS: Final = 60.0


@dataclass
class RecordingSearcher:
    """Fulfils `Searcher`: asks another one once, and remembers; `adjust` changes the policy of every version."""

    searcher: Searcher
    adjust: Callable[[RoutingPolicy], RoutingPolicy] = lambda policy: policy
    found: dict[tuple[str, str], SearchResult] = field(default_factory=dict[tuple[str, str], SearchResult])
    served: dict[str, Serving] = field(default_factory=dict[str, Serving])

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """See `Searcher.serving`."""
        if tenant not in self.served:
            self.served[tenant] = await self.searcher.serving(tenant=tenant, version=version)
        serving = self.served[tenant]
        return replace(serving, routing_policy=self.adjust(serving.routing_policy))

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """See `Searcher.search`."""
        if (tenant, question) not in self.found:
            self.found[tenant, question] = await self.searcher.search(
                tenant=tenant, segments=segments, question=question, as_of=as_of, version=version
            )
        return self.found[tenant, question]

    async def explain_refusal(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int
    ) -> RefusalExplanation:
        """See `Searcher.explain_refusal`."""
        return await self.searcher.explain_refusal(
            tenant=tenant, segments=segments, question=question, as_of=as_of, version=version
        )

    async def still_current(self, *, tenant: str, passage_ids: Sequence[UUID]) -> bool:
        """Withdraw nothing."""
        del tenant, passage_ids
        return True

    async def read_passage(
        self, *, tenant: str, segments: tuple[str, ...], passage_id: UUID, today: date
    ) -> PassageDetail | None:
        """See `Searcher.read_passage`."""
        return await self.searcher.read_passage(tenant=tenant, segments=segments, passage_id=passage_id, today=today)


class _NoLog:
    """Keeps nothing."""

    async def open(self, asked: Asked) -> bool:
        """Open everything."""
        del asked
        return True

    async def close(self, asked: Asked, closing: Closing) -> None:
        """Forget it."""
        del asked, closing

    async def find(self, tenant: str, attempt_id: UUID) -> None:
        """Find nothing."""
        del tenant, attempt_id

    async def note_cause(self, asked: Asked, cause: Any, candidates: Any) -> None:  # nothing is looked at
        """Forget it."""
        del asked, cause, candidates


async def answer_of(question: str, *, tenant: str, searcher: Searcher) -> Closing:
    """Take a question through the whole of answering with the extractive writer."""
    handles = count(1)
    writer = ExtractiveWriter(_at_once)
    means = Means(
        searcher=searcher,
        writer=writer,
        fallback=writer,
        log=_NoLog(),
        compute=_at_once,
        stage=_unnamed,
        seconds=lambda: 0.0,
        deadline_seconds=_SECONDS,
        now=lambda: _NOON,
        new_handle=lambda: f"p-{next(handles)}",
    )
    return await answer(_asked(question, tenant), means=means)


def observed_of(closing: Closing, passages: dict[UUID, Passage]) -> Observed:
    """See an attempt as `youju eval` would."""
    outcome = closing.outcome
    if outcome is None:
        raise AssertionError(closing.failure)
    return Observed(
        failure=None,
        refused=outcome.refused,
        reason=outcome.reason_code,
        handoff=outcome.handoff,
        answer=outcome.answer,
        parts=tuple(ObservedPart(part.kind, part.text, part.citations) for part in outcome.parts),
        citations=tuple(
            ObservedCitation(
                index=cited.view.index,
                title=cited.view.title,
                revision=cited.view.revision,
                quote=cited.view.quote,
                passage=passages[cited.passage_id].text,
            )
            for cited in closing.citations
        ),
        seconds=0.0,
    )


def _asked(question: str, tenant: str) -> Asked:
    return Asked(
        tenant=tenant,
        attempt_id=uuid4(),
        conversation_id="bench",
        retry_of=None,
        segments=(),
        masked_question=mask(question),
        language=written_in(question),
        as_of=TODAY,
        today=TODAY,
        asked_at=_NOON,
        facts={},
        typed_facts={},
        earlier_questions=(),
        channel="bench",
        trace_id="0" * 32,
    )


async def _at_once(work: Callable[[], _Result], /) -> _Result:
    return work()


def _unnamed(name: str) -> AbstractContextManager[None]:
    del name
    return nullcontext()
