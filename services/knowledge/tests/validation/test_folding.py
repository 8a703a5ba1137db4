"""A quote is found through composed letters and white space, and its place is exact."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.folding import find_places, fold, fold_with_places

TEXTS = st.text(alphabet="ab 茶壶。\n\t\u3000é\u0301\u0308カガ\u3099가각\u1100\u1161\u11a8.", max_size=40)


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("The kettle\n  is red.", "kettle is red", "kettle\n  is red"),
        ("Cafe\u0301 opens.", "Café", "Cafe\u0301"),
        ("Café opens.", "Cafe\u0301 opens", "Café opens"),
        ("茶壶\n可退。", "茶壶 可退。", "茶壶\n可退。"),
    ],
)
def test_a_quote_is_found_where_it_stands(text: str, quote: str, expected: str) -> None:
    start, end = find_places(fold_with_places(text), quote)[0]

    assert text[start:end] == expected


@pytest.mark.parametrize("quote", ["", "  ", "the kettle", "kettleis", "Kettle", "kettle is blue"])
def test_other_text_is_not_found(quote: str) -> None:
    assert find_places(fold_with_places("The kettle is red."), quote) == ()


@given(TEXTS)
def test_folding_with_places_equals_folding(text: str) -> None:
    assert fold(fold_with_places(text).text) == fold(text)


@given(TEXTS, st.sampled_from(["NFC", "NFD"]), st.data())
def test_every_place_folds_to_the_quote(text: str, form: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = unicodedata.normalize(form, text[start:end]).replace(" ", "\n ")  # type: ignore[arg-type] - one of two forms

    for found_start, found_end in find_places(fold_with_places(text), quote):
        assert fold(text[found_start:found_end]) == fold(quote)


@given(st.text(alphabet="ab 茶壶。\n", min_size=1, max_size=40))
def test_every_stretch_of_plain_text_is_found(text: str) -> None:
    stripped = text.strip()

    assert not stripped or find_places(fold_with_places(text), stripped) != ()
