"""Sentences that seem to disagree are listed before a customer asks."""

from dataclasses import replace
from datetime import date
from uuid import UUID

import pytest

from knowledge.evaluation.contradictions import Headed, Spoken, comparable, contradictions

pytestmark = pytest.mark.unit


def _spoken(number: int, text: str, *, heading: str = "退货期限", document: int | None = None) -> Spoken:
    headed = Headed(
        passage_id=UUID(int=number),
        document=UUID(int=document or number),
        language="zh",
        priority=0,
        heading=heading,
        is_new=True,
    )
    return Spoken(headed=headed, text=text, effective_from=None, effective_to=None)


def test_the_same_words_with_another_number_are_listed_by_their_places() -> None:
    one = _spoken(1, "先看清条款。收到商品后七天内可以申请退货。")
    other = _spoken(2, "收到商品后十五天内可以申请退货。")

    (found,) = contradictions([[one, other]])

    assert one.text[found.span.start : found.span.end] == "收到商品后七天内可以申请退货。"
    assert (found.passage_id, found.other_passage_id, found.other_span.start) == (UUID(int=1), UUID(int=2), 0)


def test_rules_that_are_never_in_force_on_one_day_do_not_disagree() -> None:
    one = replace(_spoken(1, "收到商品后七天内可以申请退货。"), effective_to=date(2026, 6, 30))
    other = replace(_spoken(2, "收到商品后十五天内可以申请退货。"), effective_from=date(2026, 7, 1))

    assert contradictions([[one, other]]) == []
    assert contradictions([[one, replace(other, effective_from=date(2026, 6, 30))]])


def test_one_document_does_not_disagree_with_itself() -> None:
    texts = ("收到商品后七天内可以申请退货。", "收到商品后十五天内可以申请退货。")
    group = [_spoken(number, text, document=9) for number, text in enumerate(texts, start=1)]

    assert contradictions([group]) == []


def test_only_headings_with_the_same_words_in_several_documents_are_compared() -> None:
    headings = ["退货期限", "退货 期限！", "运费", "运费"]
    documents = [1, 2, 3, 3]
    listed = [
        _spoken(number, "", heading=heading, document=document).headed
        for number, (heading, document) in enumerate(zip(headings, documents, strict=True), start=1)
    ]

    (group,) = comparable(listed)

    assert [each.passage_id.int for each in group] == [1, 2]


def test_two_passages_that_were_compared_before_are_not_compared_again() -> None:
    one, other = _spoken(1, "收到商品后七天内可以申请退货。"), _spoken(2, "收到商品后十五天内可以申请退货。")
    known = [replace(each, headed=replace(each.headed, is_new=False)) for each in (one, other)]

    assert contradictions([known]) == []
    assert comparable(each.headed for each in known) == []
    assert len(contradictions([[known[0], other]])) == 1


def test_a_heading_that_very_many_share_says_too_little() -> None:
    assert comparable(_spoken(number, "", heading="说明").headed for number in range(1, 40)) == []
