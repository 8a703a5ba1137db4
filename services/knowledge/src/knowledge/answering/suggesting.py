"""Offers next questions with one tap: the cases a missing fact distinguishes, or the nearest sections."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from contracts.answers import Suggestion
from contracts.reasons import Language
from knowledge.answering.cases import OTHERWISE, facts_for, spoken_cases
from knowledge.answering.judgement import Searched
from knowledge.answering.matters import matter_of, speaks_of
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.sufficiency import holder_of
from knowledge.answering.told_by_act import treating_as_a_whole
from knowledge.answering.weighing import strength_of
from knowledge.retrieval.passage import Found, Passage
from knowledge.versions.routing_policy import CaseFact, RoutingPolicy

MOST_SUGGESTIONS = 3
_LONGEST_VALUE = 20
_LONGEST_LABEL = 80
# A value is named after a copula ("状态是“已发货”", "the status "dispatched""); other quotes name buttons and pages.
_QUOTED = re.compile(r"(?:是|为|状态|\bstatus|\bis)\s*[“\"「]([^”\"」]{1,20})[”\"」]")
_SECTION_QUESTION: Mapping[Language, str] = {
    "zh": "《{title}》里“{heading}”是怎么规定的？",
    "en": "What does “{title}” say about “{heading}”?",
}

_CASE_QUESTION: Mapping[Language, str] = {"zh": "{question}（{case}）", "en": "{question} ({case})"}


def suggest_cases(
    question: str, passages: Iterable[Passage], *, missing_facts: tuple[str, ...], known: Mapping[str, str]
) -> tuple[Suggestion, ...]:
    """Offer the values a rule names in quotes as answers to the one fact it depends on."""
    if len(missing_facts) != 1:
        return ()
    values = dict.fromkeys(
        value for passage in passages if missing_facts[0] in passage.requires_facts for value in _values(passage)
    )
    return tuple(
        Suggestion(label=value, question=question, facts={**known, missing_facts[0]: value})
        for value in [*values][:MOST_SUGGESTIONS]
    )


def suggest_open_cases(
    question: str, cases: Sequence[str], *, language: Language, known: Sequence[CaseFact] = ()
) -> tuple[Suggestion, ...]:
    """Offer the question again with each case that it depends on, also as the fact that tells them apart.

    A case is called as the customer would call it, and stays in the fact what its record says. Beside a single case the
    customer may say that it is none of these.
    """
    facts = facts_for(cases, known)
    offers = [
        (said, dict.fromkeys(facts, case))
        for said, case in zip(spoken_cases(cases, known, language), cases, strict=True)
    ]
    offers += [(OTHERWISE[language], {})] * (len(cases) == 1)
    return tuple(
        Suggestion(
            label=said[:1].upper() + said[1:],
            question=_CASE_QUESTION[language].format(question=question.strip(), case=said),
            facts=told,
        )
        for said, told in offers[:MOST_SUGGESTIONS]
    )


def suggest_sections(
    searched: Iterable[Searched], *, language: Language, policy: RoutingPolicy
) -> tuple[Suggestion, ...]:
    """Offer the sections nearest to the question, those nearest to what is asked about first; what the customer may see anyway."""
    weighed = [
        (_distance(found, each.part), -strength_of(found, each, policy), found.passage)
        for each in searched
        for found in each.context.found
    ]
    near = sorted((one for one in weighed if -one[1] >= policy.thresholds.refuse_below), key=lambda one: one[:2])
    headings = dict.fromkeys((passage.title, _heading(passage)) for *_, passage in near)
    offers = [_section(title, heading, language) for title, heading in headings]
    return tuple(offers[:MOST_SUGGESTIONS])


def _distance(found: Found, part: QuestionPart) -> tuple[bool, bool, bool]:
    """Order sections: what names the matter, what treats it, by whoever does it, and what holds the kind of fact asked for."""
    matter, holds = matter_of(part), holder_of(part.text)
    return (
        not speaks_of(found.passage, matter),
        not treating_as_a_whole([found], matter),
        holds is not None and not holds(found.passage.text),
    )


def _values(passage: Passage) -> Iterator[str]:
    return (value.strip() for value in _QUOTED.findall(passage.text) if 0 < len(value.strip()) <= _LONGEST_VALUE)


def _heading(passage: Passage) -> str:
    return passage.heading_path[-1] if passage.heading_path else passage.title


def _section(title: str, heading: str, language: Language) -> Suggestion:
    label = heading if heading == title else f"{title}：{heading}" if language == "zh" else f"{title}: {heading}"
    question = _SECTION_QUESTION[language].format(title=title, heading=heading)
    return Suggestion(label=label[:_LONGEST_LABEL], question=question, facts={})
