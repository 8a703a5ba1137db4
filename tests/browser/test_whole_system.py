"""The customer page over the running system: what the fake bff cannot prove."""

import os
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.chat_page import ChatPage
from tests.support.system import System

pytestmark = pytest.mark.browser
TWO_PARTS: Final = "能退吗，运费谁承担？"
COMPLAINT: Final = "我要投诉！你们的客服太差了。"
TICKET_MILLISECONDS: Final = 90_000
README_PICTURE: Final = Path(__file__).parents[2] / "docs" / "images" / "customer-page.png"


async def opened(page: Page, system: System) -> ChatPage:
    """Open the page that bff serves."""
    await page.goto(system.bff)
    return ChatPage(page)


async def test_every_statement_leads_to_its_quote_in_a_whole_passage(page: Page, system: System) -> None:
    chat = await opened(page, system)
    turn = await chat.ask(TWO_PARTS)
    await chat.wait_answered(turn)
    buttons = turn.get_by_role("button", name=re.compile("^出处"))
    count = await buttons.count()
    assert count >= 2

    for place in range(count):
        await buttons.nth(place).click()
        source = turn.locator("details[open]").nth(place)
        await expect(source.get_by_text("完整段落，引用处已标出")).to_be_attached()
        await expect(source.locator("mark")).not_to_be_empty()


async def test_reload_shows_the_same_conversation(page: Page, system: System) -> None:
    chat = await opened(page, system)
    turn = await chat.ask(TWO_PARTS)
    await chat.wait_answered(turn)
    await turn.get_by_role("button", name="有帮助", exact=True).click()
    await expect(turn.get_by_text("已记录：有帮助")).to_be_visible()
    shown = await turn.inner_text()

    await page.reload()

    await expect(turn).to_be_visible()
    assert await turn.inner_text() == shown


async def test_answering_again_is_a_second_attempt_beside_the_first(page: Page, system: System) -> None:
    chat = await opened(page, system)
    turn = await chat.ask(TWO_PARTS)
    await chat.wait_answered(turn)

    await turn.get_by_role("button", name="重新回答").click()

    await expect(chat.answer(turn.get_by_role("group", name="较早的回答 1"))).to_be_visible()
    await chat.wait_idle()
    await expect(chat.answer(turn)).to_have_count(2)


async def test_refused_complaint_shows_its_ticket_and_the_person_has_the_conversation(
    page: Page, system: System
) -> None:
    chat = await opened(page, system)

    turn = await chat.ask(COMPLAINT)

    await expect(chat.refusal(turn)).to_be_visible()
    confirmation = page.get_by_role("status").filter(has_text="已为您转给人工")
    await expect(confirmation).to_contain_text(re.compile(r"\d"), timeout=TICKET_MILLISECONDS)
    await chat.box.fill(TWO_PARTS)
    await chat.box.press("Enter")
    await expect(page.get_by_text("这个对话正由人工处理")).to_be_visible()
    await expect(chat.box).to_have_value(TWO_PARTS)


async def test_picture_of_an_answer_and_its_source(browser: Browser, system: System, tmp_path: Path) -> None:
    context = await browser.new_context(
        locale="zh-CN", viewport={"width": 1100, "height": 1200}, device_scale_factor=2, reduced_motion="reduce"
    )
    chat = await opened(await context.new_page(), system)
    turn = await chat.ask(TWO_PARTS)
    await chat.wait_answered(turn)
    await turn.get_by_role("button", name=re.compile("^出处 1")).click()
    await expect(turn.get_by_text("完整段落，引用处已标出")).to_be_attached()

    picture = README_PICTURE if os.environ.get("YOUJU_SCREENSHOT") == "1" else tmp_path / "customer-page.png"
    await chat.page.screenshot(path=picture)

    assert picture.stat().st_size > 0
    await context.close()
