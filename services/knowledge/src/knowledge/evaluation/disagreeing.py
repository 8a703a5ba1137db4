"""Says which of very many sentences disagree: all pairs that do, without looking at each pair there is.

Two disagree when they speak of the same subject in nearly the same words, and either differ in one quantity of one kind
or say yes and no. Each sentence asks an index which others hold its terms; counting them gives the exact likeness.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from knowledge.answering.conflict import Said

# Measured with bench/conflicts.py: translations, siblings and successive laws stay below these.
SAME_SUBJECT: Final = 0.76
SAME_BUT_NEGATED: Final = 0.85
SAME_CHARACTERS: Final = 0.74
FEWEST_CHARACTERS: Final = 8

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NONE: Final[Numbers] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as it is compared: its words, its text and its document by numbers, its quantities by their values.

    Only sentences of one `kind` can differ in one quantity: theirs are of the same kinds, and they name the same
    numbered things, since line 17 is not line 16 however alike the rest is. None has no quantity.
    """

    document: int
    text: int
    subject: Numbers
    characters: Numbers
    values: tuple[float, ...]
    kind: int | None
    is_negated: bool
    is_new: bool


class Numbering:
    """Gives everything a number, equal things the same one."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        """Begin at zero."""
        self._known: dict[object, int] = {}

    def sentence(self, said: Said, *, text: str, document: object, is_new: bool) -> Sentence:
        """Bring what a sentence says to numbers."""
        kinds = tuple(quantity.kind for quantity in said.quantities)
        return Sentence(
            document=self._of(document),
            text=self._of(("text", text)),
            subject=self._all(said.subject),
            characters=self._all(said.characters),
            values=tuple(quantity.value for quantity in said.quantities),
            kind=self._of((kinds, said.numbered)) if kinds else None,
            is_negated=said.is_negated,
            is_new=is_new,
        )

    def _of(self, thing: object) -> int:
        return self._known.setdefault(thing, len(self._known))

    def _all(self, terms: frozenset[str]) -> Numbers:
        return np.fromiter((self._of(term) for term in terms), dtype=np.int64, count=len(terms))


def disagreeing(sentences: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
    """Give pairs that disagree by their places, the lower one first: at least one of the two is new."""
    kinds: dict[int, list[int]] = defaultdict(list)
    signs: dict[bool, list[int]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        signs[sentence.is_negated].append(number)
        if sentence.kind is not None:
            kinds[sentence.kind].append(number)
    by_kind = {kind: _Kind(sentences, numbers) for kind, numbers in kinds.items() if len(numbers) > 1}
    by_sign = {is_negated: _Group(sentences, numbers) for is_negated, numbers in signs.items()}
    for number, sentence in enumerate(sentences):
        if sentence.is_new:
            kind = None if sentence.kind is None else by_kind.get(sentence.kind)
            differing = set[int]() if kind is None else kind.differing(number, sentence)
            sign = by_sign.get(not sentence.is_negated)
            denying = set[int]() if sign is None else sign.same(number, sentence)
            yield from ((min(other, number), max(other, number)) for other in sorted(differing | denying))


class _Index:
    """Which of some sets hold a term, in their order."""

    __slots__ = ("_holders", "_sizes", "_terms")

    def __init__(self, sets: Sequence[Numbers]) -> None:
        self._sizes: Numbers = np.fromiter((len(each) for each in sets), dtype=np.int64, count=len(sets))
        flat = np.concatenate([_NONE, *sets])
        order = np.argsort(flat, kind="stable")
        self._terms: Numbers = flat[order]
        self._holders: Numbers = np.repeat(np.arange(len(sets)), self._sizes)[order]

    def alike(self, terms: Numbers, limit: float, *, fewest: int = 1) -> Flags:
        """Say which sets share at least this part of all terms of both with these; too small ones are like nobody."""
        if len(terms) < fewest:
            return np.zeros(len(self._sizes), dtype=np.bool_)
        begins, ends = np.searchsorted(self._terms, terms), np.searchsorted(self._terms, terms, side="right")
        holders = [self._holders[begin:end] for begin, end in zip(begins, ends, strict=True)]
        shared = np.bincount(np.concatenate([_NONE, *holders]), minlength=len(self._sizes))
        return (shared / (self._sizes + len(terms) - shared) >= limit) & (self._sizes >= fewest)


class _Group:
    """Some sentences by their places in the whole."""

    __slots__ = ("_documents", "_new", "_numbers", "_subjects", "_texts")

    def __init__(self, sentences: Sequence[Sentence], numbers: Sequence[int]) -> None:
        members = [sentences[number] for number in numbers]
        self._numbers: Numbers = np.array(numbers, dtype=np.int64)
        self._documents: Numbers = np.array([each.document for each in members], dtype=np.int64)
        self._texts: Numbers = np.array([each.text for each in members], dtype=np.int64)
        self._new: Flags = np.array([each.is_new for each in members], dtype=np.bool_)
        self._subjects = _Index([each.subject for each in members])

    def same(self, number: int, sentence: Sentence) -> set[int]:
        """List those that say as good as the same as a sentence, but for yes and no."""
        alike = self._subjects.alike(sentence.subject, SAME_BUT_NEGATED)
        return set(self._numbers[alike & self._others(number, sentence)].tolist())

    def _others(self, number: int, sentence: Sentence) -> Flags:
        """Say which a new sentence is compared with: each pair once, of two documents, in other words."""
        once = ~self._new | (self._numbers < number)
        return once & (self._documents != sentence.document) & (self._texts != sentence.text)


class _Kind(_Group):
    """Sentences of one kind."""

    __slots__ = ("_characters", "_values")

    def __init__(self, sentences: Sequence[Sentence], numbers: Sequence[int]) -> None:
        super().__init__(sentences, numbers)
        self._values = np.array([sentences[number].values for number in numbers])
        self._characters = _Index([sentences[number].characters for number in numbers])

    def differing(self, number: int, sentence: Sentence) -> set[int]:
        """List those of the same subject as a sentence that differ from it in one quantity."""
        one = (self._values != np.array(sentence.values)).sum(axis=1) == 1
        others = one & self._others(number, sentence)
        if not others.any():
            return set()
        alike = self._subjects.alike(sentence.subject, SAME_SUBJECT)
        # Another order of the same words has other pairs of characters, but the same characters.
        alike |= self._characters.alike(sentence.characters, SAME_CHARACTERS, fewest=FEWEST_CHARACTERS)
        return set(self._numbers[others & alike].tolist())
