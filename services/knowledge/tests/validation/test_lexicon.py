"""A lexicon finds what its wordings say, in their order; sorting them by first letters changes nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.lexicon import (
    compile_by_start,
    find_names,
    make_bilingual,
    make_lexicon,
    name_wordings,
    sort_by_start,
)

pytestmark = pytest.mark.unit

WORDINGS = st.sampled_from(
    [
        "ab", "abc", "a?b", "[ab]c", "(?:ab|b)c", "(?:a|c)?b", "c+", "(?<!a)b", "(?<=a|c)b", "(?:(?<=a)|(?<=b))c", "b(?!c)",
        "退", "退款", "[退还]款", "(?:可)?退", "(?<!不)退", "可(?=退)", "[a-c]+还",
    ]
)  # fmt: skip
TEXTS = st.text(alphabet="abc '退还款可不", max_size=20)


@given(wordings=st.lists(WORDINGS, min_size=1, max_size=8), text=TEXTS)
def test_sorting_alternatives_changes_no_match(wordings: list[str], text: str) -> None:
    plain = re.compile("|".join(wordings))
    by_start = re.compile("|".join(sort_by_start("|".join(wordings), "abc退还款可不").values()))
    assert [found.span() for found in by_start.finditer(text)] == [found.span() for found in plain.finditer(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("we refund the price", ["give back", "sum"]),
        ("the refunded prices", ["give back", "sum"]),
        ("a prerefund of surprices", []),
        ("商家退款", ["give back"]),
        ("价款", ["sum"]),
        ("we say 'refund' for the shop's price", ["give back", "sum"]),
    ],
)
def test_a_word_is_found_from_its_first_letter_on(text: str, names: list[str]) -> None:
    lexicon = make_lexicon((("give back", r"\brefund\w*|退款"), ("sum", r"\bprices?\b|价?款")))
    assert [name for name, _ in find_names(lexicon, re.compile(lexicon.source), text)] == names


@pytest.mark.parametrize("wording", [r"(?=a)b", "(a)b", "a*b", r"(?:a\s)?\bb", "a{2}"])
def test_a_wording_without_a_plain_beginning_is_refused(wording: str) -> None:
    with pytest.raises(ValueError, match="no plain beginning"):
        make_lexicon((("refused", f"c|{wording}"),))


@given(text=st.text(alphabet="abc '退款refundprice价", max_size=30))
def test_wordings_have_the_same_names_without_their_places(text: str) -> None:
    entries = (("give back", r"\brefund\w*|退款"), ("sum", r"\bprices?\b|价?款"), ("ab", "ab?"))
    lexicon = make_lexicon(entries)
    pattern = re.compile(lexicon.source)
    found = [(name, each.group()) for name, each in find_names(lexicon, pattern, text)]
    assert name_wordings(lexicon, pattern, text) == found
    assert name_wordings(make_lexicon(entries), pattern, text) == found


BILINGUAL = st.sampled_from(
    [r"\bab?c", r"\bn?ot", r"\b(?=c)\w+", r"a[^,]*(?=b)", r"[^,;]*(?:的|时)(?=,)", r"(?:没有?|不)c", r"(?:没有?|not)\sa", r"(?<![不未])b", r"(?<=不)b", r"退?a", r"[退还a]b", r"不{0,2}c", r"(?P<named>款+)"]
)  # fmt: skip


@given(
    alternatives=st.lists(BILINGUAL, min_size=1, max_size=6, unique=True),
    text=st.text(alphabet="abcnot ,;的不没退款", max_size=24),
)
def test_an_english_text_is_spared_chinese_alternatives_alone(alternatives: list[str], text: str) -> None:
    bilingual, plain = make_bilingual("|".join(alternatives)), re.compile("|".join(alternatives))
    assert [found.span() for found in bilingual.of(text).finditer(text)] == [
        each.span() for each in plain.finditer(text)
    ]


def test_what_needs_no_chinese_character_stays_in_the_english_part() -> None:
    english = make_bilingual(r"(?:没有?|未)用|\bif\b[^,]*|退?款|款?off|(?<!不)on").english
    assert english.pattern == r"(?=i|款|o)(?:\bif\b[^,]*|款?off|(?<!不)on)"


STARTING = st.sampled_from(
    [r"\bab?c", "(?:a|bc?)+n", "(?:a|b?){1,2}c", "a?n", "(?:a?|b){0,2}c", "c{2}", "c{,1}a", "[ab]*c", r"[\]a][^,]", "[^a]b",
     ".c", r"\w+n", r"\s?-", r"[\s-]a", r"(?P<named>\d|-)c", "^b", "(?<=a)b", "(?!ab)[a-c]{2}", "(?=b)", "(?:没|不)?款", "", "a|", r"\bb$"]
)  # fmt: skip


@given(
    alternatives=st.lists(STARTING, min_size=1, max_size=5, unique=True),
    text=st.text(alphabet="abcn1- ,]不没款\n", max_size=16),
)
def test_a_look_for_the_start_changes_no_match(alternatives: list[str], text: str) -> None:
    looking, plain = compile_by_start("|".join(alternatives)), re.compile("|".join(alternatives))
    assert [found.span() for found in looking.finditer(text)] == [found.span() for found in plain.finditer(text)]


@pytest.mark.parametrize(
    ("pattern", "looked"),
    [
        (r"\b(?:fees?|an?\sfee)\b|费", r"(?=f|a|费)(?:\b(?:fees?|an?\sfee)\b|费)"),
        (r"[^,]*off|\bnot\b|n't", r"[^,]*off|(?=n)(?:\bnot\b|n't)"),
        (r"\w+|(?:a|)", r"\w+|(?:a|)"),
    ],
)
def test_alternatives_that_begin_plainly_are_tried_behind_a_look(pattern: str, looked: str) -> None:
    assert compile_by_start(pattern).pattern == looked
