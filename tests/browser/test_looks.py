"""The page on a phone and on a large screen, in light and dark, for the blind, and behind proxies."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from support.browser import PHONE, WIDE, click_a_reduction, history, state, steps, violations, visit
from support.prefixed import PREFIX
from support.servers import START_WITHIN, environ, free_port, stop

OPENSSL = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1")
SIZES = {"phone": PHONE, "wide": WIDE}


def open_everything(page: Page) -> None:
    for summary in page.locator("summary").all():
        summary.click()


def sideways(page: Page) -> int:
    """Return by how many pixels the page can be scrolled sideways."""
    found: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found


@pytest.mark.parametrize("task", ["easy", "medium", "hard"])
def test_on_a_phone_the_page_does_not_scroll_sideways(
    new_page: Callable[..., Page], server_url: str, task: str
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    visit(page, server_url, task, 1)
    assert sideways(page) == 0
    open_everything(page)
    click_a_reduction(page)
    assert sideways(page) == 0
    page.select_option("#player", "episodes/hard-111.json")
    page.wait_for_selector("body[data-state=replaying]")
    last = page.get_attribute("#replay-position", "max")
    page.locator("#replay-position").fill(last or "")
    page.wait_for_selector("body[data-state=done]")
    page.wait_for_selector("#after svg")
    assert sideways(page) == 0
    page.goto(f"{server_url}/web?task={'x' * 200}&seed=1")
    page.wait_for_selector("body[data-state=playing] #error:not([hidden])")
    assert sideways(page) == 0


@pytest.mark.parametrize("width", [320, 800])
def test_a_narrow_or_magnified_page_does_not_scroll_sideways(
    new_page: Callable[..., Page], server_url: str, width: int
) -> None:
    """800 pixels are a window of 1600 at 200 %."""
    page = new_page(viewport={"width": width, "height": 500})
    visit(page, server_url, "hard", 1)
    open_everything(page)
    click_a_reduction(page)
    page.locator("#circuit .reducible").first.click()
    assert sideways(page) == 0


def test_on_a_phone_gate_and_actions_are_in_sight_together_and_large_enough(
    new_page: Callable[..., Page], server_url: str
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    visit(page, server_url, "hard", 13)
    for index in (12, 35, 68):
        page.locator(f'#circuit [data-index="{index}"]').tap()
        expect(page.locator("#selected")).to_contain_text(f"Gate {index}:")
        panel = page.locator("#panel").bounding_box()
        gate = page.locator(f'#circuit [data-index="{index}"] .qc-hit').bounding_box()
        assert panel
        assert gate
        assert gate["y"] >= 0
        assert gate["y"] + gate["height"] <= panel["y"] + 1
        assert panel["y"] + panel["height"] <= PHONE["height"] + 1
    for control in page.locator("button:visible, select:visible, summary:visible, main input:visible").all():
        box = control.bounding_box()
        assert box
        assert box["height"] >= 40, control.evaluate("it => it.outerHTML")


def test_without_scripts_the_page_says_so_and_shows_no_dead_controls(
    new_page: Callable[..., Page], server_url: str
) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{server_url}/web")
    expect(page.locator("noscript .notice")).to_be_visible()
    assert not page.locator("#circuit").is_visible()
    assert page.locator("button:visible, select:visible").count() == 0
    page.get_by_text("Play from a program").click()
    assert page.get_by_text("QuantumCircuitEnv(base_url").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_serious(
    new_page: Callable[..., Page], server_url: str, axe: str, size: str, scheme: str
) -> None:
    # axe-core is put into the page from outside, which its security policy forbids to everybody else.
    page = new_page(viewport=SIZES[size], color_scheme=scheme, bypass_csp=True)
    visit(page, server_url, "medium", 7)
    assert violations(page, axe) == []
    open_everything(page)
    click_a_reduction(page)
    page.locator('#circuit [data-index="3"]').click()
    assert violations(page, axe) == []
    page.select_option("#player", "episodes/easy-101.json")
    page.wait_for_selector("body[data-state=replaying]")
    page.locator("#replay-position").fill("12")
    page.wait_for_selector("body[data-state=done]")
    page.wait_for_selector("#after svg")
    assert violations(page, axe) == []


@pytest.fixture(scope="module")
def proxied_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a server behind TLS and under a path."""
    folder = tmp_path_factory.mktemp("proxied")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [*OPENSSL, "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "support.prefixed:app", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--ssl-keyfile", str(key), "--ssl-certfile", str(certificate)]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environ(PYTHONPATH=str(Path(__file__).parents[1])),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"https://127.0.0.1:{port}{PREFIX}"
            wait_until_healthy(url, process)
            yield url
        finally:
            stop(process)


def wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_WITHIN
    with httpx.Client(verify=False, trust_env=False) as client:  # noqa: S501
        while process.poll() is None and time.monotonic() < deadline:
            try:
                client.get(f"{url}/health").raise_for_status()
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
    raise RuntimeError("the server behind TLS did not start")


@pytest.mark.parametrize("path", ["/", "/web", "/web/"])
def test_behind_tls_and_under_a_path_it_works_the_same(
    new_page: Callable[..., Page], proxied_url: str, path: str
) -> None:
    page = new_page(ignore_https_errors=True)
    visit(page, proxied_url, "easy", 42, path)
    click_a_reduction(page)
    assert (steps(page), state(page), len(history(page))) == (1, "playing", 1)
    page.select_option("#player", "episodes/hard-111.json")
    page.wait_for_selector("body[data-state=replaying]")
