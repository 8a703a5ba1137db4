"""The page under the rules of axe-core, in both languages, wide and narrow, light and dark."""

from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.async_api import Browser, expect

from contracts.reasons import RefusalReason
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import FULL_ANSWER, RETURNS, RETURNS_QUOTE, answer, failure, not_covered, refusal, statement

pytestmark = pytest.mark.browser
AXE: Final = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
SCRIPTS: Final = {
    "能退吗，运费谁承担？": FULL_ANSWER,
    "一半": answer(statement(RETURNS_QUOTE, RETURNS), not_covered("另一半没有依据。"), coverage="partial"),
    "坏掉": failure(),
    "我要投诉": refusal(RefusalReason.ESCALATION_TOPIC, "投诉由专人处理。", handoff="required"),
}


@pytest.mark.parametrize("width", [320, 1100])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["zh-CN", "en-GB"])
async def test_no_rule_is_broken(
    browser: Browser, bff: FakeBff, customer_page_url: str, width: int, scheme: Literal["light", "dark"], locale: str
) -> None:
    context = await browser.new_context(
        locale=locale, color_scheme=scheme, reduced_motion="reduce", viewport={"width": width, "height": 800}
    )
    page = await context.new_page()
    await page.goto(customer_page_url)
    for question, script in SCRIPTS.items():
        bff.on(question, script)
        await page.get_by_role("textbox").fill(question)
        await page.get_by_role("textbox").press("Enter")
        await expect(page.get_by_role("article").last.get_by_role("heading", level=2)).to_contain_text(question)
        await expect(page.locator(".waiting")).to_have_count(0)
    await page.locator(".citation").first.click()
    await expect(page.locator("details[open] mark")).to_have_text(RETURNS_QUOTE)

    await page.evaluate(AXE.read_text(encoding="utf-8"))
    broken = await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id, help }) => [id, help]))")

    assert broken == []
    await context.close()
