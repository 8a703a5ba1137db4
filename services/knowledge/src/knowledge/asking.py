"""The life of a question: route → search → gate → write → validate → log.

Retrieval decides what evidence exists, the routing policy decides the path, a writer decides wording, and the validator
decides whether anything of it is shown. What runs outside is passed in as `Means`.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from contracts.answers import Outcome, Part, Suggestion
from contracts.errors import UnavailableError, YoujuError
from contracts.reasons import FailureCode, RefusalCause, RefusalReason
from knowledge.answering.briefing import HandleSource, make_brief
from knowledge.answering.computing import Compute, all_or_none
from knowledge.answering.conflict import find_conflict
from knowledge.answering.context import join_contexts, led_by_evidence
from knowledge.answering.draft import Brief, Draft, Usage, Writer, Written
from knowledge.answering.gate import judge
from knowledge.answering.judgement import Facts, Gate, Refusal, Searched
from knowledge.answering.log import AnswerLog, Asked, Cause, Closing, LoggedCitation, LoggedDraft
from knowledge.answering.outcomes import answered, refused
from knowledge.answering.prompting import suits_a_model
from knowledge.answering.question_parts import led_up, split_question
from knowledge.answering.routing import Route, route_question
from knowledge.answering.suggesting import suggest_cases, suggest_open_cases, suggest_sections
from knowledge.answering.templates import TEMPLATES, as_of_note
from knowledge.retrieval.passage import PolicyContext
from knowledge.retrieval.searching import Searcher, Serving
from knowledge.validation.agreeing import Agreements, Compare
from knowledge.validation.beginnings import passed_beginning
from knowledge.validation.ladder import Climbed, Ladder, Live, TakenBackError, climb_down
from knowledge.validation.releasing import Shown, released_citations, released_parts
from knowledge.validation.second_opinion import SecondOpinion, settle
from knowledge.validation.validator import validate
from knowledge.validation.verdict import ValidatedAnswer, Verdict
from knowledge.versions.routing_policy import RoutingPolicy

_CAUSES: Final = (
    RefusalCause.FILTERED_BY_ACCESS,
    RefusalCause.NOT_IN_FORCE,
    RefusalCause.BELOW_THRESHOLD,
    RefusalCause.NOTHING_RETRIEVED,
)
_STORINGS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What an attempt needs from outside."""

    searcher: Searcher
    writer: Writer
    fallback: Writer
    log: AnswerLog
    compute: Compute
    stage: Callable[[str], AbstractContextManager[object]]
    """Opens a named stage, for whoever traces and measures it."""
    seconds: Callable[[], float]
    """A clock that only goes forward."""
    deadline_seconds: float
    """When the answer must be there, on that clock."""
    now: Callable[[], datetime]
    new_handle: HandleSource
    compare: Compare | None = None
    """Compares claims with quotes in another language; without it nothing is answered across languages in new words."""
    second_opinion: SecondOpinion | None = None
    """Decides about claims that code cannot; without it they are rejected."""
    show: Callable[[Shown], None] = field(default=lambda _: None)
    """Takes parts that passed before the whole did, where the routing policy shows them."""

    def left(self) -> float:
        """Say how many seconds are left."""
        return max(self.deadline_seconds - self.seconds(), 0.0)


async def answer(asked: Asked, *, means: Means) -> Closing:
    """Take an opened question to its end, and put the end into the log before anyone hears of it.

    Errors: UnavailableError when the log cannot be had, three times.
    """
    life = _begun(asked, means)
    try:
        async with asyncio.timeout(means.left()):
            ended = await _live(life)
    except TimeoutError:
        ended = _Ended(failure=FailureCode.KNOWLEDGE_TIMEOUT)
    except asyncio.CancelledError:
        # The process ends. Whoever waits is told, and what was spent until now is kept.
        ended = _Ended(failure=FailureCode.ABANDONED)
    except TakenBackError as taken_back:
        ended = _Ended(failure=FailureCode.VALIDATION_FAILED, cause=taken_back.cause)
    except UnavailableError:
        ended = _Ended(failure=FailureCode.KNOWLEDGE_UNAVAILABLE)
    except YoujuError:
        ended = _Ended(failure=FailureCode.KNOWLEDGE_ERROR)
    return await _store(asked, life.closing(ended), means=means)


async def give_up(asked: Asked, failure: FailureCode, *, means: Means) -> Closing:
    """Close an attempt that a bug or the end of the process cut short, so that nobody waits for it."""
    return await _store(asked, _begun(asked, means).closing(_Ended(failure=failure)), means=means)


async def _store(asked: Asked, closing: Closing, *, means: Means) -> Closing:
    """Put an end into the log. In a peak a connection may be too long in coming, and an end is worth another try."""
    for left in range(_STORINGS - 1, -1, -1):
        try:
            await means.log.close(asked, closing)
            break
        except UnavailableError:
            if not left:
                raise
    return closing


async def _live(life: "_Life") -> "_Ended":
    with life.stage("route"):
        serving = life.serving = await life.means.searcher.serving(tenant=life.asked.tenant)
        route = life.route = await _route(life, serving)
    if route.reason is not None:
        return _refuse(life, serving, _routed(route.reason, route))
    with life.stage("search"):
        life.context = await _search(life, serving, route.asked)
    with life.stage("gate"):
        gate = life.gate = await _judge(life, serving)
    if gate.refusal is not None:
        return _refuse(life, serving, gate.refusal)
    with life.stage("write"):
        climbed = await _write(life, serving, gate)
    if climbed.answer is None:
        return _refuse(life, serving, _unwritten(climbed))
    if _in_conflict(life, climbed.answer):
        return _refuse(life, serving, Refusal(reason=RefusalReason.CONFLICTING_POLICY))
    with life.stage("release"):
        is_current = await _is_current(life, climbed.answer)
    if not is_current:
        return _refuse(life, serving, _no_evidence(RefusalCause.NOT_IN_FORCE))
    return _release(life, serving, gate, climbed.answer)


async def explain(asked: Asked, closing: Closing, *, searcher: Searcher, log: AnswerLog) -> Cause | None:
    """Find out what lay behind a refusal for want of evidence once its answer is stored, off the answer path."""
    unexplained = closing.cause in (RefusalCause.NOTHING_RETRIEVED, RefusalCause.BELOW_THRESHOLD)
    if closing.version is None or not unexplained or not closing.read_as:
        return closing.cause
    explanations = [
        await searcher.explain_refusal(
            tenant=asked.tenant, segments=asked.segments, question=part, as_of=asked.as_of, version=closing.version
        )
        for part in closing.read_as
    ]
    # What was kept back from one part explains the whole better than what the others never had.
    told = min(explanations, key=lambda each: _CAUSES.index(each.cause))
    await log.note_cause(asked, told.cause, told.candidates)
    return told.cause


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """How it ended: with an outcome or a failure."""

    outcome: Outcome | None = None
    failure: FailureCode | None = None
    citations: tuple[LoggedCitation, ...] = ()
    cause: Cause | None = None


@dataclass(slots=True)
class _Life:
    """What is known of an attempt so far; a failure logs it all the same."""

    asked: Asked
    means: Means
    agreements: Agreements
    serving: Serving | None = None
    route: Route | None = None
    searched: tuple[Searched, ...] = ()
    context: PolicyContext | None = None
    gate: Gate | None = None
    shown: tuple[Part, ...] = ()
    drafts: list[LoggedDraft] = field(default_factory=list[LoggedDraft])
    opinions: list[Usage] = field(default_factory=list[Usage])
    milliseconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Measure a stage, also one that fails."""
        started = self.means.seconds()
        try:
            with self.means.stage(name):
                yield
        finally:
            self.milliseconds[name] = round((self.means.seconds() - started) * 1000, 3)

    def closing(self, ended: _Ended) -> Closing:
        """Write down the whole life."""
        serving, route, gate, context = self.serving, self.route, self.gate, self.context
        return Closing(
            outcome=ended.outcome,
            failure=ended.failure,
            citations=ended.citations,
            cause=ended.cause,
            version=serving.version if serving else None,
            routing_policy=serving.routing_policy.name if serving else None,
            calibration=asdict(serving.calibration) if serving else {},
            route=route.reason if route else None,
            route_rule=route.rule if route else None,
            strength=gate.strength if gate else None,
            read_as=tuple(each.part.searched for each in self.searched),
            lacking=tuple(part.lacking or "" for part in gate.parts) if gate else (),
            context=tuple(found.passage.passage_id for found in context.found) if context else (),
            candidates=context.candidates if context else (),
            drafts=tuple(self.drafts),
            opinions=tuple(self.opinions),
            stage_milliseconds=dict(self.milliseconds),
            closed_at=self.means.now(),
        )


def _begun(asked: Asked, means: Means) -> _Life:
    return _Life(asked, means, Agreements(compare=means.compare, compute=means.compute))


async def _search(life: _Life, serving: Serving, question: str) -> PolicyContext:
    """Search every part of what is asked in the one version that serves this attempt."""
    asked = life.asked
    parts = split_question(question, earlier=asked.earlier_questions)
    searches = (
        life.means.searcher.search(
            tenant=asked.tenant,
            segments=asked.segments,
            question=part.searched,
            as_of=asked.as_of,
            version=serving.version,
        )
        for part in parts
    )
    contexts = tuple(result.context for result in await all_or_none(searches))
    life.searched = tuple(Searched(part=part, context=each) for part, each in zip(parts, contexts, strict=True))
    return join_contexts(contexts, bounds=serving.routing_policy.bounds)


async def _route(life: _Life, serving: Serving) -> Route:
    asked, policy = life.asked, serving.routing_policy
    # All patterns over ten thousand characters take a third of a second.
    return await life.means.compute(
        lambda: route_question(asked.masked_question, policy=policy, signed_facts=asked.facts)
    )


async def _judge(life: _Life, serving: Serving) -> Gate:
    asked = life.asked
    facts = Facts(signed=asked.facts, typed=asked.typed_facts, segments=asked.segments)
    return await life.means.compute(lambda: judge(life.searched, policy=serving.routing_policy, facts=facts))


async def _write(life: _Life, serving: Serving, gate: Gate) -> Climbed:
    """Let the writers try; what none of them may see is not in the brief."""
    means, policy = life.means, serving.routing_policy

    async def check(written: Written, brief: Brief) -> Verdict:
        async def judged(vouched: frozenset[int]) -> Verdict:
            return await life.agreements.checked(
                lambda agree: validate(
                    written.draft,
                    brief=brief,
                    bounds=policy.bounds,
                    claim_overlap=policy.thresholds.claim_overlap,
                    templates=TEMPLATES,
                    agree=agree,
                    vouched=vouched,
                )
            )

        tenant, spend = life.asked.tenant, life.opinions.append
        return await settle(written.draft, judged, opinion=means.second_opinion, tenant=tenant, spend=spend)

    led = (led_by_evidence(each.context, part.evidence) for each, part in zip(life.searched, gate.parts, strict=True))
    context = life.context = join_contexts(tuple(led), bounds=policy.bounds)
    brief = make_brief(
        life.asked.masked_question,
        language=life.asked.language,
        context=context,
        evidence=tuple(part.evidence for part in gate.parts),
        new_handle=means.new_handle,
    )
    earlier = led_up(life.asked.earlier_questions, (each.part for each in life.searched))
    brief = replace(brief, bounds=policy.bounds, earlier=earlier)
    writer = means.writer if suits_a_model(brief) else means.fallback
    fallback = means.fallback if policy.writer_fallback or writer is means.fallback else None
    live = Live(hear=partial(_show_beginning, life, policy), has_shown=lambda: bool(life.shown))
    ladder = Ladder(
        writer=writer,
        fallback=fallback,
        seconds_left=means.left,
        live=live if policy.mode == "verified_sentences" else None,
    )
    return await climb_down(brief, ladder=ladder, judge=check, keep=life.drafts.append)


async def _show_beginning(life: _Life, policy: RoutingPolicy, brief: Brief, draft: Draft) -> None:
    """Show what passed of a draft that is still growing, if it is more than before and not withdrawn meanwhile."""
    passed = await life.agreements.checked(
        lambda agree: passed_beginning(
            draft,
            brief=brief,
            bounds=policy.bounds,
            claim_overlap=policy.thresholds.claim_overlap,
            templates=TEMPLATES,
            agree=agree,
        )
    )
    parts = () if passed is None else released_parts(passed, note=_note(life.asked))
    if passed is None or len(parts) <= len(life.shown) or _in_conflict(life, passed):
        return
    if await _is_current(life, passed):
        citations = released_citations(passed, attempt_id=life.asked.attempt_id)
        fresh = parts[len(life.shown) :]
        life.shown = parts
        life.means.show(Shown(parts=fresh, citations=tuple(each.view for each in citations)))


def _in_conflict(life: _Life, answer: ValidatedAnswer) -> bool:
    """Tell whether something cited is known to disagree with another policy in force."""
    cited = ((each.passage.passage_id, each.start, each.end) for each in answer.citations)
    return life.context is not None and find_conflict(cited, life.context.conflicts) is not None


async def _is_current(life: _Life, answer: ValidatedAnswer) -> bool:
    cited = sorted({citation.passage.passage_id for citation in answer.citations})
    return await life.means.searcher.still_current(tenant=life.asked.tenant, passage_ids=cited)


def _refuse(life: _Life, serving: Serving, refusal: Refusal) -> _Ended:
    if life.shown:
        raise TakenBackError(refusal.cause or refusal.reason)
    outcome = refused(
        refusal.reason,
        language=life.asked.language,
        handoff=serving.routing_policy.handoff[refusal.reason],
        missing_facts=refusal.missing_facts,
        suggestions=_suggestions(life, serving, refusal),
    )
    return _Ended(outcome=outcome, cause=refusal.cause)


def _suggestions(life: _Life, serving: Serving, refusal: Refusal) -> tuple[Suggestion, ...]:
    if refusal.cases:
        asked = life.asked
        known = serving.routing_policy.case_facts
        return suggest_open_cases(asked.masked_question, refusal.cases, language=asked.language, known=known)
    if refusal.reason is RefusalReason.MISSING_BUSINESS_FACT:
        passages = (found.passage for each in life.searched for found in each.context.found)
        known = {**life.asked.typed_facts}
        return suggest_cases(life.asked.masked_question, passages, missing_facts=refusal.missing_facts, known=known)
    # What was withdrawn since the search is named no more, its heading included.
    if refusal.reason is RefusalReason.NO_AUTHORIZED_EVIDENCE and refusal.cause is not RefusalCause.NOT_IN_FORCE:
        return suggest_sections(life.searched, language=life.asked.language, policy=serving.routing_policy)
    return ()


def _release(life: _Life, serving: Serving, gate: Gate, answer: ValidatedAnswer) -> _Ended:
    """Put the dated note of another day first, and offer what a part that was not covered lacks."""
    asked = life.asked
    parts = released_parts(answer, note=_note(asked))
    if parts[: len(life.shown)] != life.shown:
        raise TakenBackError(RefusalCause.UNSUPPORTED_DRAFT)
    missing = Refusal(reason=RefusalReason.MISSING_BUSINESS_FACT, missing_facts=gate.missing_facts, cases=gate.cases)
    outcome = answered(
        parts,
        coverage=answer.coverage,
        missing_facts=gate.missing_facts,
        suggestions=_suggestions(life, serving, missing) if gate.missing_facts or gate.cases else (),
    )
    return _Ended(outcome=outcome, citations=released_citations(answer, attempt_id=asked.attempt_id))


def _note(asked: Asked) -> str | None:
    return None if asked.as_of == asked.today else as_of_note(asked.as_of, asked.language)


def _routed(reason: RefusalReason, route: Route) -> Refusal:
    """Refuse without a search; what holds no word finds nothing."""
    if reason is RefusalReason.NO_AUTHORIZED_EVIDENCE:
        return _no_evidence(RefusalCause.NOTHING_RETRIEVED)
    return Refusal(reason=reason, missing_facts=route.missing_facts)


def _no_evidence(cause: RefusalCause) -> Refusal:
    return Refusal(reason=RefusalReason.NO_AUTHORIZED_EVIDENCE, cause=cause)


def _unwritten(climbed: Climbed) -> Refusal:
    """Tell a draft that was rejected from a writer that found nothing to say."""
    return _no_evidence(RefusalCause.UNSUPPORTED_DRAFT if climbed.faults else RefusalCause.BELOW_THRESHOLD)
