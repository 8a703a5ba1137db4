"""Terms are what a customer and a policy have in common."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from knowledge.ingestion.analyser import count_terms, term_id, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("退货", ["退", "货", "退货"]),
        ("退貨運費", ["退", "货", "运", "费", "退货", "货运", "运费"]),
        ("Returns returned returning", ["return", "return", "return"]),
        ("the refund of a customer’s order", ["refund", "custom", "order"]),
        ("AB-1234/5", ["ab-1234/5", "ab", "1234", "5"]),
        ("v2.10.3", ["v2.10.3", "v2", "10", "3"]),
        ("C++", ["c++", "c"]),
        ("ＶＩＰ会员", ["vip", "会", "员", "会员"]),
        ("7天", ["7", "天"]),
        ("support@shop.example", ["support", "shop.example", "shop", "exampl"]),
        ("ＡＢ－１２３４／５", ["ab-1234/5", "ab", "1234", "5"]),
        ("C#与C++", ["c#", "c", "与", "c++", "c"]),
        ("ERR_0x80070057", ["err_0x80070057", "err", "0x80070057"]),
        ("400-820-8820", ["400-820-8820", "400", "820", "8820"]),
        ("簽收iPhone後", ["签", "收", "签收", "iphon", "后"]),
        ("。，！😀\ud800", []),
        ("", []),
    ],
)
def test_a_text_has_these_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text(max_size=200))
def test_any_text_can_be_analysed_and_case_does_not_matter(text: str) -> None:
    assert terms(text.upper().lower()) == terms(text.upper().lower().upper().lower())
    assert all(-(1 << 63) <= term_id(term) < 1 << 63 for term in terms(text.encode("utf-8", "ignore").decode()))


_TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=12), min_size=1, max_size=8)


@given(_TEXTS)
def test_terms_are_counted_by_their_numbers(texts: list[list[str]]) -> None:
    for text in texts:
        assert count_terms(text) == {term_id(term): count for term, count in Counter(text).items()}


def test_stems_are_the_same_with_and_without_the_library_in_c() -> None:
    words = ("refunds", "refunded", "delivery", "deliveries", "generously", "skies", "dying", "proceed", "succeeding")

    assert [terms(word) for word in words] == [[EnglishStemmer().stemWord(word)] for word in words]
