"""Weighs what was found for one question part: how strong it is as evidence, and what its sentences lack to answer."""

from dataclasses import replace

from knowledge.answering.bare_questions import whole_answer
from knowledge.answering.choosing import Chosen, Limits, choose_sentences, coverage, question_terms
from knowledge.answering.evidence import MOST_CONSIDERED, evidence_score, written_in
from knowledge.answering.general_questions import carried, is_general
from knowledge.answering.judgement import Searched
from knowledge.answering.matters import matter_of, says, says_of_another, speaks_of, treats
from knowledge.answering.sufficiency import holder_of, measure_of, missing_signal
from knowledge.answering.told_by_act import holds_for_goods, is_told_by_act, treating_as_a_whole, under_no_other_thing
from knowledge.retrieval.passage import Found, Passage
from knowledge.versions.routing_policy import RoutingPolicy

_NO_SENTENCE = "a quotable sentence"
_ITS_WORDS = "words of the question"
_ITS_MATTER = "what is asked about"


def strength_of(found: Found, searched: Searched, policy: RoutingPolicy) -> float:
    """Weigh a found passage as evidence for its question part."""
    language, question = found.passage.language, searched.part.searched
    return evidence_score(found.scores, language=language, question=question, weights=policy.weights)


def is_confirmed(searched: Searched, policy: RoutingPolicy) -> bool:
    """Tell whether the best evidence of the middle band holds the kind of fact that is asked for.

    In another language words cannot speak for it, so that the right sentence often stays there; a time, a number or an
    amount is the same in every language. In the same language the clause has to say it of the act that is asked about.
    """
    part = searched.part
    best = max(searched.context.found[:MOST_CONSIDERED], key=lambda found: strength_of(found, searched, policy))
    chosen = choose(searched, best.passage, policy)
    if chosen is None:
        return False
    if best.passage.language == written_in(part.searched):
        holds = holder_of(part.text)
        return holds is not None and says(chosen.text, matter_of(part), holds)
    measures = measure_of(part.text)
    return measures is not None and measures(chosen.text)


def lack_of(searched: Searched, chosen: Chosen | None, policy: RoutingPolicy) -> str | None:
    """Name what chosen sentences lack to answer a part; None when they may answer it."""
    if chosen is None:
        return _NO_SENTENCE
    lacking = missing_signal(searched.part.text, chosen)
    if lacking is not None:
        return lacking
    matter, holds = matter_of(searched.part), holder_of(searched.part.text)
    if not treats(chosen, matter) or (holds is not None and says_of_another(chosen.text, matter, holds)):
        return _ITS_MATTER
    if is_told_by_act(searched.part, searched.context.found):
        return None if holds_for_goods(searched.part, chosen.text) else _ITS_MATTER
    return None if _is_covered(searched, chosen, policy) else _ITS_WORDS


def treating(searched: Searched) -> Searched:
    """Leave out passages that nowhere treat what is asked to be done, where others do."""
    matter, found = matter_of(searched.part), searched.context.found
    kept = tuple(each for each in found if speaks_of(each.passage, matter))
    if is_told_by_act(searched.part, searched.context.found):
        kept = under_no_other_thing(treating_as_a_whole(kept, matter) or kept)
    elif not kept:
        return searched
    return replace(searched, context=replace(searched.context, found=kept))


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


def choose(searched: Searched, passage: Passage, policy: RoutingPolicy) -> Chosen | None:
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
