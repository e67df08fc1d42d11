"""What can go wrong around the page: slow answers, a full or changed server, other pages around it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from qrewrite.tasks import GAME_VERSION
from support.browser import (
    LEGAL,
    click_a_reduction,
    gates,
    history,
    replayed,
    said,
    state,
    steps,
    visit,
    wait_for_steps,
)
from support.servers import serving


class Line:
    """The page's connection, on which messages to the server can be held back."""

    def __init__(self, page: Page) -> None:
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []
        self._holding = False
        page.route_web_socket("**/ws", self._through)

    def _through(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if self._holding:
                self._held.append((server, message))
            else:
                server.send(message)

        socket.on_message(pass_on)

    def hold(self) -> None:
        self._holding = True

    def release(self) -> None:
        self._holding = False
        for server, message in self._held:
            server.send(message)
        self._held.clear()


def gates_left(page: Page) -> str:
    return said(page, "gates").partition(" ")[0]


def test_a_fast_second_click_plays_no_second_action(page: Page, server_url: str) -> None:
    line = Line(page)
    visit(page, server_url, "hard", 13)
    page.locator("#circuit .reducible").first.click()
    line.hold()
    page.locator(LEGAL).first.dblclick()
    line.release()
    wait_for_steps(page, 1)
    click_a_reduction(page)
    assert (steps(page), len(history(page))) == (2, 2)
    assert gates_left(page) == str(replayed("hard", 13, history(page)).gate_count)


def test_undo_while_an_action_is_under_way_undoes_that_action(page: Page, server_url: str) -> None:
    line = Line(page)
    visit(page, server_url, "hard", 13)
    click_a_reduction(page)
    before = gates(page)
    page.locator("#circuit .reducible").first.click()
    line.hold()
    page.locator(LEGAL).first.click()
    page.click("#undo")
    line.release()
    expect(page.locator("#status")).to_contain_text("After 1 of 2 actions")
    wait_for_steps(page, 1)
    assert gates(page) == before


def test_an_action_while_another_circuit_is_loading_confuses_neither(page: Page, server_url: str) -> None:
    line = Line(page)
    visit(page, server_url, "hard", 13)
    page.locator("#circuit .reducible").first.click()
    line.hold()
    page.fill("#seed", "14")
    page.click("#load")
    page.locator(LEGAL).first.click()
    line.release()
    expect(page.locator("#status")).to_contain_text("hard, seed 14")
    wait_for_steps(page, 0)
    click_a_reduction(page)
    click_a_reduction(page)
    assert gates_left(page) == str(replayed("hard", 14, history(page)).gate_count)


def test_of_several_circuits_asked_for_the_last_is_shown(page: Page, server_url: str) -> None:
    line = Line(page)
    visit(page, server_url, "easy", 1)
    line.hold()
    for task in ("medium", "hard", "easy"):
        page.select_option("#task", task)
    page.fill("#seed", "2")
    page.click("#load")
    line.release()
    expect(page.locator("#status")).to_contain_text("easy, seed 2")
    page.wait_for_selector("body[data-state=playing]")
    assert page.url.endswith("?task=easy&seed=2")
    assert page.locator("#circuit [data-index]").count() == 20


def test_a_drawing_that_does_not_come_is_asked_for_again(
    new_page: Callable[..., Page], server_url: str
) -> None:
    page = new_page(excused="net::ERR_FAILED")
    visit(page, server_url, "medium", 7)
    page.route("**/web/drawing", lambda route: route.abort())
    page.locator("#circuit .reducible").first.click()
    page.locator(LEGAL).first.click()
    expect(page.locator("#status")).to_contain_text("Connecting again")
    page.unroute("**/web/drawing")
    wait_for_steps(page, 1)
    assert page.locator("#circuit [data-index]").count() == 30


def test_a_full_server_says_so_and_lets_the_next_visitor_in_when_one_leaves(
    new_page: Callable[..., Page], tmp_path: Path
) -> None:
    with serving(tmp_path, variables={"MAX_CONCURRENT_ENVS": "1"}) as url:
        one, other = new_page(), new_page()
        visit(one, url, "easy", 42)
        other.goto(f"{url}/web?task=easy&seed=43")
        expect(other.locator("#status")).to_contain_text("Connecting again: ")
        expect(other.locator("#status")).to_contain_text("1")
        assert state(other) == "connecting"
        one.close()
        other.wait_for_selector("body[data-state=playing]")
        click_a_reduction(other)
        assert steps(other) == 1
        for page in (one, other):
            page.close()


def test_a_server_with_another_game_asks_for_the_page_to_be_loaded_again(page: Page, server_url: str) -> None:
    def older(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(
            response=answer,
            body=answer.text().replace(f'"game_version": "{GAME_VERSION}"', '"game_version": "0.0.1"'),
        )

    page.route("**/web?*", older)
    page.goto(f"{server_url}/web?task=easy&seed=42")
    expect(page.locator("#error")).to_contain_text(f"game version {GAME_VERSION}, this page 0.0.1: reload")
    assert state(page) == "error"


@pytest.mark.parametrize("button", ["share", "python-copy"])
def test_in_a_frame_that_forbids_the_clipboard_there_is_text_to_copy(
    new_page: Callable[..., Page], server_url: str, button: str
) -> None:
    page = new_page(excused="Permissions policy violation")
    address = f"{server_url}/web?task=easy&seed=42"

    def framed(route: Route) -> None:
        # Only Hugging Face may frame the page, which a test cannot be.
        answer = route.fetch()
        headers = {name: text for name, text in answer.headers.items() if "policy" not in name}
        route.fulfill(response=answer, headers=headers)

    outer = server_url.replace("127.0.0.1", "localhost") + "/outer"
    page.route("**/web?*", framed)
    page.route(
        "**/outer",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<!DOCTYPE html><html lang="en"><title>x</title><link rel="icon" href="data:,">'
            f'<iframe width="900" height="900" allow="clipboard-write \'none\'" src="{address}"></iframe>',
        ),
    )
    page.goto(outer)
    frame = page.frame_locator("iframe")
    expect(frame.locator("body")).to_have_attribute("data-state", "playing")
    if button == "share":
        frame.locator("#share").click()
        expect(frame.locator("#link")).to_have_value(address)
    else:
        frame.get_by_text("The same actions in Python").click()
        frame.locator("#python-copy").click()
    expect(frame.locator(f"#{button}")).to_have_text("Copied")
