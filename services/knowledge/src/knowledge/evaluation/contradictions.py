"""Lists sentences of one version that seem to disagree, before any customer asks.

It is a hint for people, bounded on purpose: only passages under headings with the same words are compared, a heading
that very many share says too little to be compared, and the list ends at a hundred. Two passages that were compared
for an earlier version are not compared again. What it does not list may still disagree; the answering of questions
looks again at what it would quote.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice
from typing import Final
from uuid import UUID

from knowledge.answering.conflict import Said, contradict, said
from knowledge.answering.wording import terms_of
from knowledge.ingestion.sentences import Span, split_sentences

MOST_HEADINGS: Final = 50_000
_MOST_UNDER_ONE_HEADING: Final = 30
_MOST_PASSAGES: Final = 2_000
MOST_HINTS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Headed:
    """A passage by its last heading, or by the title where it has none. `is_new` says that no version before held it."""

    passage_id: UUID
    document: UUID
    language: str
    priority: int
    heading: str
    is_new: bool


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
    """Group passages that stand under the same words in several documents of one language and priority.

    A group has at least one new passage.
    """
    groups: dict[tuple[str, int, frozenset[str]], list[Headed]] = defaultdict(list)
    for headed in headings:
        words = _words(headed.heading)
        if words:
            groups[headed.language, headed.priority, words].append(headed)
    fresh = (group for group in groups.values() if any(each.is_new for each in group))
    several = (tuple(group) for group in fresh if len({each.document for each in group}) > 1)
    small = sorted((group for group in several if len(group) <= _MOST_UNDER_ONE_HEADING), key=len)
    kept: list[tuple[Headed, ...]] = []
    passages = 0
    for group in small:
        passages += len(group)
        if passages > _MOST_PASSAGES:
            break
        kept.append(group)
    return kept


def contradictions(groups: Iterable[Sequence[Spoken]]) -> list[Contradiction]:
    """List sentences that seem to disagree: one pair of any two passages, a hundred at most."""
    return list(islice((found for group in groups for found in _within(group)), MOST_HINTS))


def _words(heading: str) -> frozenset[str]:
    """Collect words and single characters; pairs of characters would tell one order of words from another."""
    return frozenset(term for term in terms_of(heading) if len(term) == 1 or term.isascii())


def _within(group: Sequence[Spoken]) -> Iterator[Contradiction]:
    sentences = {each.headed.passage_id: _sentences(each) for each in group}
    for one, other in combinations(group, 2):
        if not _worth_comparing(one, other):
            continue
        ids = one.headed.passage_id, other.headed.passage_id
        found = _first(sentences[ids[0]], sentences[ids[1]])
        if found is not None:
            yield Contradiction(passage_id=ids[0], span=found[0], other_passage_id=ids[1], other_span=found[1])


def _first(ours: Sequence[_Sentence], theirs: Sequence[_Sentence]) -> tuple[Span, Span] | None:
    for one in ours:
        for other in theirs:
            if one.text != other.text and contradict(one.said, other.said):
                return one.span, other.span
    return None


def _sentences(spoken: Spoken) -> list[_Sentence]:
    spans = split_sentences(spoken.text)
    texts = [(span, spoken.text[span.start : span.end]) for span in spans]
    return [_Sentence(span, text, said(spoken.headed.heading, text)) for span, text in texts]


def _worth_comparing(one: Spoken, other: Spoken) -> bool:
    if one.headed.document == other.headed.document or not (one.headed.is_new or other.headed.is_new):
        return False
    return _meet(one, other)


def _meet(one: Spoken, other: Spoken) -> bool:
    """Say whether there is a day on which both are in force."""
    begins = max(one.effective_from or date.min, other.effective_from or date.min)
    return begins <= min(one.effective_to or date.max, other.effective_to or date.max)
