import re

import pytest
from playwright.async_api import Route, expect

from contracts.reasons import RefusalReason
from tests.browser.chat_page import ChatPage
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import (
    FULL_ANSWER,
    RETURNS,
    RETURNS_QUOTE,
    SHIPPING,
    SHIPPING_QUOTE,
    Gate,
    answer,
    failure,
    refusal,
    statement,
)

pytestmark = pytest.mark.browser
QUESTION = "能退吗，运费谁承担？"
OTHER = "运费谁承担？"


async def test_editing_the_box_never_changes_a_shown_answer(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)
    await chat.wait_answered(turn)
    before = await turn.inner_html()

    await chat.box.fill("一个完全不同的问题，还没有发送")

    assert await turn.inner_html() == before
    assert len(bff.asks) == 1


async def test_late_event_of_an_older_attempt_never_touches_a_newer_one(chat: ChatPage, bff: FakeBff) -> None:
    late = Gate()
    bff.on(QUESTION, (*failure(), late, statement("迟到的旧句子。", RETURNS)))
    bff.on(OTHER, answer(statement(SHIPPING_QUOTE, SHIPPING), late))
    older = await chat.ask(QUESTION)
    await expect(older.get_by_role("alert")).to_be_visible()
    newer = await chat.ask(OTHER)

    late.open()

    await chat.wait_answered(newer)
    assert "迟到的旧句子" not in await chat.text()
    await expect(chat.answer(newer)).to_have_count(1)
    await expect(chat.answer(older)).to_have_count(0)


async def test_new_conversation_hears_nothing_of_the_old_one(chat: ChatPage, bff: FakeBff) -> None:
    late = Gate()
    bff.on(QUESTION, answer(late, statement("旧对话的句子。", RETURNS)))
    bff.on(OTHER, answer(late, statement(SHIPPING_QUOTE, SHIPPING)))
    await chat.ask(QUESTION)
    await chat.page.get_by_role("button", name="新对话").click()
    newer = await chat.ask(OTHER)

    late.open()

    await chat.wait_answered(newer)
    assert "旧对话的句子" not in await chat.text()


async def test_answering_again_keeps_the_old_answer_above(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, answer(statement(RETURNS_QUOTE, RETURNS)), FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await turn.get_by_role("button", name="重新回答").click()

    earlier = turn.get_by_role("group", name="较早的回答 1")
    await expect(chat.answer(earlier)).to_contain_text(RETURNS_QUOTE)
    await expect(chat.answer(turn).last).to_contain_text(SHIPPING_QUOTE)
    await expect(turn.get_by_role("heading", level=2)).to_have_count(1)
    await expect(turn.locator(".attempt").last).to_be_focused()
    await chat.wait_idle()
    shown = await turn.inner_html()
    await chat.page.reload()
    await expect(turn).to_be_visible()
    assert await turn.inner_html() == shown


async def test_expired_session_keeps_the_question_and_begins_anew(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)

    async def expired(route: Route) -> None:
        await route.fulfill(status=401, json={"code": "UNAUTHENTICATED"})

    await chat.wait_answered(await chat.ask("先问一句"))
    await chat.page.route("**/attempts", expired)
    await chat.box.fill(QUESTION)
    await chat.box.press("Enter")
    await expect(chat.page.get_by_text("之前的对话已经结束")).to_be_visible()
    await expect(chat.box).to_have_value(QUESTION)
    await chat.page.unroute("**/attempts")

    await chat.box.press("Enter")

    await expect(chat.answer(chat.turn(QUESTION))).to_contain_text(SHIPPING_QUOTE)
    assert len(bff.conversations) == 2


async def test_failed_attempt_can_be_answered_again(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, failure(), FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await turn.get_by_role("button", name="再试一次").click()

    await expect(chat.answer(turn)).to_contain_text(SHIPPING_QUOTE)
    assert len(bff.asks) == 1


async def test_retry_limit_is_said_and_the_answer_stays(chat: ChatPage, bff: FakeBff) -> None:
    bff.retries_left = 0
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await turn.get_by_role("button", name="重新回答").click()

    await expect(chat.page.get_by_text("已经重新回答过多次")).to_be_visible()
    await expect(chat.answer(turn)).to_contain_text(SHIPPING_QUOTE)
    await expect(turn.get_by_role("group", name=re.compile("^较早的回答"))).to_have_count(0)


async def test_question_that_never_arrived_is_a_failure_and_can_be_asked_again(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)

    async def broken(route: Route) -> None:
        await route.fulfill(status=500, json={"code": "INTERNAL"})

    await chat.page.route("**/attempts", broken)
    turn = await chat.ask(QUESTION)
    await expect(chat.failure(turn)).to_be_visible()
    await chat.page.unroute("**/attempts")

    await turn.get_by_role("button", name="再试一次").click()

    await expect(chat.answer(turn)).to_contain_text(SHIPPING_QUOTE)


async def test_refused_question_stays_in_the_box(chat: ChatPage, bff: FakeBff) -> None:
    bff.is_with_person = True
    await chat.box.fill(QUESTION)

    await chat.box.press("Enter")

    await expect(chat.page.get_by_text("这个对话正由人工处理")).to_be_visible()
    await expect(chat.box).to_have_value(QUESTION)
    await expect(chat.turn(QUESTION)).to_have_count(0)


async def test_forgotten_conversation_begins_anew(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER, refusal(RefusalReason.CONFLICTING_POLICY, "规定不一致。"))
    await chat.wait_answered(await chat.ask(QUESTION))
    bff.conversations.clear()

    await chat.page.reload()

    await expect(chat.page.get_by_role("heading", name="请问有什么可以帮您？")).to_be_visible()
    await expect(chat.refusal(await chat.ask(QUESTION))).to_be_visible()
