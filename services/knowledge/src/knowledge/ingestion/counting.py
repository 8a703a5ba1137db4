"""Counts in how many passages each term stands by what changed since a version that is counted already."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from knowledge.ingestion.analyser import term_id
from knowledge.ingestion.indexing import passage_terms
from knowledge.ingestion.jobs import PendingPassage

# Beyond this share counting everything in the database is as fast as analysing what changed again.
_LARGEST_SHARE: Final = 0.1
_ALWAYS: Final = 200
_MOST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Passages that can serve in one of two versions only, beside the number of the version counted before."""

    base: int
    added: tuple[PendingPassage, ...]
    removed: tuple[PendingPassage, ...]


def worth_comparing(passages: int) -> int:
    """Say how many passages of a version may differ for its terms to be counted by what changed."""
    return min(max(_ALWAYS, int(passages * _LARGEST_SHARE)), _MOST)


def changed_frequencies(difference: Difference) -> dict[int, int]:
    """Give by how much the number of passages with each term has grown or shrunk; terms without a change are absent."""
    counted: Counter[int] = Counter(_terms(difference.added))
    counted.subtract(_terms(difference.removed))
    return {term: change for term, change in counted.items() if change}


def _terms(passages: Iterable[PendingPassage]) -> Iterable[int]:
    for passage in passages:
        yield from {term_id(term) for term in passage_terms(passage.title, passage.heading_path, passage.text)}
