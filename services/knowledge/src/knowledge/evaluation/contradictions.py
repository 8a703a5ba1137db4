"""Lists sentences of one version that seem to disagree, before any customer asks.

A version of some thousand passages is compared as a whole; of a larger one only passages under headings with the same
words, and a heading that very many share says too little to be compared. Two passages that were compared for an earlier
version are not compared again, and the list ends. What it does not list refuses no answer: a conflict is one that its
owners can look at and dismiss.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from math import ceil
from typing import Final
from uuid import UUID

from contracts.service_token import PUBLIC_SEGMENT
from knowledge.answering.cases import named_case
from knowledge.answering.conflict import SAME_BUT_NEGATED, SAME_CHARACTERS, SAME_SUBJECT, Said, contradict, said
from knowledge.answering.folding import fold
from knowledge.answering.wording import terms_of
from knowledge.ingestion.sentences import Span, split_sentences
from knowledge.versions.version import MOST_CONFLICTS

MOST_HEADINGS: Final = 50_000
_MOST_UNDER_ONE_HEADING: Final = 30
_MOST_PASSAGES: Final = 2_000
# Sentences made after one pattern all share their words: a version of them takes two seconds so far, and not minutes.
_MOST_COMPARED: Final = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Headed:
    """A passage by its last heading, or by the title where it has none. `is_new` says that no version before held it."""

    passage_id: UUID
    document: UUID
    language: str
    priority: int
    heading: str
    is_new: bool
    segments: str = ""
    """Who may see it, by segments and commas; nothing stands for everybody."""
    applies_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A passage with its text and days; None is an open side, the last day is included."""

    headed: Headed
    text: str
    effective_from: date | None
    effective_to: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two sentences by their places."""

    passage_id: UUID
    span: Span
    other_passage_id: UUID
    other_span: Span


@dataclass(frozen=True, slots=True)
class _Sentence:
    span: Span
    text: str
    said: Said


def comparable(headings: Iterable[Headed]) -> list[tuple[Headed, ...]]:
    """Group passages that may be compared: of several documents, of one language and priority, one of them new."""
    listed = tuple(headings)
    groups: dict[tuple[str, int, frozenset[str]], list[Headed]] = defaultdict(list)
    for headed in listed:
        words = frozenset[str]() if len(listed) <= _MOST_PASSAGES else _words(headed.heading)
        if words or len(listed) <= _MOST_PASSAGES:
            groups[headed.language, headed.priority, words].append(headed)
    fresh = (group for group in groups.values() if any(each.is_new for each in group))
    several = (tuple(group) for group in fresh if len({each.document for each in group}) > 1)
    return list(_bounded(sorted(several, key=len), is_whole=len(listed) <= _MOST_PASSAGES))


def contradictions(groups: Iterable[Sequence[Spoken]], *, most: int = MOST_CONFLICTS) -> list[Contradiction]:
    """List sentences that seem to disagree: one pair of any two passages, so many at most."""
    return list(islice((found for group in groups for found in _within(group)), most))


def _bounded(groups: Iterable[tuple[Headed, ...]], *, is_whole: bool) -> Iterator[tuple[Headed, ...]]:
    passages = 0
    for group in groups:
        if not is_whole and len(group) > _MOST_UNDER_ONE_HEADING:
            return
        passages += len(group)
        if passages > _MOST_PASSAGES:
            return
        yield group


def _words(heading: str) -> frozenset[str]:
    """Collect words and single characters; pairs of characters would tell one order of words from another."""
    return frozenset(term for term in terms_of(heading) if len(term) == 1 or term.isascii())


def _within(group: Sequence[Spoken]) -> Iterator[Contradiction]:
    """Compare sentences that share a rare word of their subjects: any two that are alike enough do.

    Sentences are known by their numbers, and those of passages that were compared before meet new ones alone.
    """
    read = [(place, sentence) for place, spoken in enumerate(group) for sentence in _sentences(spoken)]
    frequency = Counter(term for _, sentence in read for term in sentence.said.subject)
    known: dict[str, list[int]] = defaultdict(list)
    fresh: dict[str, list[int]] = defaultdict(list)
    told: set[tuple[int, int]] = set()
    compared = 0
    for number, (place, sentence) in enumerate(read):
        keys = _keys(sentence.said, frequency)
        is_new = group[place].headed.is_new
        met = known if is_new else fresh
        for other_number in dict.fromkeys(each for key in keys for each in met.get(key, ())):
            compared += 1
            if compared > _MOST_COMPARED:
                return
            other_place, other = read[other_number]
            pair = other_place, place
            if pair not in told and _disagree(group[other_place], other, group[place], sentence):
                told.add(pair)
                yield _contradiction(group[other_place], other, group[place], sentence)
        for key in keys:
            known[key].append(number)
            if is_new:
                fresh[key].append(number)


def _keys(said: Said, frequency: Mapping[str, int]) -> frozenset[str]:
    """Give the rarest terms, so many that two sentences alike enough to contradict share one of them.

    Those that may differ in a quantity meet under its kind, those that may say yes and no under none.
    """
    keys = {f":{term}" for term in _rarest(said.subject, frequency, SAME_BUT_NEGATED)}
    if said.quantities:
        kinds = ",".join(quantity.kind for quantity in said.quantities)
        terms = _rarest(said.subject, frequency, SAME_SUBJECT)
        characters = _rarest(said.characters, frequency, SAME_CHARACTERS)
        keys |= {f"{kinds}:{term}" for term in (*terms, *characters)}
    return frozenset(keys)


def _rarest(terms: frozenset[str], frequency: Mapping[str, int], alike: float) -> list[str]:
    ordered = sorted(terms, key=lambda term: (frequency[term], term))
    return ordered[: len(ordered) - ceil(alike * len(ordered)) + 1]


def _disagree(one: Spoken, sentence: _Sentence, other: Spoken, other_sentence: _Sentence) -> bool:
    if one.headed.document == other.headed.document or sentence.text == other_sentence.text:
        return False
    return contradict(sentence.said, other_sentence.said) and _worth_comparing(one, other)


def _contradiction(one: Spoken, sentence: _Sentence, other: Spoken, other_sentence: _Sentence) -> Contradiction:
    return Contradiction(
        passage_id=one.headed.passage_id,
        span=sentence.span,
        other_passage_id=other.headed.passage_id,
        other_span=other_sentence.span,
    )


def _sentences(spoken: Spoken) -> list[_Sentence]:
    spans = split_sentences(spoken.text)
    texts = [(span, spoken.text[span.start : span.end]) for span in spans]
    return [_Sentence(span, text, said(spoken.headed.heading, text)) for span, text in texts]


def _worth_comparing(one: Spoken, other: Spoken) -> bool:
    return _meet(one, other) and _share_readers(one.headed, other.headed) and _share_cases(one.headed, other.headed)


def _meet(one: Spoken, other: Spoken) -> bool:
    """Say whether there is a day on which both are in force."""
    begins = max(one.effective_from or date.min, other.effective_from or date.min)
    return begins <= min(one.effective_to or date.max, other.effective_to or date.max)


def _share_readers(one: Headed, other: Headed) -> bool:
    """Say whether some customer sees both."""
    ours, theirs = _segments(one), _segments(other)
    return PUBLIC_SEGMENT in ours | theirs or not ours or not theirs or bool(ours & theirs)


def _segments(headed: Headed) -> set[str]:
    return {segment for segment in headed.segments.split(",") if segment}


def _share_cases(one: Headed, other: Headed) -> bool:
    """Say whether both may apply to one case: only names of two cases keep rules apart, sentences may well overlap."""
    case, other_case = named_case(one.applies_to), named_case(other.applies_to)
    return case is None or other_case is None or fold(case) == fold(other_case)
