"""Decides what may be answered: per question part, from calibrated scores, metadata and what the sentences lack.

Three bands of evidence strength: below `refuse_below` nothing is there, from `answer_from` the evidence is strong, and in
between the embedded default refuses and offers the nearest sections. Weak signals inside the strong band (a passage on
the topic without the fact that is asked for) put a part into the middle one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from contracts.reasons import EvidenceStrength, RefusalCause, RefusalReason
from knowledge.answering.cases import (
    facts_for,
    fitting,
    is_special,
    open_cases,
    partings,
    says_otherwise,
    share_a_case,
    told,
)
from knowledge.answering.choosing import Chosen
from knowledge.answering.conflict import disagree, find_conflict
from knowledge.answering.draft import PartEvidence
from knowledge.answering.evidence import MOST_CONSIDERED, written_in
from knowledge.answering.judgement import Facts, Gate, Judgement, Refusal, Searched
from knowledge.answering.matters import asks_how, matter_of, says, tells_how
from knowledge.answering.sufficiency import holder_of
from knowledge.answering.told_by_act import is_told_by_act, of_no_other_thing
from knowledge.answering.weighing import choose, is_confirmed, lack_of, strength_of, treating
from knowledge.retrieval.passage import Found, Passage
from knowledge.versions.routing_policy import RoutingPolicy

_NEARLY_AS_STRONG = 0.8
_SPEAKS_AS_WELL = 0.8


def judge(searched: Iterable[Searched], *, policy: RoutingPolicy, facts: Facts) -> Gate:
    """Judge every question part by itself. A signed fact that tells cases apart counts as if the question named the case."""
    named, ways = told(facts.signed, policy.case_facts), partings(policy.case_facts, facts.segments)
    return Gate(parts=tuple(_judge(replace(each, named=named, partings=ways), policy, facts) for each in searched))


def _judge(searched: Searched, policy: RoutingPolicy, facts: Facts) -> Judgement:
    if not searched.context.found:
        return _refused(searched, "low", _unsupported(RefusalCause.NOTHING_RETRIEVED))
    searched = treating(searched)
    considered = searched.context.found[:MOST_CONSIDERED]
    strongest = max((strength_of(found, searched, policy) for found in considered), default=0.0)
    if strongest < policy.thresholds.refuse_below:
        return _refused(searched, "low", _unsupported(RefusalCause.BELOW_THRESHOLD))
    if strongest < policy.thresholds.answer_from and is_told_by_act(searched.part, searched.context.found):
        about = of_no_other_thing(searched.context.found)
        return _judge_strong(replace(searched, context=replace(searched.context, found=about)), policy, facts)
    if strongest < policy.thresholds.answer_from and not is_confirmed(searched, policy):
        return _refused(searched, "medium", _unsupported(RefusalCause.BELOW_THRESHOLD))
    return _judge_strong(searched, policy, facts)


def _judge_strong(searched: Searched, policy: RoutingPolicy, facts: Facts) -> Judgement:
    """Let the strongest passage decide whose sentences hold what is asked for; without one the part stays weak."""
    lacking: str | None = None
    answers: list[tuple[Found, Chosen]] = []
    for found in _strong(searched, policy):
        chosen = choose(searched, found.passage, policy)
        lacks = lack_of(searched, chosen, policy)
        if chosen is not None and lacks is None:
            answers.append((found, chosen))
        lacking = lacking or lacks
    if not answers:
        return replace(_refused(searched, "medium", _unsupported(RefusalCause.BELOW_THRESHOLD)), lacking=lacking)
    outranked = [found for found, chosen in answers if _is_outranked(searched, chosen, answers, policy)]
    answers = [(found, chosen) for found, chosen in answers if found not in outranked]
    best, chosen = _best(searched, _saying(searched, answers))
    return _judge_passage(_led_by(searched, best, without=outranked), chosen, policy, facts)


def _best(searched: Searched, answers: Sequence[tuple[Found, Chosen]]) -> tuple[Found, Chosen]:
    """Give the first; across languages, where words put nothing in order, the one whose sentence speaks best."""
    if answers[0][0].passage.language == written_in(searched.part.searched):
        return answers[0]
    return max(answers, key=lambda answer: answer[1].score)


def _saying(searched: Searched, answers: list[tuple[Found, Chosen]]) -> list[tuple[Found, Chosen]]:
    """Keep those that say what is asked for of the act itself, where some do, and not of what goes with it."""
    holds, matter = holder_of(searched.part.text), matter_of(searched.part)
    if not matter.asked:
        return answers
    if holds is None:
        ways = [each for each in answers if tells_how(each[0].passage, matter)]
        return ways if ways and asks_how(searched.part.text) else answers
    return [each for each in answers if any(says(text, matter, holds) for text in each[1].texts)] or answers


def _is_outranked(
    searched: Searched, chosen: Chosen, answers: Sequence[tuple[Found, Chosen]], policy: RoutingPolicy
) -> bool:
    """Tell whether a rule of higher priority, for the same case, says otherwise, or one for the customer's own case."""
    return any(
        _is_ranked_above(rival, chosen, policy) or _is_more_special(searched, rival, chosen) for _, rival in answers
    )


def _is_ranked_above(rival: Chosen, chosen: Chosen, policy: RoutingPolicy) -> bool:
    return (
        rival.passage.priority > chosen.passage.priority
        and share_a_case(rival.passage, chosen.passage, policy.case_facts)
        and any(disagree(one, other) for one in chosen.texts for other in rival.texts)
    )


def _is_more_special(searched: Searched, rival: Chosen, chosen: Chosen) -> bool:
    """Tell whether a rule for a case that is the customer's says otherwise than one that holds for all."""
    among = [found.passage for found in searched.context.found]
    return (
        rival.passage.priority >= chosen.passage.priority
        and rival.score >= _SPEAKS_AS_WELL * chosen.score
        and says_otherwise(rival, chosen, question=searched.part.text)
        and any(
            is_special(searched.naming, rival, among, parting) and not parting.cases_of(chosen.passage)
            for parting in searched.partings
        )
    )


def _open_cases(searched: Searched, policy: RoutingPolicy) -> tuple[str, ...]:
    """Give the cases that answer differently, of which the customer named none."""
    chosen = [choose(searched, found.passage, policy) for found in _of_any_case(searched, policy)]
    answers = [each for each in chosen if each is not None and lack_of(searched, each, policy) is None]
    speaking = [each for each in answers if each.score >= _SPEAKS_AS_WELL * answers[0].score]
    opened = (open_cases(searched.naming, speaking, parting) for parting in searched.partings)
    return next((cases for cases in opened if cases), ())


def _of_any_case(searched: Searched, policy: RoutingPolicy) -> tuple[Found, ...]:
    """Give the passages whose case may be meant: a weaker one than could be answered from shows that there is another."""
    floor = policy.thresholds.refuse_below
    return _fitting(
        searched, [found for found in searched.context.found if strength_of(found, searched, policy) >= floor]
    )


def _fitting(searched: Searched, found: Sequence[Found]) -> tuple[Found, ...]:
    kept = tuple(found)
    for parting in searched.partings:
        kept = fitting(searched.naming, kept, parting)
    return kept


def _judge_passage(searched: Searched, chosen: Chosen, policy: RoutingPolicy, facts: Facts) -> Judgement:
    if chosen.passage.decision == "human":
        return _refused(searched, "high", Refusal(reason=RefusalReason.HUMAN_DECISION_REQUIRED))
    unsigned = tuple(fact for fact in chosen.passage.requires_facts if fact not in facts.signed)
    if any(fact not in facts.typed for fact in unsigned):
        missing = Refusal(reason=RefusalReason.MISSING_BUSINESS_FACT, missing_facts=unsigned)
        return _refused(searched, "high", missing)
    conflict = find_conflict(chosen.places, searched.context.conflicts)
    if conflict is not None:
        return replace(_refused(searched, "high", Refusal(reason=RefusalReason.CONFLICTING_POLICY)), conflict=conflict)
    if cases := _open_cases(searched, policy):
        typed = told(facts.typed, policy.case_facts)
        if typed and not searched.is_typed:
            named = f"{searched.named} {typed}".lstrip()
            return _judge_strong(replace(searched, named=named, is_typed=True), policy, facts)
        unknown = Refusal(
            reason=RefusalReason.MISSING_BUSINESS_FACT, missing_facts=facts_for(cases, policy.case_facts), cases=cases
        )
        return _refused(searched, "high", unknown)
    plain = tuple(found for found in _strong(searched, policy) if _is_plain(found.passage, facts))
    first = searched.context.found[0]
    others = (found for found in plain if found is not first)
    evidence = _evidence(searched, (first, *others), conditional=bool(unsigned) or searched.is_typed)
    return Judgement(evidence=evidence, strength="high", refusal=None)


def _is_plain(passage: Passage, facts: Facts) -> bool:
    """Tell whether a passage may be quoted without asking for a fact or a person."""
    return passage.decision == "rule" and all(fact in facts.signed for fact in passage.requires_facts)


def _strong(searched: Searched, policy: RoutingPolicy) -> tuple[Found, ...]:
    """Give the passages that may be answered from, once one is strong: those nearly as strong as it, in their order."""
    first = _fitting(searched, searched.context.found)[:MOST_CONSIDERED]
    scores = [strength_of(found, searched, policy) for found in first]
    nearly = (
        0.0 if is_told_by_act(searched.part, searched.context.found) else _NEARLY_AS_STRONG * max(scores, default=0.0)
    )
    floor = max(policy.thresholds.refuse_below, nearly)
    return tuple(found for found, score in zip(first, scores, strict=True) if score >= floor)


def _led_by(searched: Searched, best: Found, *, without: Sequence[Found]) -> Searched:
    others = (found for found in searched.context.found if found is not best and found not in without)
    return replace(searched, context=replace(searched.context, found=(best, *others)))


def _unsupported(cause: RefusalCause) -> Refusal:
    return Refusal(reason=RefusalReason.NO_AUTHORIZED_EVIDENCE, cause=cause)


def _refused(searched: Searched, strength: EvidenceStrength, refusal: Refusal) -> Judgement:
    return Judgement(evidence=_evidence(searched, (), conditional=False), strength=strength, refusal=refusal)


def _evidence(searched: Searched, found: tuple[Found, ...], *, conditional: bool) -> PartEvidence:
    return PartEvidence(
        question_part=searched.part.text, searched=searched.part.searched, found=found, conditional=conditional
    )
