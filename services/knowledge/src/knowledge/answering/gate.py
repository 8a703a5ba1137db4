"""Decides what may be answered: per question part, from calibrated scores, metadata and what the sentences lack.

Three bands of evidence strength: below `refuse_below` nothing is there, from `answer_from` the evidence is strong, and in
between the embedded default refuses and offers the nearest sections. Weak signals inside the strong band (a passage on
the topic without the fact that is asked for) put a part into the middle one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.reasons import EvidenceStrength, RefusalCause, RefusalReason
from knowledge.answering.bare_questions import whole_answer
from knowledge.answering.cases import (
    Naming,
    Parting,
    facts_for,
    fitting,
    is_special,
    open_cases,
    partings,
    says_otherwise,
    share_a_case,
    told,
)
from knowledge.answering.choosing import Chosen, Limits, choose_sentences, coverage, question_terms
from knowledge.answering.conflict import disagree, find_conflict
from knowledge.answering.draft import PartEvidence
from knowledge.answering.evidence import MOST_CONSIDERED, evidence_score, written_in
from knowledge.answering.general_questions import carried, is_general
from knowledge.answering.matters import asks_how, matter_of, says, says_of_another, speaks_of, tells_how, treats
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.sufficiency import holder_of, measure_of, missing_signal
from knowledge.answering.told_by_act import (
    holds_for_goods,
    is_told_by_act,
    of_no_other_thing,
    treating_as_a_whole,
    under_no_other_thing,
)
from knowledge.retrieval.passage import Found, Passage, PolicyContext
from knowledge.versions.conflicts import KnownConflict
from knowledge.versions.routing_policy import RoutingPolicy

_NO_SENTENCE = "a quotable sentence"
_ITS_WORDS = "words of the question"
_ITS_MATTER = "what is asked about"
_NEARLY_AS_STRONG = 0.8
_SPEAKS_AS_WELL = 0.8
_STRENGTHS: tuple[EvidenceStrength, ...] = ("low", "medium", "high")
# What refuses the whole when no part is covered: the reason that helps the customer most comes first.
_REASONS = (
    RefusalReason.CONFLICTING_POLICY,
    RefusalReason.MISSING_BUSINESS_FACT,
    RefusalReason.HUMAN_DECISION_REQUIRED,
    RefusalReason.NO_AUTHORIZED_EVIDENCE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A question part with what its own search found."""

    part: QuestionPart
    context: PolicyContext
    named: str = ""
    """The cases that facts name."""
    is_typed: bool = False
    """Whether one of them is only what the customer typed."""
    partings: tuple[Parting, ...] = ()
    """How rules are parted into cases for this customer."""

    @property
    def naming(self) -> Naming:
        """Give what may name a case: the part itself before what it leans on, and facts."""
        part = self.part
        return Naming(texts=(part.text, *reversed(part.leans_on), part.searched), facts=self.named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a part, or the whole, is not answered. `cause` is for staff only."""

    reason: RefusalReason
    cause: RefusalCause | None = None
    missing_facts: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    """What the customer may be asked back: the cases that lead to different answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the gate says of one question part. `refusal` is None when the part may be answered."""

    evidence: PartEvidence
    strength: EvidenceStrength
    refusal: Refusal | None
    lacking: str | None = None
    """What the chosen sentences do not hold although the question asks for it."""
    conflict: KnownConflict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the customer's case: signed facts count, typed ones only make an answer conditional.

    `segments` are the audiences that the customer is in.
    """

    signed: Mapping[str, str]
    typed: Mapping[str, str]
    segments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The judgements of all question parts, in their order."""

    parts: tuple[Judgement, ...]

    @property
    def refusal(self) -> Refusal | None:
        """Give what refuses the whole; None when at least one part may be answered."""
        refusals = [part.refusal for part in self.parts if part.refusal is not None]
        if len(refusals) < len(self.parts):
            return None
        return min(refusals, key=lambda refusal: _REASONS.index(refusal.reason))

    @property
    def strength(self) -> EvidenceStrength:
        """Give the strength of the weakest part that is answered, or of the strongest when none is."""
        covered = [_STRENGTHS.index(part.strength) for part in self.parts if part.refusal is None]
        return _STRENGTHS[min(covered) if covered else max(_STRENGTHS.index(part.strength) for part in self.parts)]

    @property
    def missing_facts(self) -> tuple[str, ...]:
        """List the facts that parts lack, in the order of the parts."""
        refusals = (part.refusal for part in self.parts if part.refusal is not None)
        return tuple(dict.fromkeys(fact for refusal in refusals for fact in refusal.missing_facts))

    @property
    def cases(self) -> tuple[str, ...]:
        """List the cases that parts depend on, in the order of the parts."""
        refusals = (part.refusal for part in self.parts if part.refusal is not None)
        return tuple(dict.fromkeys(case for refusal in refusals for case in refusal.cases))


def judge(searched: Iterable[Searched], *, policy: RoutingPolicy, facts: Facts) -> Gate:
    """Judge every question part by itself. A signed fact that tells cases apart counts as if the question named the case."""
    named, ways = told(facts.signed, policy.case_facts), partings(policy.case_facts, facts.segments)
    return Gate(parts=tuple(_judge(replace(each, named=named, partings=ways), policy, facts) for each in searched))


def strength_of(found: Found, searched: Searched, policy: RoutingPolicy) -> float:
    """Weigh a found passage as evidence for its question part."""
    language, question = found.passage.language, searched.part.searched
    return evidence_score(found.scores, language=language, question=question, weights=policy.weights)


def _judge(searched: Searched, policy: RoutingPolicy, facts: Facts) -> Judgement:
    if not searched.context.found:
        return _refused(searched, "low", _unsupported(RefusalCause.NOTHING_RETRIEVED))
    searched = _treating(searched)
    considered = searched.context.found[:MOST_CONSIDERED]
    strongest = max((strength_of(found, searched, policy) for found in considered), default=0.0)
    if strongest < policy.thresholds.refuse_below:
        return _refused(searched, "low", _unsupported(RefusalCause.BELOW_THRESHOLD))
    if strongest < policy.thresholds.answer_from and _is_told_by_act(searched):
        about = of_no_other_thing(searched.context.found)
        return _judge_strong(replace(searched, context=replace(searched.context, found=about)), policy, facts)
    if strongest < policy.thresholds.answer_from and not _is_confirmed(searched, policy):
        return _refused(searched, "medium", _unsupported(RefusalCause.BELOW_THRESHOLD))
    return _judge_strong(searched, policy, facts)


def _judge_strong(searched: Searched, policy: RoutingPolicy, facts: Facts) -> Judgement:
    """Let the strongest passage decide whose sentences hold what is asked for; without one the part stays weak."""
    lacking: str | None = None
    answers: list[tuple[Found, Chosen]] = []
    for found in _strong(searched, policy):
        chosen = _choose(searched, found.passage, policy)
        lacks = _lacks(searched, chosen, policy)
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


def _is_confirmed(searched: Searched, policy: RoutingPolicy) -> bool:
    """Tell whether the best evidence of the middle band holds the kind of fact that is asked for.

    In another language words cannot speak for it, so that the right sentence often stays there; a time, a number or an
    amount is the same in every language. In the same language the clause has to say it of the act that is asked about.
    """
    part = searched.part
    best = max(searched.context.found[:MOST_CONSIDERED], key=lambda found: strength_of(found, searched, policy))
    chosen = _choose(searched, best.passage, policy)
    if chosen is None:
        return False
    if best.passage.language == written_in(part.searched):
        holds = holder_of(part.text)
        return holds is not None and says(chosen.text, matter_of(part), holds)
    measures = measure_of(part.text)
    return measures is not None and measures(chosen.text)


def _lacks(searched: Searched, chosen: Chosen | None, policy: RoutingPolicy) -> str | None:
    if chosen is None:
        return _NO_SENTENCE
    lacking = missing_signal(searched.part.text, chosen)
    if lacking is not None:
        return lacking
    matter, holds = matter_of(searched.part), holder_of(searched.part.text)
    if not treats(chosen, matter) or (holds is not None and says_of_another(chosen.text, matter, holds)):
        return _ITS_MATTER
    if _is_told_by_act(searched):
        return None if holds_for_goods(searched.part, chosen.text) else _ITS_MATTER
    return None if _is_covered(searched, chosen, policy) else _ITS_WORDS


def _treating(searched: Searched) -> Searched:
    """Leave out passages that nowhere treat what is asked to be done, where others do."""
    matter, found = matter_of(searched.part), searched.context.found
    kept = tuple(each for each in found if speaks_of(each.passage, matter))
    if _is_told_by_act(searched):
        kept = under_no_other_thing(treating_as_a_whole(kept, matter) or kept)
    elif not kept:
        return searched
    return replace(searched, context=replace(searched.context, found=kept))


def _is_told_by_act(searched: Searched) -> bool:
    return is_told_by_act(searched.part, searched.context.found)


def _is_covered(searched: Searched, chosen: Chosen, policy: RoutingPolicy) -> bool:
    """Tell whether what is chosen carries enough of the question with its headings; across languages words tell nothing."""
    passage, question, thresholds = chosen.passage, searched.part.searched, policy.thresholds
    if passage.language != written_in(question):
        return True
    terms = question_terms(question, searched.context.term_idf)
    text = "\n".join((passage.title, *passage.heading_path, chosen.text))
    if is_general(searched.part) and carried(question, terms, text) < thresholds.covered_in_general:
        return False
    return not thresholds.covered or coverage(terms, text) >= thresholds.covered


def _open_cases(searched: Searched, policy: RoutingPolicy) -> tuple[str, ...]:
    """Give the cases that answer differently, of which the customer named none."""
    chosen = [_choose(searched, found.passage, policy) for found in _of_any_case(searched, policy)]
    answers = [each for each in chosen if each is not None and _lacks(searched, each, policy) is None]
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
    nearly = 0.0 if _is_told_by_act(searched) else _NEARLY_AS_STRONG * max(scores, default=0.0)
    floor = max(policy.thresholds.refuse_below, nearly)
    return tuple(found for found, score in zip(first, scores, strict=True) if score >= floor)


def _led_by(searched: Searched, best: Found, *, without: Sequence[Found]) -> Searched:
    others = (found for found in searched.context.found if found is not best and found not in without)
    return replace(searched, context=replace(searched.context, found=(best, *others)))


def _choose(searched: Searched, passage: Passage, policy: RoutingPolicy) -> Chosen | None:
    """Choose the sentences that would be quoted for a part if it were the only one."""
    bounds = policy.bounds
    limits = Limits(quotes=bounds.citations_per_answer, quote_characters=bounds.quote_characters)
    holds = holder_of(searched.part.text)
    return choose_sentences(
        searched.part.searched,
        passage,
        idf=searched.context.term_idf,
        limits=limits,
        holds=holds,
        answers=whole_answer(searched.part),
    )


def _unsupported(cause: RefusalCause) -> Refusal:
    return Refusal(reason=RefusalReason.NO_AUTHORIZED_EVIDENCE, cause=cause)


def _refused(searched: Searched, strength: EvidenceStrength, refusal: Refusal) -> Judgement:
    return Judgement(evidence=_evidence(searched, (), conditional=False), strength=strength, refusal=refusal)


def _evidence(searched: Searched, found: tuple[Found, ...], *, conditional: bool) -> PartEvidence:
    return PartEvidence(
        question_part=searched.part.text, searched=searched.part.searched, found=found, conditional=conditional
    )
