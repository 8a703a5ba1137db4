"""Tells the cases apart that rules are limited to: "月付套餐" here, "年付套餐" there, or readers of two kinds.

A question that names one of them is answered from its rules. One that names none, where the rules say different things,
is asked back: a guess would be right for one customer and wrong for the next. A rule for one case goes before one for all
that says otherwise, for a customer who is known to be in it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

from contracts.reasons import Language
from contracts.service_token import PUBLIC_SEGMENT
from knowledge.answering.choosing import Chosen
from knowledge.answering.conflict import said, say_otherwise
from knowledge.answering.evidence import written_in
from knowledge.answering.wording import terms_of
from knowledge.retrieval.glossary import spoken_as, translations
from knowledge.retrieval.passage import Found, Passage
from knowledge.versions.routing_policy import CaseFact

_LONGEST_CASE: Final = 40
# What a record says is a name; a sentence comes from the text itself and limits the whole of it.
_IS_SENTENCE: Final = re.compile(r"[。.;；!！?？,，]")
_FULL_STOPS: Final = "。.；; "
# What a customer may be offered beside a single case, and then says.
OTHERWISE: Final[Mapping[Language, str]] = {"zh": "其他情况", "en": "none of these"}
# Rules without quantities say the same when the shorter one's words stand in the other as well.
_SAME_WORDS: Final = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What may name a case: texts, of which the first that names one counts, and the values of facts."""

    texts: tuple[str, ...]
    facts: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """One way in which rules are parted into cases.

    `cases_of` names those that a passage is limited to, none where it holds for all; `known` are those the tenant lists;
    `is_sure` says that every case so named is the customer's.
    """

    cases_of: Callable[[Passage], tuple[str, ...]]
    known: Sequence[CaseFact]
    is_sure: bool = False


def partings(known: Sequence[CaseFact], segments: Iterable[str]) -> tuple[Parting, ...]:
    """Give the ways in which rules are parted for a customer: by what their records limit them to, and by their readers."""
    held = frozenset(segments)

    def by_record(passage: Passage) -> tuple[str, ...]:
        case = case_of(passage, known)
        return () if case is None else (case,)

    def by_readers(passage: Passage) -> tuple[str, ...]:
        return _readers(passage, known, held)

    return Parting(cases_of=by_record, known=known), Parting(cases_of=by_readers, known=known, is_sure=True)


def case_of(passage: Passage, known: Sequence[CaseFact] = ()) -> str | None:
    """Give the case a passage is limited to by its record; None where it is not. What the tenant lists may be a sentence."""
    first = (passage.applies_to or "").partition("\n")[0].strip()
    return first if any(first in each.values for each in known) else named_case(passage.applies_to)


def named_case(applies_to: str | None) -> str | None:
    """Give the name of a case that a limit begins with; None where it is a sentence, or there is none."""
    first = (applies_to or "").partition("\n")[0].strip()
    return first if 0 < len(first) <= _LONGEST_CASE and not _IS_SENTENCE.search(first) else None


def share_a_case(one: Passage, other: Passage, known: Sequence[CaseFact]) -> bool:
    """Tell whether the records of two passages leave a case to which both apply."""
    cases = {case_of(each, known) for each in (one, other)}
    return None in cases or len(cases) == 1


def facts_for(cases: Sequence[str], known: Sequence[CaseFact]) -> tuple[str, ...]:
    """Give the key of the tenant's list whose values are these cases; nothing where the list has none."""
    return tuple(each.fact for each in known if set(cases) <= set(each.values))[:1]


def spoken_cases(cases: Sequence[str], known: Sequence[CaseFact], language: Language) -> tuple[str, ...]:
    """Give each case as a customer of a language calls it: a record names it once, in the language of its document."""
    return tuple(_spoken(case, _with_siblings(cases, known), known, language) for case in cases)


def told(facts: Mapping[str, str], known: Sequence[CaseFact]) -> str:
    """Give the values of facts that tell cases apart, to be read as if the question said them."""
    return " ".join(facts[each.fact] for each in known if facts.get(each.fact) in each.values)


def fitting(naming: Naming, found: Sequence[Found], parting: Parting) -> tuple[Found, ...]:
    """Leave out what is limited to another case than those that the question names."""
    limits = [frozenset(parting.cases_of(each.passage)) for each in found]
    named = _named_among((each.passage for each in found), naming, parting)
    is_named = bool(named) or (not parting.is_sure and _names_none(naming))
    return tuple(each for each, limit in zip(found, limits, strict=True) if not (is_named and limit) or limit & named)


def open_cases(naming: Naming, chosen: Sequence[Chosen], parting: Parting) -> tuple[str, ...]:
    """Give the cases of sentences that answer differently, where the question names none; else nothing.

    One case beside a rule for all is a choice as well, unless it is known to be the customer's.
    """
    limited = [each for each in chosen if parting.cases_of(each.passage)]
    cases = _cases((each.passage for each in limited), parting)
    if not cases or _named(naming, _with_siblings(cases, parting.known), parting.known):
        return ()
    if len(cases) == 1:
        general = [each for each in chosen if each not in limited]
        pairs = ((one, other) for one in limited for other in general)
        parted = not parting.is_sure and any(says_otherwise(*pair, question=naming.texts[0]) for pair in pairs)
    else:
        parted = any(_differ(one, other, parting) for one, other in combinations(limited, 2))
    return cases if parted else ()


def is_special(naming: Naming, chosen: Chosen, among: Iterable[Passage], parting: Parting) -> bool:
    """Tell whether a rule is limited to a case, one that is known to be the customer's: surely, or by the question."""
    cases = parting.cases_of(chosen.passage)
    return bool(cases) and (parting.is_sure or not _named_among(among, naming, parting).isdisjoint(cases))


def says_otherwise(one: Chosen, other: Chosen, *, question: str) -> bool:
    """Tell whether something that one says to a question is said otherwise by the other."""
    asked = terms_of(question)
    return any(say_otherwise(ours, theirs, asked=asked) for ours in one.texts for theirs in other.texts)


def _readers(passage: Passage, known: Sequence[CaseFact], held: frozenset[str]) -> tuple[str, ...]:
    """Name the readers of a passage among whom this customer is; a rule for everybody is limited to nobody."""
    if PUBLIC_SEGMENT in passage.audience:
        return ()
    return tuple(_reader(each, passage.language, known) for each in passage.audience if each in held)


def _reader(segment: str, language: Language, known: Sequence[CaseFact]) -> str:
    """Name a segment's readers as the tenant does, in the language of the rule where it has a name in that."""
    names = [each.audiences[segment] for each in known if segment in each.audiences] or [segment]
    return next((name for name in names if written_in(name) == language), names[0])


def _named_among(passages: Iterable[Passage], naming: Naming, parting: Parting) -> frozenset[str]:
    cases = _cases(passages, parting)
    return frozenset(_named(naming, _with_siblings(cases, parting.known), parting.known))


def _spoken(case: str, among: Sequence[str], known: Sequence[CaseFact], language: Language) -> str:
    """Give the first word of a language that names this case and no other; its own name where there is none."""
    own = case.rstrip(_FULL_STOPS)
    if written_in(own) == language:
        return own
    words = (*_other_words(case, known), *filter(None, [spoken_as(own)]))
    fitting = (each for each in words if written_in(each) == language)
    return next((each for each in fitting if _named(Naming(texts=(each,)), among, known) == (case,)), own)


def _names_none(naming: Naming) -> bool:
    return any(each in naming.texts[0] for each in OTHERWISE.values())


def _cases(passages: Iterable[Passage], parting: Parting) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case for passage in passages for case in parting.cases_of(passage)))


def _with_siblings(cases: Sequence[str], known: Sequence[CaseFact]) -> tuple[str, ...]:
    """Add what the tenant lists beside these cases: a question about lamps is not one about furniture."""
    siblings = (value for each in known if set(cases) & set(each.values) for value in each.values)
    return tuple(dict.fromkeys((*cases, *siblings)))


def _named(naming: Naming, cases: Sequence[str], known: Sequence[CaseFact]) -> tuple[str, ...]:
    """Give the cases of which the first text that names one, or a fact, holds a word that the others do not have.

    Whoever asks about another case than their own is told that one alone: a fact counts where no text names a sibling.
    """
    words = {case: terms_of("\n".join((case, *_other_words(case, known)))) for case in cases}
    by_texts = (_held(text, words) for text in naming.texts)
    asked = frozenset(next((held for held in by_texts if held), ()))
    of_facts = (case for case in _held(naming.facts, words) if asked.isdisjoint(_with_siblings((case,), known)))
    named = asked.union(of_facts)
    return tuple(case for case in cases if case in named)


def _other_words(case: str, known: Sequence[CaseFact]) -> tuple[str, ...]:
    return tuple(word for each in known for word in each.words.get(case, ()))


def _held(text: str, words: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Name the cases of which a text, or what its words mean in the other language, holds a word of their own."""
    asked = terms_of(text)
    meant = asked.union(chain.from_iterable(translations(asked).values()))
    shared = frozenset[str]().union(*(one & other for one, other in combinations(words.values(), 2)))
    return tuple(case for case, own in words.items() if meant & (own - shared))


def _differ(one: Chosen, other: Chosen, parting: Parting) -> bool:
    """Tell whether rules of different cases answer differently; what holds for a case of both parts nobody."""
    if set(parting.cases_of(one.passage)) & set(parting.cases_of(other.passage)):
        return False
    ours, theirs = said("", one.text), said("", other.text)
    if ours.is_negated != theirs.is_negated:
        return True
    values = [sorted((each.kind, each.value) for each in read.quantities) for read in (ours, theirs)]
    return values[0] != values[1] or (not values[0] and not _say_the_same(ours.subject, theirs.subject))


def _say_the_same(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return len(ours & theirs) >= _SAME_WORDS * min(len(ours), len(theirs))
