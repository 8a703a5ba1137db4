"""Alike passages have numbers in common, and unlike ones practically never."""

import random

import pytest

from knowledge.ingestion.analyser import count_terms, terms
from knowledge.ingestion.likeness import ALIKE, bands_of, likeness

_WORDS = [f"word{number}" for number in range(3_000)]


def _text(seed: int, *, words: int = 60) -> list[str]:
    return random.Random(seed).sample(_WORDS, words)  # noqa: S311 - no secret


def _meet(one: list[str], other: list[str]) -> bool:
    return bool({*enumerate(bands_of(count_terms(one)))} & {*enumerate(bands_of(count_terms(other)))})


def test_nearly_equal_passages_meet_and_others_do_not() -> None:
    pairs = [(_text(seed), _text(seed)) for seed in range(100)]
    for one, other in pairs:
        other[0] = f"{one[0]}x"
    strangers = [(_text(seed), _text(seed + 1_000)) for seed in range(100)]

    assert all(_meet(*pair) for pair in pairs)
    assert sum(_meet(*pair) for pair in strangers) == 0


def test_numbers_are_the_same_in_every_process_and_order() -> None:
    passage = terms("七天内可以无理由退货，运费由商家承担，食品和鲜花除外。")

    assert bands_of(count_terms(passage)) == bands_of(count_terms(reversed(passage)))
    assert bands_of(count_terms(passage))[0] == -7925143686825449314


def test_a_passage_of_few_words_meets_nobody() -> None:
    assert bands_of(count_terms(["a", "b", "c"])) == ()


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("运费十元。", "运费十元。", True),
        ("", "", True),
        ("**运费**由商家承担，七天内到账。", "运费由商家承担，七天内到账。", True),
        ("运费由商家承担，七天内到账。", "运费由买家承担，三天内到账。", False),
        ("Refunds take five days.", "Gift cards never expire.", False),
    ],
)
def test_likeness_measures_shared_terms(one: str, other: str, *, alike: bool) -> None:
    assert (likeness(one, other) >= ALIKE) is alike
