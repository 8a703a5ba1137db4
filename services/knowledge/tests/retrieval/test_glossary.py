"""Words of policies are read in the other language where only that is held."""

import pytest

from knowledge.ingestion.analyser import term_id, terms
from knowledge.retrieval.glossary import known_translations, translations

pytestmark = pytest.mark.unit


def held(*some: str) -> dict[int, int]:
    return {term_id(term): 3 for term in some}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How do I get a refund?", {"refund": "退款"}),
        ("INVOICES for my Subscriptions", {"invoic": "发票", "subscript": "订阅"}),
        ("退款多久到账", {"退款": "refund"}),
        ("發票丟了怎麼辦", {"发票": "invoic"}),
        ("增值税怎么算", {"增值": "vat", "值税": "vat"}),
    ],
)
def test_words_of_policies_have_a_meaning_in_the_other_language(question: str, meant: dict[str, str]) -> None:
    found = translations(terms(question))

    assert {term: meaning for term, meaning in meant.items() if meaning in found.get(term, ())} == meant


def test_other_words_and_single_characters_have_none() -> None:
    assert translations(terms("purple elephants 的 款 AB-1234")) == {}


def test_only_what_passages_hold_is_meant() -> None:
    assert known_translations(["cancel", "refund"], held("取消")) == {"cancel": ("取消",)}
    assert known_translations(["cancel", "refund"], {}) == {}
