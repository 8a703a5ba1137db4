import re

import pytest
from playwright.async_api import expect

from tests.browser.chat_page import ChatPage
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import (
    FULL_ANSWER,
    RETURNS,
    RETURNS_QUOTE,
    SHIPPING_PASSAGE,
    SHIPPING_QUOTE,
    Gate,
    answer,
    citation,
    statement,
)

pytestmark = pytest.mark.browser
QUESTION = "能退吗，运费谁承担？"


async def test_citation_opens_and_focuses_its_own_source(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await chat.citation(turn, 2).click()

    shipping = chat.source(turn, "配送与运费")
    await expect(shipping.locator("summary")).to_be_focused()
    await expect(shipping.get_by_role("blockquote")).to_have_text(SHIPPING_PASSAGE, use_inner_text=True)
    await expect(shipping.locator("mark")).to_have_text(SHIPPING_QUOTE)
    await expect(shipping).to_contain_text("退货运费由谁承担")
    await expect(shipping).to_contain_text("版本 2026-07")
    await expect(shipping).to_contain_text("2026年7月1日 起生效")
    await expect(chat.source(turn, "退货与换货政策").get_by_role("blockquote")).to_be_hidden()


async def test_quote_is_marked_exactly_behind_a_character_of_two_utf16_units(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await chat.citation(turn, 1).click()

    await expect(chat.source(turn, "退货与换货政策").locator("mark")).to_have_text(RETURNS_QUOTE)


async def test_only_a_public_source_has_a_link(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)
    await chat.citation(turn, 1).click()
    await chat.citation(turn, 2).click()

    links = turn.get_by_role("link")

    await expect(links).to_have_count(1)
    await expect(links).to_have_attribute("href", "https://shop.example/zh/policies/returns")
    await expect(links).to_have_attribute("rel", "noopener noreferrer")


async def test_sentences_and_their_sources_are_there_before_the_answer_is_complete(
    chat: ChatPage, bff: FakeBff
) -> None:
    gate = Gate()
    bff.on(QUESTION, answer(statement(RETURNS_QUOTE, RETURNS), gate))
    turn = await chat.ask(QUESTION)

    await chat.citation(turn, 1).click()

    await expect(chat.source(turn, "退货与换货政策").locator("mark")).to_have_text(RETURNS_QUOTE)
    await expect(turn.get_by_role("button", name="停止")).to_be_visible()
    gate.open()
    await chat.wait_answered(turn)


async def test_ten_sources_open_each_their_own(chat: ChatPage, bff: FakeBff) -> None:
    views = [
        citation(number, title=f"政策{number}号", section="总则", quote=f"第 {number} 条规定可以退货。")
        for number in range(1, 11)
    ]
    bff.on(QUESTION, answer(*(statement(view.quote, view) for view in views)))
    turn = await chat.ask(QUESTION)

    for view in views:
        await chat.citation(turn, view.index).click()
        await expect(chat.source(turn, view.title).locator("mark")).to_have_text(view.quote)
        await expect(chat.source(turn, view.title).locator("summary")).to_be_focused()


async def test_whole_journey_works_by_keyboard_alone(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    keyboard = chat.page.keyboard

    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await expect(chat.box).to_be_focused()
    await keyboard.insert_text(QUESTION)
    await keyboard.press("Enter")
    turn = chat.turn(QUESTION)
    await chat.wait_answered(turn)
    citing = chat.citation(turn, 2)
    await _shift_tab_to(chat, re.compile("^出处 2："))
    await keyboard.press("Enter")
    source = chat.source(turn, "配送与运费")
    await expect(source.locator("summary")).to_be_focused()
    await keyboard.press("Tab")
    await expect(source.get_by_role("button", name="回到回答")).to_be_focused()
    await keyboard.press("Enter")

    await expect(citing).to_be_focused()


async def _shift_tab_to(chat: ChatPage, name: re.Pattern[str]) -> None:
    wanted = chat.page.get_by_role("button", name=name)
    for _ in range(30):
        await chat.page.keyboard.press("Shift+Tab")
        if await wanted.evaluate("button => button === document.activeElement"):
            return
    pytest.fail(f"no way back to {name.pattern} by keyboard")
