"""Sentences that seem to disagree are listed before a customer asks."""

from dataclasses import replace
from datetime import date
from uuid import UUID

import pytest

from knowledge.evaluation import contradictions as bounds
from knowledge.evaluation.contradictions import Headed, Spoken, by_headings, contradictions, together

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


def test_all_of_one_language_are_compared_or_those_under_one_heading() -> None:
    headings = ["退货期限", "退货 期限！", "运费", "运费"]
    documents = [1, 2, 3, 3]
    listed = [
        _spoken(number, "", heading=heading, document=document).headed
        for number, (heading, document) in enumerate(zip(headings, documents, strict=True), start=1)
    ]

    assert [len(group) for group in together([*listed, replace(listed[0], language="en")])] == [4]
    (group,) = by_headings(listed)
    assert [each.passage_id.int for each in group] == [1, 2]


@pytest.mark.parametrize(
    ("ours", "theirs", "disagree"),
    [
        ({}, {}, True),
        ({"segments": "vip"}, {"segments": "staff"}, False),
        ({"segments": "staff,vip"}, {"segments": "vip"}, True),
        ({"segments": "public"}, {"segments": "vip"}, True),
        ({"applies_to": "月付"}, {"applies_to": "年付"}, False),
        ({"applies_to": "月付"}, {"applies_to": "月付"}, True),
        ({"applies_to": "月付"}, {}, True),
        ({"applies_to": "本店自营的商品。"}, {"applies_to": "参加促销活动的商品。"}, True),
    ],
)
def test_rules_for_different_readers_or_cases_do_not_disagree(
    ours: dict[str, str], theirs: dict[str, str], *, disagree: bool
) -> None:
    one = _spoken(1, "收到商品后七天内可以申请退货。")
    other = _spoken(2, "收到商品后十五天内可以申请退货。")
    group = [replace(one, headed=replace(one.headed, **ours)), replace(other, headed=replace(other.headed, **theirs))]

    assert bool(contradictions([group])) == disagree


def test_another_order_of_the_same_words_and_numbered_things_are_told_apart() -> None:
    one = _spoken(1, "退款在审核通过后3个工作日内原路退回。")

    assert contradictions([[one, _spoken(2, "审核通过后，退款于5个工作日内原路退回。")]])
    assert not contradictions([[_spoken(1, "17号线首班车每10分钟一班。"), _spoken(2, "16号线首班车每8分钟一班。")]])


def test_two_passages_that_were_compared_before_are_not_compared_again() -> None:
    one, other = _spoken(1, "收到商品后七天内可以申请退货。"), _spoken(2, "收到商品后十五天内可以申请退货。")
    known = [replace(each, headed=replace(each.headed, is_new=False)) for each in (one, other)]

    assert contradictions([known]) == []
    assert together(each.headed for each in known) == []
    assert len(contradictions([[known[0], other]])) == 1


def test_a_heading_that_very_many_share_says_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    same = [_spoken(number, "", heading="说明").headed for number in range(1, 40)]
    two = [_spoken(number, "", heading="运费").headed for number in (50, 51)]

    assert by_headings(same) == []
    assert len(by_headings([*same, *two])) == 1
    monkeypatch.setattr(bounds, "_MOST_PASSAGES", 1)
    assert by_headings(two) == []


def test_the_first_sentences_of_two_passages_that_disagree_are_listed_whatever_else_is_compared() -> None:
    days = "收到商品后{}天内可以申请退货。退货的运费不超过{}元。"
    one, other = _spoken(1, days.format("七", "十")), _spoken(2, days.format("十五", "二十"))
    third = _spoken(3, days.format("九", "十二"))
    known = replace(other, headed=replace(other.headed, is_new=False))

    alone = contradictions([[one, other]])

    assert len(alone) == 1
    assert alone == contradictions([[known, one]])
    assert alone[0] in contradictions([[third, one, other]])
    listed = {frozenset({UUID(int=1), UUID(int=2)})}
    assert contradictions([[one, other]], listed=listed) == []
    assert len(contradictions([[one, other, third]], listed=listed)) == 2
