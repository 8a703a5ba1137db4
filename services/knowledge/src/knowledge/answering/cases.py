"""Tells the cases apart that rules are limited to: "月付套餐" here, "年付套餐" there.

A question that names one of them is answered from its rules. One that names none, where the rules say different things,
is asked back: a guess would be right for one customer and wrong for the next.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from knowledge.answering.choosing import Chosen
from knowledge.answering.conflict import said
from knowledge.answering.wording import terms_of
from knowledge.retrieval.passage import Found, Passage
from knowledge.versions.routing_policy import CaseFact

_LONGEST_CASE: Final = 40
# What a record says is a name; a sentence comes from the text itself and limits the whole of it.
_IS_SENTENCE: Final = re.compile(r"[。.;；!！?？,，]")


def case_of(passage: Passage, known: Sequence[CaseFact] = ()) -> str | None:
    """Give the case a passage is limited to by its record; None where it is not. What the tenant lists may be a sentence."""
    first = (passage.applies_to or "").partition("\n")[0].strip()
    return first if any(first in each.values for each in known) else named_case(passage.applies_to)


def named_case(applies_to: str | None) -> str | None:
    """Give the name of a case that a limit begins with; None where it is a sentence, or there is none."""
    first = (applies_to or "").partition("\n")[0].strip()
    return first if 0 < len(first) <= _LONGEST_CASE and not _IS_SENTENCE.search(first) else None


def facts_for(cases: Sequence[str], known: Sequence[CaseFact]) -> tuple[str, ...]:
    """Give the key of the tenant's list whose values are these cases; nothing where the list has none."""
    return tuple(each.fact for each in known if set(cases) <= set(each.values))[:1]


def told(facts: Mapping[str, str], known: Sequence[CaseFact]) -> str:
    """Give the values of facts that tell cases apart, to be read as if the question said them."""
    return " ".join(facts[each.fact] for each in known if facts.get(each.fact) in each.values)


def fitting(question: str, found: Sequence[Found], known: Sequence[CaseFact] = ()) -> tuple[Found, ...]:
    """Leave out what is limited to another case than those that the question names."""
    named = _named(question, _cases((each.passage for each in found), known))
    if not named:
        return tuple(found)
    return tuple(each for each in found if case_of(each.passage, known) in (None, *named))


def open_cases(question: str, chosen: Sequence[Chosen], known: Sequence[CaseFact] = ()) -> tuple[str, ...]:
    """Give the cases of sentences that answer differently, where the question names none; else nothing."""
    limited = [each for each in chosen if case_of(each.passage, known) is not None]
    cases = _cases((each.passage for each in limited), known)
    if len(cases) < 2 or _named(question, cases):  # noqa: PLR2004 - one case is no choice
        return ()
    answers = {_answer(each) for each in limited}
    return cases if len(answers) > 1 else ()


def _cases(passages: Iterable[Passage], known: Sequence[CaseFact]) -> tuple[str, ...]:
    cases = (case_of(passage, known) for passage in passages)
    return tuple(dict.fromkeys(case for case in cases if case is not None))


def _named(question: str, cases: Sequence[str]) -> tuple[str, ...]:
    """Give the cases of which the question holds a word that the others do not have."""
    asked = terms_of(question)
    shared = frozenset[str]().union(
        *(terms_of(one) & terms_of(other) for one in cases for other in cases if one != other)
    )
    return tuple(case for case in cases if asked & (terms_of(case) - shared))


def _answer(chosen: Chosen) -> tuple[object, ...]:
    """Give what tells one answer from another: its quantities, and whether it says yes or no."""
    read = said("", chosen.text)
    return tuple(sorted((each.kind, each.value) for each in read.quantities)), read.is_negated
