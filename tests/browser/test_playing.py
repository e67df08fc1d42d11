"""Playing in a browser: by clicks, by keys, by links, beside others and over broken connections."""

import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from qrewrite.circuits import Circuit
from qrewrite.game import Position
from qrewrite.game.view import prompt
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.server.graders import score
from support.browser import (
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


def told_score(task: str, seed: int, page: Page) -> str:
    episode = replayed(task, seed, history(page))
    scoring = TIERS[task].scoring
    return f"{score(scoring, episode.initial_count, episode.gate_count, episode.used_advanced_actions):.3f}"


def test_a_whole_easy_episode_is_played_by_clicking(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 3)
    while state(page) == "playing":
        click_a_reduction(page)
    episode = replayed("easy", 3, history(page))
    assert state(page) == "done"
    assert episode.done
    assert steps(page) == episode.steps
    assert said(page, "score") == told_score("easy", 3, page)
    assert said(page, "gates") == f"{episode.gate_count} of 20"
    assert page.locator("#before [data-index]").count() == 20
    assert page.locator("#after [data-index]").count() == episode.gate_count
    for number in RULES:
        expect(page.locator(f"#action-{number}")).to_have_attribute("aria-disabled", "true")


def test_what_is_legal_and_why_the_rest_is_not_comes_with_each_gate(page: Page, server_url: str) -> None:
    visit(page, server_url, "medium", 7)
    masks = Position(replayed("medium", 7, []).circuit()).masks()
    for index in (0, 5, 31):
        page.locator(f'#circuit [data-index="{index}"]').click()
        for number, rule in RULES.items():
            legal = bool(masks[index] & rule.bit)
            expect(page.locator(f"#action-{number}")).to_have_attribute(
                "aria-disabled", str(not legal).lower()
            )
            reason = said(page, f"reason-{number}")
            assert reason.startswith("Legal: " if legal else f"Not legal, {rule.refused.replace('_', ' ')}")


def test_an_illegal_action_is_not_played_but_explained(page: Page, server_url: str) -> None:
    visit(page, server_url, "hard", 13)
    page.locator('#circuit [data-index="0"]').click()
    page.locator("#action-3").click(force=True)
    expect(page.locator("#status")).to_contain_text("gates 0, 1, 2 are H, X, H on one qubit")
    assert (steps(page), history(page)) == (0, [])


def test_undo_and_restart_go_back_and_play_goes_on_from_there(page: Page, server_url: str) -> None:
    visit(page, server_url, "medium", 7)
    first = gates(page)
    click_a_reduction(page)
    once = gates(page)
    click_a_reduction(page)
    page.click("#undo")
    wait_for_steps(page, 1)
    assert gates(page) == once
    click_a_reduction(page)
    assert said(page, "score") == told_score("medium", 7, page)
    page.click("#restart")
    wait_for_steps(page, 0)
    assert gates(page) == first


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(10):
        if page.evaluate("document.activeElement.id") == name:
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not lead to {name}")


def test_all_can_be_done_with_the_keyboard_alone(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    tab_to(page, "seed")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.wait_for_url("**seed=3")
    tab_to(page, "circuit")
    while state(page) == "playing":
        before = steps(page)
        masks = Position(replayed("easy", 3, history(page)).circuit()).masks()
        reductions = [
            (index, number)
            for index, mask in enumerate(masks)
            for number, rule in RULES.items()
            if rule.removes and mask & rule.bit
        ]
        index, number = reductions[-1]
        page.keyboard.press("Home")
        for _ in range(index):
            page.keyboard.press("ArrowRight")
        assert said(page, "selected").startswith(f"Gate {index}:")
        page.keyboard.press(str(number))
        wait_for_steps(page, before + 1)
    assert state(page) == "done"
    assert said(page, "score") == told_score("easy", 3, page)
    count = steps(page)
    page.keyboard.press("u")
    wait_for_steps(page, count - 1)


def test_a_shared_link_reproduces_the_circuit(new_page: Callable[..., Page], server_url: str) -> None:
    sender = new_page(permissions=["clipboard-read", "clipboard-write"])
    visit(sender, server_url, "medium", 123456)
    sender.click("#share")
    link = sender.evaluate("navigator.clipboard.readText()")
    assert link == f"{server_url}/web?task=medium&seed=123456"
    receiver = new_page()
    receiver.goto(link)
    receiver.wait_for_selector("body[data-state=playing]")
    assert gates(receiver) == gates(sender)


def test_two_visitors_have_episodes_of_their_own(new_page: Callable[..., Page], server_url: str) -> None:
    one, other = new_page(), new_page()
    visit(one, server_url, "easy", 42)
    visit(other, server_url, "easy", 42)
    untouched = gates(other)
    click_a_reduction(one)
    click_a_reduction(one)
    assert (steps(one), steps(other)) == (2, 0)
    assert gates(other) == untouched
    click_a_reduction(other)
    assert (steps(one), steps(other)) == (2, 1)
    assert said(other, "score") == told_score("easy", 42, other)


@pytest.mark.parametrize("failures", [0, 2])
def test_a_dropped_connection_is_opened_again_and_the_episode_replayed(
    page: Page, server_url: str, failures: int
) -> None:
    sockets: list[WebSocketRoute] = []

    def through(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if 2 <= len(sockets) < 2 + failures:
            socket.close()
        else:
            socket.connect_to_server()

    page.route_web_socket("**/ws", through)
    visit(page, server_url, "hard", 13)
    click_a_reduction(page)
    click_a_reduction(page)
    before = gates(page)
    sockets[0].close()
    if failures:
        page.wait_for_selector("body[data-state=connecting]")
        assert "Connecting again" in said(page, "status")
    expect(page.locator("#status")).to_contain_text("Connected again")
    assert (state(page), steps(page), gates(page)) == ("playing", 2, before)
    click_a_reduction(page)
    assert len(sockets) == 2 + failures
    assert said(page, "score") == told_score("hard", 13, page)


def test_the_prompt_is_what_a_language_model_sees(page: Page, server_url: str) -> None:
    visit(page, server_url, "medium", 7)
    page.get_by_text("What a language model sees now").click()
    click_a_reduction(page)
    assert said(page, "prompt") == prompt(replayed("medium", 7, history(page)), TIERS["medium"].scoring)


def test_the_same_actions_in_python_give_the_same_score(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    click_a_reduction(page)
    click_a_reduction(page)
    page.get_by_text("The same actions in Python").click()
    expect(page.locator("#python")).to_contain_text("reset")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(said(page, "python"), "shown", "exec"), {})  # noqa: S102
    assert f"{float(printed.getvalue()):.3f}" == said(page, "score")


@pytest.mark.parametrize("player", ["random-legal", "cancel-first"])
def test_a_player_plays_legal_actions_step_by_step_and_by_itself(
    page: Page, server_url: str, player: str
) -> None:
    visit(page, server_url, "hard", 13)
    page.select_option("#player", player)
    page.click("#step-once")
    wait_for_steps(page, 1)
    page.locator("#speed").fill("20")
    page.click("#play")
    page.wait_for_selector("#history li:nth-child(3)")
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Play")
    actions = history(page)
    position = Position(replayed("hard", 13, []).circuit())
    for index, number in actions:
        assert position.masks()[index] & RULES[number].bit
        if player == "cancel-first":
            assert RULES[number].removes
        position.play(RULES[number], index)


@pytest.mark.parametrize("path", ["/", "/web", "/web/"])
def test_every_address_of_the_page_works(page: Page, server_url: str, path: str) -> None:
    visit(page, server_url, "easy", 42, path)
    click_a_reduction(page)
    assert isinstance(replayed("easy", 42, history(page)).circuit(), Circuit)
    assert re.fullmatch(r"\d\.\d{3}", said(page, "score"))


def test_a_swapped_gate_stays_selected_and_a_removed_one_does_not(page: Page, server_url: str) -> None:
    visit(page, server_url, "medium", 7)
    masks = Position(replayed("medium", 7, []).circuit()).masks()
    swap, cancel = (next(rule for rule in RULES.values() if rule.name == name) for name in ("swap", "cancel"))
    index = next(index for index, mask in enumerate(masks) if mask & swap.bit)
    page.locator(f'#circuit [data-index="{index}"]').click()
    gate = said(page, "selected").partition(":")[2]
    page.click(f"#action-{swap.action_type}")
    wait_for_steps(page, 1)
    assert said(page, "selected") == f"Gate {index + 1}:{gate}"
    page.click("#undo")
    wait_for_steps(page, 0)
    index = next(index for index, mask in enumerate(masks) if mask & cancel.bit)
    page.locator(f'#circuit [data-index="{index}"]').click()
    page.click(f"#action-{cancel.action_type}")
    wait_for_steps(page, 1)
    assert said(page, "selected") == "No gate selected"
    page.locator("#circuit").focus()
    page.keyboard.press("ArrowRight")
    assert said(page, "selected").startswith(f"Gate {index}:")
    page.keyboard.press("Escape")
    assert said(page, "selected") == "No gate selected"


def test_back_and_forward_lead_through_the_circuits(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 1)
    first = gates(page)
    page.fill("#seed", "2")
    page.click("#load")
    page.wait_for_url("**seed=2")
    page.wait_for_selector("body[data-state=playing]")
    second = gates(page)
    page.go_back()
    expect(page.locator("#status")).to_contain_text("easy, seed 1")
    page.wait_for_selector("body[data-state=playing]")
    assert gates(page) == first
    page.go_forward()
    expect(page.locator("#status")).to_contain_text("easy, seed 2")
    page.wait_for_selector("body[data-state=playing]")
    assert gates(page) == second


def test_digits_and_letters_can_be_kept_from_being_keys(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    click_a_reduction(page)
    page.get_by_text("Keyboard", exact=True).click()
    page.uncheck("#keys-on")
    page.locator("#circuit").focus()
    page.keyboard.press("u")
    assert (steps(page), len(history(page))) == (1, 1)
    page.check("#keys-on")
    page.locator("#circuit").focus()
    page.keyboard.press("u")
    wait_for_steps(page, 0)
