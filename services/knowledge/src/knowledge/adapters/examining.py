"""Asks golden cases the way customers' questions are asked, of any version, and leaves no trace among theirs."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from contracts.errors import UnavailableError
from contracts.ids import IdSource
from contracts.reasons import FailureCode, RefusalReason
from knowledge.adapters.answering import Answering
from knowledge.adapters.pinned import NoLog, PinnedSearcher
from knowledge.answering.draft import Writer
from knowledge.answering.evidence import evidence_score
from knowledge.answering.log import Asked, Closing
from knowledge.asking import answer
from knowledge.evaluation.golden import Golden
from knowledge.evaluation.measuring import CaseResult, result_of
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart, ObservedPassage
from knowledge.evaluation.scoring import Score, score
from knowledge.evaluation.shelf import CaseShelf
from knowledge.retrieval.passage import Found, Passage
from knowledge.versions.routing_policy import RoutingPolicy

_DEADLINE_SECONDS: Final = 25.0
_PASSING: Final = frozenset({FailureCode.KNOWLEDGE_UNAVAILABLE, FailureCode.KNOWLEDGE_TIMEOUT})


class NotAskedError(UnavailableError):
    """A part that answering needs was not there; the case is asked again later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where cases are asked: a version of a tenant, on a day."""

    tenant: str
    version: int
    today: date


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt with what its search found, and how long it took."""

    closing: Closing
    searcher: PinnedSearcher
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Examiner:
    """Asks with the writer that a tenant's customers have."""

    answering: Answering
    new_id: IdSource

    async def examine(self, golden: Golden, place: Place, *, is_last_try: bool) -> CaseResult:
        """Ask a case and score what came of it.

        Errors: NotAskedError when something was missing that may come back; on the last try that is the result.
        """
        writer = await self._writer(place.tenant)
        attempt = await self._ask(golden, place, writer=writer, lenient=False)
        if attempt.closing.failure in _PASSING and not is_last_try:
            raise NotAskedError
        policy = (await attempt.searcher.serving(tenant=place.tenant)).routing_policy
        observed, scored = _scored(golden, place, attempt, policy)
        wrong = bool(scored.wrong_because) if observed.answered else await self._would_be_wrong(golden, place, attempt)
        strength = _strength(attempt.searcher, policy)
        result = result_of(golden, observed, scored, strength=strength, would_be_wrong=wrong)
        spent = attempt.closing.spent
        return result.model_copy(update={"cost": spent.cost}) if spent is not None else result

    async def _would_be_wrong(self, golden: Golden, place: Place, attempt: _Attempt) -> bool | None:
        """Say what the answer would be worth that was refused for weak evidence; None for other refusals."""
        outcome = attempt.closing.outcome
        weak = outcome is not None and outcome.reason_code is RefusalReason.NO_AUTHORIZED_EVIDENCE
        if not weak or not any(found for _, found in attempt.searcher.searched):
            return None
        # The writer that costs nothing: nobody will see this answer.
        again = await self._ask(golden, place, writer=self.answering.writers.extractive, lenient=True)
        policy = (await attempt.searcher.serving(tenant=place.tenant)).routing_policy
        observed, scored = _scored(golden, place, again, policy)
        return bool(scored.wrong_because) if observed.answered else None

    async def _ask(self, golden: Golden, place: Place, *, writer: Writer, lenient: bool) -> _Attempt:
        seconds = self.answering.means.seconds
        searcher = PinnedSearcher(inner=self.answering.searcher, version=place.version, lenient=lenient)
        began = seconds()
        means = replace(
            self.answering.means,
            searcher=searcher,
            writer=writer,
            log=NoLog(),
            stage=_unmeasured,
            deadline_seconds=began + _DEADLINE_SECONDS,
        )
        closing = await answer(self._asked(golden, place), means=means)
        self.answering.writers.settle(place.tenant, closing)
        return _Attempt(closing, searcher, seconds() - began)

    async def _writer(self, tenant: str) -> Writer:
        """Give the writer that is named in the fingerprint. Errors: NotAskedError when another one would step in."""
        writers = self.answering.writers
        chosen = await writers.choose(tenant)
        wants_model = writers.identity(tenant) != writers.extractive.name
        if wants_model and chosen is writers.extractive:
            raise NotAskedError
        return chosen

    def _asked(self, golden: Golden, place: Place) -> Asked:
        attempt_id = self.new_id()
        return Asked(
            tenant=place.tenant,
            attempt_id=attempt_id,
            conversation_id="evaluation",
            retry_of=None,
            segments=golden.segments,
            masked_question=golden.question,
            language=golden.lang,
            as_of=_as_of(golden, place),
            today=place.today,
            asked_at=self.answering.means.now(),
            facts=golden.facts,
            typed_facts=golden.typed_facts,
            earlier_questions=(),
            channel="evaluation",
            trace_id="",
        )


def _unmeasured(_stage: str) -> nullcontext[None]:
    return nullcontext()


def _as_of(golden: Golden, place: Place) -> date:
    return min(golden.as_of or place.today, place.today)


def _scored(golden: Golden, place: Place, attempt: _Attempt, policy: RoutingPolicy) -> tuple[Observed, Score]:
    passages = [found.passage for _, searched in attempt.searcher.searched for found in searched]
    shelf = CaseShelf(
        golden=golden,
        as_of=_as_of(golden, place),
        days={(each.document, each.revision): (each.effective_from, each.effective_to) for each in passages},
    )
    observed = observed_of(attempt.closing, attempt.searcher.searched, seconds=attempt.seconds)
    floor = policy.thresholds.claim_overlap
    return observed, score(golden, observed, library=shelf, claim_overlap=floor)


def observed_of(closing: Closing, searched: Iterable[tuple[str, tuple[Found, ...]]], *, seconds: float) -> Observed:
    """Write an attempt down as its customer would see it, with what its searches found."""
    outcome = closing.outcome
    searches = tuple(tuple(found.passage for found in each) for _, each in searched)
    passages = {passage.passage_id: passage for each in searches for passage in each}
    return Observed(
        failure=str(closing.failure) if closing.failure is not None else None,
        refused=outcome is not None and outcome.refused,
        reason=outcome.reason_code if outcome is not None else None,
        handoff=outcome.handoff if outcome is not None else "none",
        answer=outcome.answer if outcome is not None and not outcome.refused else "",
        parts=tuple(ObservedPart(part.kind, part.text, part.citations) for part in outcome.parts) if outcome else (),
        citations=tuple(
            ObservedCitation(
                index=each.view.index,
                title=each.view.title,
                revision=each.view.revision,
                quote=each.view.quote,
                passage=passages[each.passage_id].text if each.passage_id in passages else None,
                document=passages[each.passage_id].document if each.passage_id in passages else "",
            )
            for each in closing.citations
        ),
        seconds=seconds,
        searches=tuple(tuple(_passage(passage) for passage in each) for each in searches),
    )


def _passage(passage: Passage) -> ObservedPassage:
    return ObservedPassage(document=passage.document, revision=passage.revision, text=passage.text)


def _strength(searcher: PinnedSearcher, policy: RoutingPolicy) -> float | None:
    """Give the strength of the strongest passage over all question parts; None where nothing was found."""
    strengths = (
        evidence_score(found.scores, language=found.passage.language, question=question, weights=policy.weights)
        for question, searched in searcher.searched
        for found in searched
    )
    return max(strengths, default=None)
