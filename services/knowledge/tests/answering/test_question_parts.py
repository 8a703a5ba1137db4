"""A question is split where both sides ask, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.question_parts import split_question


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("能退吗，运费谁承担？", ["能退吗", "运费谁承担？"]),
        ("能退吗？运费谁承担？", ["能退吗？", "运费谁承担？"]),
        ("Can I return it and who pays shipping?", ["Can I return it", "who pays shipping?"]),
        ("How long does it take, and what does it cost?", ["How long does it take", "what does it cost?"]),
        ("月付的多久能退？年付的呢？", ["月付的多久能退？", "年付的呢？"]),
        ("茶叶拆了还能退不，运费谁出？", ["茶叶拆了还能退不", "运费谁出？"]),
        ("退款到了没，发票怎么开？", ["退款到了没", "发票怎么开？"]),
        ("商品不能退，运费谁出？", ["商品不能退，运费谁出？"]),
        ("杯子碎了，能退吗？", ["杯子碎了，能退吗？"]),
        ("如果超过七天，还能退吗？", ["如果超过七天，还能退吗？"]),
        ("超过多少天没有退款，会被视为拖延？", ["超过多少天没有退款，会被视为拖延？"]),
        ("Do you say what can and cannot be returned?", ["Do you say what can and cannot be returned?"]),
        ("If I cancel and change my mind, what happens?", ["If I cancel and change my mind, what happens?"]),
        ("Can I return shoes and socks?", ["Can I return shoes and socks?"]),
        ("运费", ["运费"]),
        ("  能退吗？ ", ["能退吗？"]),
        ("a? b? 谁？谁？谁？谁？谁？谁？", ["a? b? 谁？谁？谁？谁？谁？谁？"]),
    ],
)
def test_a_question_is_split_conservatively(question: str, texts: list[str]) -> None:
    assert [part.text for part in split_question(question)] == texts


def test_a_part_that_leans_on_the_one_before_is_searched_with_it() -> None:
    parts = split_question("月付的多久能退？年付的呢？")

    assert [part.searched for part in parts] == ["月付的多久能退？", "月付的多久能退？ 年付的呢？"]


def test_what_sets_the_scene_is_searched_with_every_part() -> None:
    parts = split_question("I bought a kettle. Can I return it? Who pays shipping?")

    assert [part.text for part in parts] == ["Can I return it?", "Who pays shipping?"]
    assert all(part.searched.startswith("I bought a kettle. ") for part in parts)


def test_a_follow_up_leans_on_the_last_question_of_the_conversation() -> None:
    earlier = ("会员积分怎么算？", "茶壶能退吗？")

    assert [part.searched for part in split_question("那运费呢？", earlier=earlier)] == ["茶壶能退吗？ 那运费呢？"]
    assert [part.searched for part in split_question("礼品卡能用几年？", earlier=earlier)] == ["礼品卡能用几年？"]


@given(st.text(max_size=200))
def test_parts_stand_in_the_question_in_order(question: str) -> None:
    parts = split_question(question)

    assert 1 <= len(parts) <= 4
    at = 0
    for part in parts:
        at = question.index(part.text, at) + len(part.text)
