"""What a customer says only to begin is not searched for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.folding import fold, has_words
from knowledge.answering.lead_ins import without_lead_in
from knowledge.answering.question_parts import split_question

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("I just want to know the return period", "the return period"),
        ("Hi, could you please tell me how long shipping takes?", "how long shipping takes?"),
        ("I’d like to know if teapots can be returned", "teapots can be returned"),
        ("I was wondering whether you ship abroad", "you ship abroad"),
        ("请问一下退货期限", "退货期限"),
        ("你好，我就想问问运费谁出", "运费谁出"),
        ("麻烦告诉我怎么开发票", "怎么开发票"),
        ("I want to return a teapot", "I want to return a teapot"),
        ("Do you know?", "Do you know?"),
        ("问题商品怎么退？", "问题商品怎么退？"),
        ("知道了，谢谢", "知道了，谢谢"),
        ("我想退货", "我想退货"),
        ("请问", "请问"),
    ],
)
def test_a_question_begins_with_what_it_asks(question: str, asked: str) -> None:
    assert without_lead_in(question) == asked


def test_what_was_typed_stays_as_the_name_of_the_part() -> None:
    (part,) = split_question("请问一下退货期限")

    assert (part.text, part.searched) == ("请问一下退货期限", "退货期限")


@given(st.text(max_size=60))
def test_something_is_always_left(question: str) -> None:
    assert not has_words(fold(question)) or has_words(fold(without_lead_in(question)))
