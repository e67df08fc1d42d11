"""Debian's Chromium, looking at a server's playground; whatever the browser complains of fails the test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from support.browser import WIDE

CHROMIUM: Final = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Without a sandbox since CI runs as root; and nothing is to be asked of any host but ours.
_OPTIONS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return what opens a page with a profile of its own; errors and blocked loads on any fail the test."""
    contexts, complaints = [], []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: line.type in ("error", "warning") and complaints.append(line.text))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture(scope="session")
def axe() -> str:
    """Source of axe-core, which the leg `browser` fetches from npm and names in AXE_CORE."""
    return Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")
