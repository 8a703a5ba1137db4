"""What may disagree with a new sentence is found by its rarest words, and no passage that does is left out."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.conflict import said
from knowledge.evaluation.contradictions import Headed, Spoken, contradictions
from knowledge.evaluation.finding import may_disagree, rarest, sayings
from knowledge.ingestion.analyser import term_id, terms

pytestmark = pytest.mark.unit

_PARTS = (
    "收到商品后",
    "審核通過後，",
    "七天内",
    "15 天内",
    "5 个工作日内",
    "可以",
    "不可以",
    "申请退货",
    "申請換貨",
    "运费由商家承担",
    "Ｄ-12 型的配件",
    "The return of used batteries",
    " is possible within nine days",
    " is not possible within 14 days",
    " easily carried skies and dying candles",
)


def _spoken(number: int, text: str, *, heading: str = "退货期限") -> Spoken:
    document = UUID(int=number)
    headed = Headed(
        passage_id=document, document=document, language="zh", priority=0, heading=heading, is_new=number == 1
    )
    return Spoken(headed=headed, text=text, effective_from=date(2026, 1, 1), effective_to=None)


def _sentence(parts: Sequence[str]) -> str:
    return "".join(parts) + "。"


_SENTENCES = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=5).map(_sentence)


def test_whoever_says_nearly_the_same_shares_the_rarest_words_of_a_sentence() -> None:
    _, saying = sayings(_spoken(1, "先看清条款。收到商品后七天内可以申请退货。"))
    subject = saying.said.subject
    frequency = {term_id(term): 9 for term in said("", "收到商品后可以").subject}

    wanted = rarest(subject, frequency)

    others = said("退货期限", "收到商品后十五天内可以申请退货。").subject
    assert len({term_id(term) for term in others} & set(wanted.terms)) >= wanted.fewest == 3
    assert term_id("退货") in wanted.terms[:12]
    assert len(wanted.terms) < len(subject)


@given(
    new=st.lists(_SENTENCES, min_size=1, max_size=3),
    known=st.lists(_SENTENCES, min_size=1, max_size=3),
    heading=st.sampled_from(["退货期限", "Returns", "退貨"]),
)
def test_a_passage_that_disagrees_is_worth_reading(new: list[str], known: list[str], heading: str) -> None:
    one, other = _spoken(1, "".join(new)), _spoken(2, "".join(known), heading=heading)

    if contradictions([[one, other]]):
        assert may_disagree(other, sayings(one))


def test_a_passage_of_other_words_is_not_read_and_an_equal_sentence_disagrees_with_nothing() -> None:
    one = _spoken(1, "收到商品后七天内可以申请退货。")

    assert not may_disagree(_spoken(2, "发票在开票后七天内寄到您留下的地址。"), sayings(one))
    assert not may_disagree(_spoken(2, one.text), sayings(one))
    assert may_disagree(_spoken(2, "发票另寄。申请退货可以在收到商品后十五天内。"), sayings(one))


@pytest.mark.parametrize("word", ["dying", "skies", "happily", "availability", "organization", "gently", "hoping"])
def test_a_stem_begins_its_word_but_for_its_last_letter(word: str) -> None:
    (stem,) = terms(word)

    assert len(stem) < 4 or word.startswith(stem[:-1])
