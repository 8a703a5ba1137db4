"""A follow-up is read from the questions before it; what names its own subject stands alone."""

import pytest

from knowledge.answering.follow_ups import chain_of, leans
from knowledge.answering.question_parts import split_question


@pytest.mark.parametrize(
    "question",
    [
        "那运费呢？",
        "年付的呢？",
        "那多久到？",
        "那跨境呢？",
        "能退吗？",
        "多久到账？",
        "要钱吗？",
        "谁承担？",
        "为什么？",
        "这种情况能退吗？",
        "它的保修期多久？",
        "这个能换吗？",
        "那如果是打折的商品呢？",
        "也一样吗？",
        "换成月付的可以吗？",
        "那企业账号怎么办？",
        "And for sale items?",
        "What about shipping?",
        "How about annual plans?",
        "How long does it take?",
        "And who pays for that?",
        "Is that free?",
        "Does this apply to gift cards?",
        "How much?",
        "For how long?",
        "Can I return them?",
        "What if I lost the receipt?",
        "Sale items?",
        "The other one?",
    ],
)
def test_a_question_that_names_no_subject_leans(question: str) -> None:
    assert leans(question)


@pytest.mark.parametrize(
    "question",
    [
        "运费多少？",
        "怎么退款？",
        "如何投诉？",
        "礼品卡能用几年？",
        "周末也可以退货吗？",
        "这个月有什么活动？",
        "这个平台支持退款吗？",
        "商品坏了，这种情况能退吗？",
        "会员积分怎么算？",
        "跨境订单的运费谁承担？",
        "那个人信息你们保存多久？",
        "如果订单丢了，它的运费能退吗？",
        "请问发票可以补开吗？",
        "How long does shipping take?",
        "Who pays shipping?",
        "Is shipping free?",
        "Is it possible to pay by card?",
        "How long does it take to get a refund?",
        "Is it true that you delete inactive accounts?",
        "What happens to an account that is frozen?",
        "If my order is lost, can I get it replaced?",
        "I bought a kettle yesterday. Can I return it?",
        "Can I cancel my subscription this month?",
        "Does this service cost anything?",
        "Do you tell users when somebody reports them?",
    ],
)
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert not leans(question)


@pytest.mark.parametrize(
    ("earlier", "question", "read_as"),
    [
        (("运费多少？", "那多久到？"), "那跨境呢？", "运费多少？ 那多久到？ 那跨境呢？"),
        (("会员积分怎么算？", "茶壶能退吗？"), "那运费呢？", "茶壶能退吗？ 那运费呢？"),
        (("运费多少？", "那多久到？", "那跨境呢？"), "礼品卡能用几年？", "礼品卡能用几年？"),
        (("会员积分怎么算？",), "运费多少？", "运费多少？"),
        (("那多久到？",), "那跨境呢？", "那多久到？ 那跨境呢？"),
        (
            ("How long do I have to return a jacket?", "And for sale items?"),
            "What about gift cards?",
            "How long do I have to return a jacket? And for sale items? What about gift cards?",
        ),
        (
            ("How do points work?", "Can I return a jacket?"),
            "And for sale items?",
            "Can I return a jacket? And for sale items?",
        ),
        (("Can I return a jacket?",), "Is it possible to pay by card?", "Is it possible to pay by card?"),
        ((), "And for sale items?", "And for sale items?"),
        ((), "那运费呢？", "那运费呢？"),
    ],
)
def test_a_follow_up_is_read_from_the_chain_it_ends(earlier: tuple[str, ...], question: str, read_as: str) -> None:
    assert [part.searched for part in split_question(question, earlier=earlier)] == [read_as]


def test_a_long_chain_keeps_the_question_that_stands_alone_and_the_last_follow_ups() -> None:
    earlier = ("会员积分怎么算？", "茶壶能退吗？", "那茶杯呢？", "那盘子呢？", "那礼盒呢？")

    assert chain_of(earlier) == ("茶壶能退吗？", "那盘子呢？", "那礼盒呢？")


def test_every_part_of_a_follow_up_is_read_from_the_conversation() -> None:
    parts = split_question("那能换吗？运费呢？", earlier=("会员积分怎么算？", "茶壶能退吗？"))

    assert [part.searched for part in parts] == ["茶壶能退吗？ 那能换吗？", "茶壶能退吗？ 那能换吗？ 运费呢？"]


def test_a_question_that_sets_its_own_scene_needs_no_earlier_one() -> None:
    parts = split_question("I bought a kettle. Can I return it? Who pays shipping?", earlier=("How do points work?",))

    assert all("points" not in part.searched for part in parts)
