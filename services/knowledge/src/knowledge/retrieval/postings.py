"""Ranks passages by words from postings in memory: which passages hold a term, and what it weighs in each.

Both are facts of a version that never change. Whether a passage may serve is no such fact and is never kept here: the
database decides it for every question.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

_LOWER: Final = (1 << 64) - 1
_WORD: Final = 64
# Postgres's binary form of an array: twenty bytes about it, then each element after its length.
_ABOUT: Final = 20
_IDS: Final = np.dtype([("length", ">i4"), ("upper", ">u8"), ("lower", ">u8")])
_IMPACTS: Final = np.dtype([("length", ">i4"), ("impact", ">f4")])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Postings:
    """The passages of one term: both halves of their ids, in the order of the lower ones, and its impact in each."""

    upper: NDArray[np.uint64]
    lower: NDArray[np.uint64]
    impact: NDArray[np.float32]

    @property
    def size(self) -> int:
        """Say how many bytes they take."""
        return self.upper.nbytes + self.lower.nbytes + self.impact.nbytes


NONE: Final = Postings(upper=np.empty(0, np.uint64), lower=np.empty(0, np.uint64), impact=np.empty(0, np.float32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Passages, best first, with their scores."""

    ids: list[str]
    scores: list[float]
    rest: Mapping[int, float]
    """Terms that were not at hand and are still to be added."""
    is_complete: bool
    """Whether every passage that holds any term is among them."""


class PostingMemory:
    """Keeps the postings of versions up to so many bytes; what was not used for longest goes first."""

    def __init__(self, *, most_bytes: int) -> None:
        """Start empty."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._held: OrderedDict[tuple[str, int, int], Postings] = OrderedDict()

    def of(self, tenant: str, version: int, terms: Iterable[int]) -> dict[int, Postings]:
        """Give what is known of these terms in a version."""
        found: dict[int, Postings] = {}
        for term in terms:
            key = (tenant, version, term)
            if (postings := self._held.get(key)) is not None:
                self._held.move_to_end(key)
                found[term] = postings
        return found

    def keep(self, tenant: str, version: int, fresh: Mapping[int, Postings]) -> None:
        """Remember postings that were read when their version could serve already: nothing comes to it any more."""
        for term, postings in fresh.items():
            known = self._held.pop((tenant, version, term), None)
            self._bytes += postings.size - (known.size if known else 0)
            self._held[tenant, version, term] = postings
        while self._bytes > self._most_bytes:
            _, oldest = self._held.popitem(last=False)
            self._bytes -= oldest.size


def read_postings(passages: bytes, impacts: bytes) -> Postings:
    """Read two arrays in Postgres's binary form: of ids, and of numbers in the same order."""
    ids = np.frombuffer(passages, _IDS, offset=_ABOUT)
    lower = ids["lower"].astype(np.uint64)
    order = np.argsort(lower)
    numbers = np.frombuffer(impacts, _IMPACTS, offset=_ABOUT)["impact"].astype(np.float32)
    return Postings(upper=ids["upper"].astype(np.uint64)[order], lower=lower[order], impact=numbers[order])


def rank(
    weighed: Mapping[int, float], postings: Mapping[int, Postings], *, leading: frozenset[int], most: int
) -> Ranking | None:
    """Take the best of the passages that hold a leading term, each with the weight of all terms that are at hand.

    None when a leading term is not at hand, or two ids cannot be told apart by their lower halves.
    """
    led = [(term, idf) for term, idf in weighed.items() if term in leading]
    if not led or any(term not in postings for term, _ in led):
        return None
    lower = np.concatenate([postings[term].lower for term, _ in led])
    upper = np.concatenate([postings[term].upper for term, _ in led])
    weights = np.concatenate([postings[term].impact.astype(np.float64) * idf for term, idf in led])
    # Each part is in order already, which a stable sort makes use of; and a sum is taken in the order of the terms.
    order = np.argsort(lower, kind="stable")
    lower, upper = lower[order], upper[order]
    is_first = np.concatenate(([True], lower[1:] != lower[:-1]))[: len(lower)]
    if not np.array_equal(upper[1:][~is_first[1:]], upper[:-1][~is_first[1:]]):
        return None
    first = np.flatnonzero(is_first)
    sums = np.add.reduceat(weights[order], first) if len(first) else weights
    best = _best(sums, upper[first], lower[first], most)
    upper, lower = upper[first][best.at], lower[first][best.at]
    others = [(term, idf) for term, idf in weighed.items() if term not in leading]
    added = _sums(lower, upper, [(postings[term], idf) for term, idf in others if term in postings])
    return Ranking(
        ids=[f"{high:016x}{low:016x}" for high, low in zip(upper.tolist(), lower.tolist(), strict=True)],
        scores=(best.scores + added).tolist(),
        rest={term: idf for term, idf in others if term not in postings},
        is_complete=not others and len(best.at) < most,
    )


def weigh(
    ids: Sequence[UUID], weighed: Mapping[int, float], postings: Mapping[int, Postings]
) -> dict[UUID, float] | None:
    """Give the BM25 of these passages; None when a term is not at hand."""
    if any(term not in postings for term in weighed):
        return None
    upper = np.array([each.int >> _WORD for each in ids], dtype=np.uint64)
    lower = np.array([each.int & _LOWER for each in ids], dtype=np.uint64)
    sums = _sums(lower, upper, [(postings[term], idf) for term, idf in weighed.items()])
    return dict(zip(ids, sums.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    at: NDArray[np.intp]
    scores: NDArray[np.float64]


def _best(scores: NDArray[np.float64], upper: NDArray[np.uint64], lower: NDArray[np.uint64], most: int) -> _Best:
    """Choose the highest scores, ties by id."""
    kept = np.arange(len(scores))
    if len(scores) > most:
        kept = np.flatnonzero(scores >= np.partition(scores, -most)[-most])
    order = np.lexsort((lower[kept], upper[kept], -scores[kept]))[:most]
    return _Best(kept[order], scores[kept[order]])


def _sums(
    lower: NDArray[np.uint64], upper: NDArray[np.uint64], terms: Sequence[tuple[Postings, float]]
) -> NDArray[np.float64]:
    """Add up what each term weighs in these passages."""
    sums = np.zeros(len(lower))
    for postings, idf in terms:
        if not len(postings.lower):
            continue
        at = np.searchsorted(postings.lower, lower)
        at[at == len(postings.lower)] = 0
        is_held = (postings.lower[at] == lower) & (postings.upper[at] == upper)
        sums += np.where(is_held, postings.impact[at].astype(np.float64) * idf, 0.0)
    return sums
