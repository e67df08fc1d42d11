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
    # Pages that a test answers for a server are of no known network, from which 127.0.0.1 would be closed.
    "--disable-features=LocalNetworkAccessChecks",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return what opens a page with a profile of its own.

    Errors and blocked loads on any of them fail the test, but those that contain `excused`.
    """
    contexts, complaints = [], []

    def opened(*, excused: str | None = None, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()

        def complain(text: str) -> None:
            if excused is None or excused not in text:
                complaints.append(text)

        page.on("pageerror", lambda error: complain(str(error)))
        page.on("console", lambda line: complain(line.text) if line.type in ("error", "warning") else None)
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
