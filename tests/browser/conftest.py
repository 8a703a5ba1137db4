"""Chromium, the built customer page, and the fake bff behind it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import uvicorn
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from tests.browser.chat_page import ChatPage
from tests.browser.fake_api import fake_api
from tests.browser.fake_bff import FakeBff
from tests.support.chromium import chromium_on_path

PAGE: Final = Path(__file__).parents[2] / "web" / "dist"
WAIT_MILLISECONDS: Final = 30_000
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Start the Chromium of this machine once for all browser tests."""
    expect.set_options(timeout=WAIT_MILLISECONDS)
    async with async_playwright() as playwright:
        path = chromium_on_path() or playwright.chromium.executable_path
        started = await playwright.chromium.launch(executable_path=path, headless=True, args=list(_FLAGS))
        yield started
        await started.close()


@pytest.fixture
def bff() -> FakeBff:
    """Give a fake bff that nothing has happened to."""
    return FakeBff()


@pytest.fixture
async def customer_page_url(bff: FakeBff) -> AsyncIterator[str]:
    """Serve the built page with the fake bff behind it."""
    if not (PAGE / "index.html").exists():
        pytest.fail("The customer page is not built: run `npm ci && npm run build` in web.")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(fake_api(bff, PAGE), log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        await bff.hang_up()
        server.should_exit = True
        await serving


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Give a fresh browser profile whose visitor reads Chinese and has asked for less motion."""
    fresh = await browser.new_context(locale="zh-CN", reduced_motion="reduce", viewport={"width": 1100, "height": 900})
    fresh.set_default_timeout(WAIT_MILLISECONDS)
    yield fresh
    await fresh.close()


@pytest.fixture
async def page(context: BrowserContext) -> AsyncIterator[Page]:
    """Give a tab, and fail when a script on it throws or writes an error of its own."""
    tab = await context.new_page()
    faults: list[str] = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    yield tab
    assert faults == []


@pytest.fixture
async def chat(page: Page, customer_page_url: str) -> ChatPage:
    """Open the customer page of the fake bff."""
    await page.goto(customer_page_url)
    return ChatPage(page)
