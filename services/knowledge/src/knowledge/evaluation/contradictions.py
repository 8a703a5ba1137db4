"""Lists sentences of one version that seem to disagree, before any customer asks.

What is new in a version is compared with all that it holds, as long as it is no more than some thousand passages; of
more only passages under headings with the same words, and a heading that very many share says too little to be compared.
Two passages that were compared for an earlier version are not compared again, and the list ends. Which sentences of two
passages are listed depends on these two alone, so that a version has one list whatever it was built on. What it does not list
refuses no answer: a conflict is one that its owners can look at and dismiss.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Final
from uuid import UUID

from contracts.service_token import PUBLIC_SEGMENT
from knowledge.answering.cases import named_case
from knowledge.answering.conflict import Heard, hear, read
from knowledge.answering.folding import fold
from knowledge.answering.wording import terms_of
from knowledge.evaluation.disagreeing import Numbering, Sentence, disagreeing
from knowledge.ingestion.sentences import Span, split_sentences
from knowledge.versions.version import MOST_CONFLICTS

# What was compared under another name is compared anew.
COMPARER: Final = "subjects-1"
MOST_NEW: Final = 4_000
MOST_HEADINGS: Final = 50_000
_MOST_UNDER_ONE_HEADING: Final = 30
_MOST_PASSAGES: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Headed:
    """A passage by its last heading, or by the title where it has none. `is_new` says that it was not compared before."""

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
class _Heard:
    """A sentence of a group: the place of its passage there, and its own in that."""

    place: int
    span: Span
    text: str
    sentence: Heard

    @property
    def kinds(self) -> tuple[str, ...]:
        """Name the kinds of its quantities."""
        return tuple(quantity.kind for quantity in self.sentence.quantities)


def together(headings: Iterable[Headed]) -> list[tuple[Headed, ...]]:
    """Group passages that are compared with each other: of several documents, of one language and priority, one of them new."""
    groups: dict[tuple[str, int], list[Headed]] = defaultdict(list)
    for headed in headings:
        groups[headed.language, headed.priority].append(headed)
    return _worthwhile(groups.values())


def by_headings(headings: Iterable[Headed]) -> list[tuple[Headed, ...]]:
    """Group them by the words of their headings as well, the smallest groups first, until there are too many."""
    groups: dict[tuple[str, int, frozenset[str]], list[Headed]] = defaultdict(list)
    for headed in headings:
        if words := _words(headed.heading):
            groups[headed.language, headed.priority, words].append(headed)
    return list(_bounded(sorted(_worthwhile(groups.values()), key=len)))


def contradictions(
    groups: Iterable[Iterable[Spoken]],
    *,
    most: int = MOST_CONFLICTS,
    listed: Collection[frozenset[UUID]] = frozenset(),
) -> list[Contradiction]:
    """List sentences that seem to disagree: one pair of any two passages that are not listed yet, so many at most."""
    told = set(listed)
    return list(islice((found for group in groups for found in _within(group, told)), most))


def _worthwhile(groups: Iterable[Sequence[Headed]]) -> list[tuple[Headed, ...]]:
    fresh = (group for group in groups if any(each.is_new for each in group))
    return [tuple(group) for group in fresh if len({each.document for each in group}) > 1]


def _bounded(groups: Iterable[tuple[Headed, ...]]) -> Iterator[tuple[Headed, ...]]:
    passages = 0
    for group in groups:
        passages += len(group)
        if len(group) > _MOST_UNDER_ONE_HEADING or passages > _MOST_PASSAGES:
            return
        yield group


def _words(heading: str) -> frozenset[str]:
    """Collect words and single characters; pairs of characters would tell one order of words from another."""
    return frozenset(term for term in terms_of(heading) if len(term) == 1 or term.isascii())


def _within(group: Iterable[Spoken], told: set[frozenset[UUID]]) -> Iterator[Contradiction]:
    held: list[Spoken] = []
    heard: list[_Heard] = []
    for spoken in group:
        heard.extend(_Heard(len(held), span, text, sentence) for span, text, sentence in _sentences(spoken))
        held.append(spoken)
    compared = _worth_reading(heard)
    read_once = _read(held, compared)
    places = _places(compared)
    for first, second in disagreeing(read_once):
        one, other = sorted((compared[first].place, compared[second].place), key=lambda at: held[at].headed.passage_id)
        pair = frozenset({held[one].headed.passage_id, held[other].headed.passage_id})
        if pair not in told and _worth_comparing(held[one], held[other]):
            told.add(pair)
            ours, theirs = _first_of(places[one], places[other], read_once)
            yield _contradiction(held[one], compared[ours].span, held[other], compared[theirs].span)


def _places(compared: Sequence[_Heard]) -> dict[int, list[int]]:
    """Say which of the sentences each passage holds."""
    places: dict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(compared):
        places[each.place].append(number)
    return places


def _first_of(ours: Sequence[int], theirs: Sequence[int], sentences: Sequence[Sentence]) -> tuple[int, int]:
    """Give of all sentences of two passages that disagree the first ones, whatever else they were compared with."""
    numbers = [*ours, *theirs]
    found = disagreeing([replace(sentences[number], is_new=True) for number in numbers])
    first, second = min(found)
    return numbers[first], numbers[second]


def _worth_reading(heard: Sequence[_Heard]) -> list[_Heard]:
    """Leave out what nothing can disagree with: nobody else has quantities of its kinds, and nobody denies anything."""
    kinds = Counter(each.kinds for each in heard)
    signs = {each.sentence.is_negated for each in heard}
    return [each for each in heard if len(signs) > 1 or (each.kinds and kinds[each.kinds] > 1)]


def _read(held: Sequence[Spoken], heard: Sequence[_Heard]) -> list[Sentence]:
    numbering = Numbering()
    headed = [held[each.place].headed for each in heard]
    return [
        numbering.sentence(read(each.sentence), text=each.text, document=of.document, is_new=of.is_new)
        for each, of in zip(heard, headed, strict=True)
    ]


def _contradiction(one: Spoken, span: Span, other: Spoken, other_span: Span) -> Contradiction:
    return Contradiction(
        passage_id=one.headed.passage_id,
        span=span,
        other_passage_id=other.headed.passage_id,
        other_span=other_span,
    )


def _sentences(spoken: Spoken) -> Iterator[tuple[Span, str, Heard]]:
    for span in split_sentences(spoken.text):
        text = spoken.text[span.start : span.end]
        yield span, text, hear(spoken.headed.heading, text)


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
