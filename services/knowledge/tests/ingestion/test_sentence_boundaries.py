"""No cut falls into a number, an abbreviation, an address or a list marker, and the pieces make up the text again."""

import itertools
import re
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.sentences import split_sentences

pytestmark = pytest.mark.unit

NUMBERS: Final = (
    "3.5",
    "1,234.56",
    "99.99%",
    "2026.05.01",
    "v3.5.1",
    "¥3.5",
    "$1,000.00",
    "12:30",
    "10.0.0.1",
    "3．5",
    "1.5万",
)
ABBREVIATIONS: Final = ("U.S.", "e.g.", "i.e.", "a.m.", "Mr.", "No. 5", "Sec. 3", "Ph.D.")
ADDRESSES: Final = (
    "https://shop.example/a.b/c?d=1.2",
    "www.shop.example/x.html",
    "help@shop.example.com",
    "shop.example",
)
WHOLE: Final = (*NUMBERS, *ABBREVIATIONS, *(f"{each} " for each in ADDRESSES), "“不退。”，", "……", "等等…")
WORDS: Final = ("商家应当退款", "运费由买家承担", "we pay", "the kettle is red", "refunds are free", "定制除外")
ENDS: Final = ("。", "！", "？", ". ", "! ", "? ", "；", "\n", "\n- ", "\n1. ", "\n（一）", " | ", "：")


def joined(parts: list[str]) -> str:
    return "".join(parts)


TEXTS: Final = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(WHOLE), st.sampled_from(ENDS)), max_size=14
).map(joined)


def cuts(text: str) -> set[int]:
    spans = split_sentences(text)
    return {place for span in spans for place in (span.start, span.end) if 0 < place < len(text)}


@given(TEXTS)
def test_no_cut_falls_into_a_number_or_an_address(text: str) -> None:
    kept = re.compile(r"\d[.,:]\d|https?://[a-z./?=&0-9-]+[a-z0-9]|[a-z.]+@[a-z.]+[a-z]", re.ASCII)

    inside = {place for found in kept.finditer(text) for place in range(found.start() + 1, found.end())}

    assert not cuts(text) & inside


@given(st.sampled_from(WORDS), st.sampled_from(NUMBERS), st.sampled_from(WORDS))
def test_a_number_inside_a_sentence_ends_nothing(before: str, number: str, after: str) -> None:
    assert len(split_sentences(f"{before} {number} {after}")) == 1


@given(st.sampled_from(ABBREVIATIONS))
def test_an_abbreviation_inside_a_sentence_ends_nothing(abbreviation: str) -> None:
    assert len(split_sentences(f"the kettle of {abbreviation} shops is red")) == 1


@given(st.text(max_size=200))
def test_pieces_and_what_lies_between_them_make_up_any_text(text: str) -> None:
    spans = split_sentences(text)
    places = [0, *(place for span in spans for place in (span.start, span.end)), len(text)]

    assert places == sorted(places)
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    assert "".join(pieces) == text
    assert not any(character.isalnum() for gap in pieces[::2] for character in gap)


@given(TEXTS)
def test_splitting_a_piece_again_gives_the_piece(text: str) -> None:
    for span in split_sentences(text):
        piece = text[span.start : span.end]
        if "\n" not in piece and "|" not in piece:
            first = split_sentences(piece)

            assert first[0].start == 0
            assert first[-1].end == len(piece)
