"""What a question asks for has to be in what would be quoted."""

import pytest

from knowledge.answering.choosing import Chosen
from knowledge.answering.sufficiency import missing_signal
from tests.support.answering import make_passage


@pytest.mark.parametrize(
    ("question", "sentence", "lacking"),
    [
        ("多久到账？", "款项在五个工作日内退回。", None),
        ("多久到账？", "款项退回原账户。", "duration"),
        ("多久到账？", "当天完成审核。", None),
        ("运费多少钱？", "收取 10 元运费。", None),
        ("运费多少钱？", "运费由买家承担。", "price"),
        ("运费多少钱？", "本店包邮。", None),
        ("客服几点下班？", "客服每天 8:00 至 22:00 在线。", None),
        ("客服几点下班？", "客服会在两天内回复。", "clock time"),
        ("最多几张卡？", "一笔订单最多使用 5 张。", None),
        ("最多几张卡？", "礼品卡可以使用。", "number"),
        ("寄到哪个地址？", "请在七天内寄回。", "place"),
        ("How long does it take?", "It takes two weeks.", None),
        ("How long does it take?", "It takes patience.", "duration"),
        ("How much is the fee?", "The fee is $12.", None),
        ("How much is the fee?", "A fee applies.", "price"),
        ("能退吗？", "可以退。", None),
        ("退货寄到哪个地址？", "商家应当提供准确的退货地址。", "place"),
        ("退货寄到哪个地址？", "退货地址：本市东街八号。", None),
        ("Which address do I write to?", "You must keep your address up to date.", "place"),
        ("Which address do I write to?", "Write to post@shop.example.", None),
        ("一箱最多能装几公斤？", "每箱一件。", "weight"),
        ("How heavy may a parcel be?", "A parcel weighs 20 kg at most.", None),
        ("How much storage do I get?", "One account is free.", "storage"),
        ("How much storage do I get?", "You get 5 GB.", None),
        ("一次能买几件？", "一般不限制购买。", "number"),
        ("一次能买几件？", "一次限购三件。", None),
        ("洗车的钱算谁的？", "洗车在周一。", "payer"),
        ("洗车的钱算谁的？", "洗车的钱由车主承担。", None),
        ("Ticket expiry?", "A ticket is shown at the gate.", "duration"),
        ("Do stamps expire?", "Stamps never expire.", None),
        ("月票会过期吗？", "月票三十天内有效。", None),
        ("停车要收费吗？", "停车场在楼下。", "charge"),
        ("停车要收费吗？", "停车不收费。", None),
        ("Is there a fee for parking?", "The car park is behind the house.", "charge"),
        ("Is there a fee for parking?", "Parking costs nothing to guests and is included.", None),
    ],
)
def test_a_sentence_lacks_what_the_question_wants(question: str, sentence: str, lacking: str | None) -> None:
    passage = make_passage(sentence, about=question)

    assert missing_signal(question, Chosen(passage=passage, sentences=passage.sentences, score=1.0)) == lacking
