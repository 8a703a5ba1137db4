"""The customer page as a customer sees it: by role and name, never by what only the code knows."""

import re
from typing import Final

from playwright.async_api import Locator, Page, expect

_QUESTION: Final = "您的问题"


class ChatPage:
    """One open customer page, in Chinese."""

    def __init__(self, page: Page) -> None:
        """Speak about this tab."""
        self.page = page
        self.box = page.get_by_role("textbox", name=_QUESTION)

    async def ask(self, question: str) -> Locator:
        """Type a question, send it with Enter, and give the turn it begins."""
        await self.box.fill(question)
        await self.box.press("Enter")
        turn = self.turn(question)
        await expect(turn).to_be_visible()
        return turn

    def turn(self, question: str) -> Locator:
        """Find what stands under a question."""
        return self.page.get_by_role("article").filter(
            has=self.page.get_by_role("heading", name=f"您问 {question}", exact=True, level=2)
        )

    def citation(self, turn: Locator, number: int) -> Locator:
        """Find a citation button in an answer."""
        return turn.get_by_role("button", name=re.compile(f"^出处 {number}："))

    def source(self, turn: Locator, title: str) -> Locator:
        """Find a source below an answer."""
        return turn.get_by_role("group", name="出处").get_by_role("listitem").filter(has_text=title)

    def refusal(self, turn: Locator) -> Locator:
        """Find the refusal in a turn."""
        return turn.get_by_role("group", name="未作回答")

    def answer(self, turn: Locator) -> Locator:
        """Find the answer in a turn, whole or in part."""
        return turn.get_by_role("group", name=re.compile("有依据的回答$"))

    def failure(self, turn: Locator) -> Locator:
        """Find the failure in a turn."""
        return turn.get_by_role("alert")

    async def wait_answered(self, turn: Locator) -> None:
        """Wait until the attempt is complete: only then may it be judged."""
        await expect(turn.get_by_role("group", name="这个回答有帮助吗？").last).to_be_visible()

    async def wait_idle(self) -> None:
        """Wait until no attempt is being answered."""
        await expect(self.page.get_by_text("按 Enter 发送")).to_be_attached()

    async def text(self) -> str:
        """Read everything the page shows."""
        return await self.page.locator("body").inner_text()
