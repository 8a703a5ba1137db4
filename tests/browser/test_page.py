import re

import pytest
from playwright.async_api import Browser, Page, expect

from contracts.reasons import RefusalReason
from tests.browser.chat_page import ChatPage
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import (
    FULL_ANSWER,
    RETURNS,
    RETURNS_QUOTE,
    TRACE_ID,
    answer,
    citation,
    failure,
    not_covered,
    refusal,
    statement,
)

pytestmark = pytest.mark.browser
QUESTION = "能退吗，运费谁承担？"
PAYLOAD = '<img src=x onerror="window.struck = true"><script>window.struck = true</script>{{ 7 * 7 }}<b>粗</b>'
SMALLEST_TARGET_PIXELS = 44


async def everything(chat: ChatPage, bff: FakeBff) -> None:
    """Bring every look of the page onto one screen."""
    bff.on(QUESTION, FULL_ANSWER)
    bff.on("一半", answer(statement(RETURNS_QUOTE, RETURNS), not_covered("另一半没有依据。"), coverage="partial"))
    bff.on("坏掉", failure())
    bff.on("没有", refusal(RefusalReason.NO_AUTHORIZED_EVIDENCE, "没有找到。"))
    bff.on("我要投诉", refusal(RefusalReason.ESCALATION_TOPIC, "投诉由专人处理。", handoff="required"))
    for question in (QUESTION, "一半", "坏掉", "没有", "我要投诉"):
        await chat.ask(question)
        await chat.wait_idle()
    first = chat.turn(QUESTION)
    await chat.citation(first, 1).click()
    await expect(chat.source(first, RETURNS.title).locator("mark")).to_have_text(RETURNS_QUOTE)
    await first.get_by_role("button", name="没有帮助").click()


async def test_payload_in_question_and_quote_stays_text(chat: ChatPage, bff: FakeBff) -> None:
    view = citation(1, title=PAYLOAD, section=PAYLOAD, quote=PAYLOAD, source_url="javascript:window.struck=true")
    bff.on(PAYLOAD, answer(statement(PAYLOAD, view)))

    turn = await chat.ask(PAYLOAD)
    await turn.get_by_role("button", name=re.compile("^出处 1")).click()

    await expect(turn.locator("mark")).to_have_text(PAYLOAD)
    await expect(turn.get_by_role("heading", level=2)).to_contain_text(PAYLOAD)
    await expect(chat.answer(turn)).to_contain_text(PAYLOAD)
    await expect(turn.locator("img, script, b, a")).to_have_count(0)
    assert await chat.page.evaluate("window.struck") is None


async def test_text_that_looks_like_a_marker_makes_no_button(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, answer(statement("订单 ref 3 与 [2]，见 (1)。", RETURNS)))

    turn = await chat.ask(QUESTION)

    await chat.wait_answered(turn)
    await expect(turn.get_by_role("button", name=re.compile("^出处"))).to_have_count(1)


async def test_no_internal_id_is_on_the_page(chat: ChatPage, bff: FakeBff) -> None:
    await everything(chat, bff)

    shown = await chat.page.content() + chat.page.url

    assert re.search(r"(att|cnv|esc|cus)_[0-9a-f]", shown) is None
    assert TRACE_ID not in shown


async def test_narrow_window_never_scrolls_sideways(chat: ChatPage, bff: FakeBff) -> None:
    await chat.page.set_viewport_size({"width": 320, "height": 640})
    bff.on("长", answer(statement("A" * 400, citation(1, title="B" * 200, section="C" * 200, quote="D" * 400))))

    await everything(chat, bff)
    turn = await chat.ask("长")
    await chat.citation(turn, 1).click()
    await expect(turn.locator("mark")).to_have_text("D" * 400)

    assert await chat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


async def test_every_control_is_a_target_of_44_pixels(chat: ChatPage, bff: FakeBff) -> None:
    await chat.page.set_viewport_size({"width": 320, "height": 640})
    await everything(chat, bff)

    small = await chat.page.evaluate(
        """(least) => [...document.querySelectorAll('button, summary, select, textarea, main a')]
            .filter((control) => control.checkVisibility())
            .filter((control) => {
              const { width, height } = control.getBoundingClientRect()
              return width < least || height < least
            })
            .map((control) => control.textContent)""",
        SMALLEST_TARGET_PIXELS,
    )

    assert small == []


async def test_language_can_be_switched_and_the_answer_stays(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    await chat.wait_answered(await chat.ask(QUESTION))

    await chat.page.get_by_role("button", name="English").click()

    await expect(chat.page.get_by_role("group", name="Answer with evidence")).to_contain_text(RETURNS_QUOTE)
    await expect(chat.page.locator("html")).to_have_attribute("lang", "en")
    await expect(chat.page.get_by_role("textbox", name="Your question")).to_be_visible()


async def test_visitor_who_prefers_english_reads_english(browser: Browser, customer_page_url: str) -> None:
    context = await browser.new_context(locale="en-GB")
    page = await context.new_page()

    await page.goto(customer_page_url)

    await expect(page.get_by_role("heading", name="How can we help?")).to_be_visible()
    await context.close()


@pytest.mark.parametrize(("query", "tenant"), [("", "demo"), ("?tenant=37signals", "37signals")])
async def test_tenant_comes_from_the_address(
    page: Page, customer_page_url: str, bff: FakeBff, query: str, tenant: str
) -> None:
    await page.goto(f"{customer_page_url}/{query}")

    await ChatPage(page).ask(QUESTION)

    await expect(page.get_by_role("article")).to_be_visible()
    await ChatPage(page).wait_idle()
    assert bff.tenants == [tenant]


async def test_new_text_is_in_a_live_region(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)

    turn = await chat.ask(QUESTION)

    await expect(turn.locator("[aria-live=polite]")).to_contain_text(RETURNS_QUOTE)


async def test_page_loads_nothing_from_elsewhere(page: Page, customer_page_url: str) -> None:
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))

    await page.goto(customer_page_url)

    await expect(page.get_by_role("heading", level=2)).to_be_visible()
    assert [address for address in addresses if not address.startswith(customer_page_url)] == []


async def test_question_past_the_limit_is_not_sent(chat: ChatPage, bff: FakeBff) -> None:
    await chat.box.fill("退" * 10_001)

    await chat.box.press("Enter")

    await expect(chat.page.get_by_text("超出 1 字")).to_be_visible()
    assert bff.asks == []
