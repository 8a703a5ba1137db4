"""Ranking by postings in memory gives what adding up every posting gives."""

import struct
from collections.abc import Mapping, Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval import postings
from knowledge.retrieval.postings import PostingMemory, Postings, Ranking

_TERMS = (1, 2, 3)


def _array(elements: Sequence[bytes]) -> bytes:
    """Spell an array in Postgres's binary form: dimensions, nulls, type, length, first place, elements."""
    about = struct.pack(">5i", 1, 0, 0, len(elements), 1)
    return about + b"".join(struct.pack(">i", len(each)) + each for each in elements)


def _postings(impacts: Mapping[UUID, float]) -> Postings:
    numbers = [struct.pack(">f", impact) for impact in impacts.values()]
    return postings.read_postings(_array([each.bytes for each in impacts]), _array(numbers))


def _expected(
    held: Mapping[int, Mapping[UUID, float]], weighed: Mapping[int, float], leading: frozenset[int], most: int
) -> list[tuple[UUID, float]]:
    def total(passage: UUID, terms: frozenset[int]) -> float:
        return sum(held[term].get(passage, 0.0) * weighed[term] for term in terms)

    led = {passage for term in leading for passage in held[term]}
    best = sorted(led, key=lambda each: (-total(each, leading), each))[:most]
    return [(each, total(each, frozenset(weighed))) for each in best]


def _pairs(ranking: Ranking | None) -> list[tuple[UUID, float]]:
    assert ranking is not None
    return [(UUID(each), score) for each, score in zip(ranking.ids, ranking.scores, strict=True)]


# Quarters add up exactly, so that equal sums are ties in both ways.
_impacts = st.integers(1, 12).map(lambda quarters: quarters / 4)
_ids = st.integers(0, 40).map(lambda number: UUID(int=(number % 5) << 64 | number))


@given(
    held=st.fixed_dictionaries({term: st.dictionaries(_ids, _impacts) for term in _TERMS}),
    leading=st.sets(st.sampled_from(_TERMS), min_size=1).map(frozenset),
    most=st.integers(1, 8),
)
def test_the_best_are_those_of_the_sum_over_all_terms(
    held: dict[int, dict[UUID, float]], leading: frozenset[int], most: int
) -> None:
    weighed = {1: 2.0, 2: 0.5, 3: 1.0}
    at_hand = {term: _postings(impacts) for term, impacts in held.items()}

    ranking = postings.rank(weighed, at_hand, leading=leading, most=most)

    assert _pairs(ranking) == _expected(held, weighed, leading, most)
    ids = [*{each for impacts in held.values() for each in impacts}, UUID(int=99)]
    assert postings.weigh(ids, weighed, at_hand) == {
        each: sum(held[term].get(each, 0.0) * weighed[term] for term in _TERMS) for each in ids
    }


def test_a_term_that_is_not_at_hand_is_left_to_be_added() -> None:
    one = UUID(int=1)
    at_hand = {1: _postings({one: 1.0})}

    ranking = postings.rank({1: 2.0, 2: 0.5}, at_hand, leading=frozenset({1}), most=5)

    assert _pairs(ranking) == [(one, 2.0)]
    assert ranking is not None
    assert (ranking.rest, ranking.is_complete) == ({2: 0.5}, False)
    assert postings.weigh([one], {1: 2.0, 2: 0.5}, at_hand) is None
    assert postings.rank({1: 2.0, 2: 0.5}, at_hand, leading=frozenset({1, 2}), most=5) is None


@pytest.mark.parametrize(("most", "complete"), [(2, False), (3, True)])
def test_a_ranking_says_whether_nothing_was_left_out(most: int, *, complete: bool) -> None:
    at_hand = {1: _postings({UUID(int=1): 1.0, UUID(int=2): 2.0}), 2: postings.NONE}

    ranking = postings.rank({1: 1.0, 2: 1.0}, at_hand, leading=frozenset({1, 2}), most=most)

    assert ranking is not None
    assert ranking.is_complete == complete


def test_ids_that_only_their_upper_halves_tell_apart_are_not_added_up() -> None:
    at_hand = {1: _postings({UUID(int=1): 1.0, UUID(int=1 << 64 | 1): 1.0})}

    assert postings.rank({1: 1.0}, at_hand, leading=frozenset({1}), most=5) is None


def test_what_was_not_used_for_longest_is_forgotten_first() -> None:
    one = _postings({UUID(int=1): 1.0})
    memory = PostingMemory(most_bytes=2 * one.size)
    memory.keep("shop", 1, {1: one, 2: one})
    memory.keep("shop", 1, {1: one})
    memory.of("shop", 1, [1])

    memory.keep("shop", 1, {3: one})

    assert set(memory.of("shop", 1, [1, 2, 3])) == {1, 3}
    assert memory.of("shop", 2, [1]) == {}
    assert memory.of("other", 1, [1]) == {}
