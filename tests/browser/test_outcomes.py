import re

import pytest
from playwright.async_api import expect

from contracts.answers import Suggestion
from contracts.reasons import FailureCode, RefusalReason
from tests.browser.chat_page import ChatPage
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import (
    FULL_ANSWER,
    RETURNS,
    RETURNS_QUOTE,
    Cut,
    Gate,
    Script,
    answer,
    failure,
    not_covered,
    refusal,
    statement,
)

pytestmark = pytest.mark.browser
QUESTION = "能退吗，发票怎么开？"
NO_EVIDENCE = refusal(RefusalReason.NO_AUTHORIZED_EVIDENCE, "我们没有找到可以引用的现行规定。")


async def test_refusal_says_why_and_is_no_answer_and_no_failure(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, NO_EVIDENCE)

    turn = await chat.ask(QUESTION)

    await expect(chat.refusal(turn).get_by_role("heading")).to_have_text("没有找到可以引用的依据")
    await expect(chat.refusal(turn)).to_contain_text("我们没有找到可以引用的现行规定。")
    await expect(chat.answer(turn)).to_have_count(0)
    await expect(chat.failure(turn)).to_have_count(0)
    await expect(turn.get_by_role("button", name="转人工")).to_be_visible()


@pytest.mark.parametrize(
    ("reason", "heading"),
    [
        (RefusalReason.MISSING_BUSINESS_FACT, "还差一点信息才能回答"),
        (RefusalReason.CONFLICTING_POLICY, "现行规定之间不一致"),
        (RefusalReason.HUMAN_DECISION_REQUIRED, "这件事需要由人来决定"),
        (RefusalReason.ESCALATION_TOPIC, "这件事请交给人工处理"),
        (RefusalReason.HUMAN_REQUESTED, "正在为您转接人工"),
    ],
)
async def test_every_reason_has_its_own_heading(
    chat: ChatPage, bff: FakeBff, reason: RefusalReason, heading: str
) -> None:
    bff.on(QUESTION, refusal(reason, "这里是一句话。"))

    turn = await chat.ask(QUESTION)

    await expect(chat.refusal(turn).get_by_role("heading")).to_have_text(heading)


async def test_missing_fact_is_named_and_a_suggestion_asks_with_it(chat: ChatPage, bff: FakeBff) -> None:
    suggestion = Suggestion(label="待发货", question="待发货能取消吗？", facts={"orderStatus": "待发货"})
    bff.on(
        QUESTION,
        refusal(
            RefusalReason.MISSING_BUSINESS_FACT,
            "取决于订单状态。",
            missing_facts=("orderStatus",),
            suggestions=(suggestion,),
        ),
    )
    turn = await chat.ask(QUESTION)
    await expect(chat.refusal(turn)).to_contain_text("订单状态")

    await turn.get_by_role("button", name="待发货").click()

    await expect(chat.turn("待发货能取消吗？")).to_be_visible()
    assert bff.asks[-1]["facts"] == {"orderStatus": "待发货"}


async def test_part_without_evidence_is_set_apart(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(
        QUESTION,
        answer(statement(RETURNS_QUOTE, RETURNS), not_covered("“发票怎么开”没有依据。"), coverage="partial"),
    )

    turn = await chat.ask(QUESTION)

    await expect(chat.answer(turn)).to_have_accessible_name("部分有依据的回答")
    await expect(turn.get_by_role("note", name="这一部分没有依据")).to_contain_text("“发票怎么开”没有依据。")
    await expect(turn.get_by_role("button", name=re.compile("^出处"))).to_have_count(1)


async def test_failed_attempt_leaves_no_text_also_after_reload(chat: ChatPage, bff: FakeBff) -> None:
    gate = Gate()
    bff.on(QUESTION, failure(statement(RETURNS_QUOTE, RETURNS), gate))
    turn = await chat.ask(QUESTION)
    await expect(chat.answer(turn)).to_contain_text(RETURNS_QUOTE)

    gate.open()

    await expect(chat.failure(turn)).to_contain_text("没有通过依据核对")
    assert RETURNS_QUOTE not in await chat.text()
    await chat.page.reload()
    await expect(chat.failure(turn)).to_be_visible()
    assert RETURNS_QUOTE not in await chat.page.content()
    await expect(turn.get_by_role("button", name=re.compile("^出处"))).to_have_count(0)


async def test_the_same_failure_twice_offers_a_way_on_also_after_reload(chat: ChatPage, bff: FakeBff) -> None:
    bff.offered = (Suggestion(label="联系人工客服", question="我要转人工客服。", facts={}),)
    bff.on(QUESTION, failure(), failure())
    turn = await chat.ask(QUESTION)
    offer = turn.get_by_role("button", name="联系人工客服")
    await expect(chat.failure(turn)).to_be_visible()
    await expect(offer).to_have_count(0)

    await chat.failure(turn).get_by_role("button").click()
    await expect(offer).to_be_visible()
    await chat.page.reload()
    await offer.click()

    await expect(chat.turn("我要转人工客服。")).to_be_visible()


async def test_stopped_attempt_says_so(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, failure(Gate(), code=FailureCode.KNOWLEDGE_TIMEOUT))
    turn = await chat.ask(QUESTION)

    await turn.get_by_role("button", name="停止").click()

    await expect(chat.failure(turn).get_by_role("heading")).to_have_text("已停止")


@pytest.mark.parametrize(
    "script",
    [
        FULL_ANSWER,
        NO_EVIDENCE,
        answer(statement(RETURNS_QUOTE, RETURNS), not_covered("“发票”没有依据。"), coverage="partial"),
        failure(statement(RETURNS_QUOTE, RETURNS)),
    ],
    ids=["answer", "refusal", "partial answer", "failure"],
)
async def test_reload_shows_what_was_streamed(chat: ChatPage, bff: FakeBff, script: Script) -> None:
    bff.on(QUESTION, script)
    turn = await chat.ask(QUESTION)
    await chat.wait_idle()
    streamed = await turn.inner_html()

    await chat.page.reload()

    await expect(turn).to_be_visible()
    assert await turn.inner_html() == streamed


async def test_reload_attaches_to_an_attempt_that_is_still_being_answered(chat: ChatPage, bff: FakeBff) -> None:
    gate = Gate()
    bff.on(QUESTION, answer(statement(RETURNS_QUOTE, RETURNS), gate))
    turn = await chat.ask(QUESTION)
    await expect(chat.answer(turn)).to_contain_text(RETURNS_QUOTE)

    await chat.page.reload()
    await expect(chat.answer(turn)).to_contain_text(RETURNS_QUOTE)
    gate.open()

    await chat.wait_answered(turn)
    assert len(bff.asks) == 1


async def test_broken_connection_is_resumed_without_repeating_a_sentence(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, answer(statement(RETURNS_QUOTE, RETURNS), Cut(), statement("再一句。", RETURNS)))

    turn = await chat.ask(QUESTION)

    await chat.wait_answered(turn)
    await expect(chat.answer(turn).get_by_text(re.compile("普通商品"))).to_have_count(1)
    assert len(bff.asks) == 1
