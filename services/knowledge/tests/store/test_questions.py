"""However a customer writes it, the question reaches its passage."""

from datetime import date

import pytest

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.retrieval.fusion import MOST_TERMS
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)
_FILES = [
    policy("returns", "自签收之日起七日内可以退货，退款在三个工作日内原路退回。", title="退货"),
    policy("invoice", "电子发票在订单完成后二十四小时内开具。", title="发票"),
    policy("refunds", "Refunds are paid within five days of delivery.", title="Refunds", language="en"),
    policy("model-a", "型号 AB-1234/5 的保修期为两年。", title="保修"),
    policy("model-b", "型号 AB-1234/6 的保修期为一年。", title="保修二"),
    policy("version-a", "固件 v2.10.3 修复了蓝牙断连。", title="固件"),
    policy("version-b", "固件 v2.10.4 修复了充电提示。", title="固件二"),
    policy("cpp", "C++ 课程可以在开课前退课。", title="课程"),
    policy("hotline", "客服热线 400-820-8820 每天九点开通。", title="热线"),
    policy("membership", "VIP 会员全年包邮。", title="会员"),
    policy("orders", "Orders can be cancelled until they leave us.", title="Orders", language="en"),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("簽收之日起七日內退貨", "returns"),
        ("電子發票什麼時候開具", "invoice"),
        ("ＶＩＰ会员包邮吗", "membership"),
        ("vip會員全年包郵", "membership"),
        ("ＡＢ－１２３４／５ 保修多久", "model-a"),
        ("ab-1234/6保修", "model-b"),
        ("v2.10.3", "version-a"),
        ("V2.10.4 修了什么", "version-b"),
        ("c++", "cpp"),
        ("400-820-8820", "hotline"),
        ("票", "invoice"),
        ("refund", "refunds"),
        ("When are REFUNDS paid after a delivery?", "refunds"),
        ("refnuds payed after delivary", "refunds"),
        ("Refund 退款什么时候到账 原路退回", "returns"),
        ("　　退 货　？？", "returns"),
        ("When do I get an invoice?", "invoice"),
        ("How long is the firmware warranty for AB-1234/5?", "model-a"),
        ("怎么取消", "orders"),
    ],
)
async def test_a_question_finds_its_passage(
    importer: Importer, searcher: DatabaseSearcher, tenant: str, question: str, expected: str
) -> None:
    await importer.publish(tenant, _FILES)

    result = await searcher.search(tenant=tenant, segments=(), question=question, as_of=_DAY)

    assert result.context.found[0].passage.document == expected


@pytest.mark.parametrize("question", ["？！", " ", "😀", "\0", "\ud800", "the of and", "a" * 5_000, "货" * 5_000])
async def test_a_question_without_a_word_or_end_is_searched_all_the_same(
    importer: Importer, searcher: DatabaseSearcher, tenant: str, question: str
) -> None:
    await importer.publish(tenant, _FILES[:3])

    result = await searcher.search(tenant=tenant, segments=(), question=question, as_of=_DAY)

    assert len(result.context.candidates) == 3


async def test_a_very_long_question_is_asked_by_its_rarest_terms(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, _FILES)
    filler = " ".join(f"word{number}" for number in range(3_000))

    result = await searcher.search(tenant=tenant, segments=(), question=f"AB-1234/6 {filler}", as_of=_DAY)

    assert len(result.context.term_idf) == MOST_TERMS
    assert result.context.candidates


async def test_a_guessed_word_finds_a_passage_and_is_no_evidence_for_it(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, _FILES)

    guessed, mixed, right = [
        (await searcher.search(tenant=tenant, segments=(), question=question, as_of=_DAY)).context.found[0]
        for question in ("refnuds", "refnuds delivery", "refunds delivery")
    ]

    assert {each.passage.document for each in (guessed, mixed, right)} == {"refunds"}
    assert guessed.scores.bm25 > 0
    assert guessed.scores.bm25_share == 0
    assert 0 < mixed.scores.bm25_share < right.scores.bm25_share


async def test_a_word_that_is_typed_right_too_is_evidence(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, _FILES)

    both, right = [
        (await searcher.search(tenant=tenant, segments=(), question=question, as_of=_DAY)).context.found[0]
        for question in ("refnuds refunds", "refunds")
    ]

    assert both.scores.bm25_share == right.scores.bm25_share
