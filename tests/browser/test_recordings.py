"""Recorded episodes in a browser: those that are shipped, those of files, and what is wrong with some."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from quantum_circuit_env.evals.recordings import recording
from support.browser import click_a_reduction, gates, history, said, state, steps, visit, wait_for_steps


def play_to_the_end(page: Page) -> None:
    page.locator("#speed").fill("20")
    page.click("#play")
    page.wait_for_selector("body[data-state=done]")


@pytest.mark.parametrize("name", ["easy-101", "medium-103", "hard-108", "hard-111"])
def test_the_recorded_optimum_ends_at_its_recorded_score(page: Page, server_url: str, name: str) -> None:
    told = page.request.get(f"{server_url}/web/episodes/{name}.json").json()
    visit(page, server_url, "easy", 42)
    page.select_option("#player", f"episodes/{name}.json")
    page.wait_for_selector("body[data-state=replaying]")
    page.click("#step-once")
    wait_for_steps(page, 1)
    play_to_the_end(page)
    assert said(page, "score") == f"{told['score']:.3f}"
    assert history(page) == [tuple(action) for action in told["actions"]]
    expect(page.locator("#status")).to_contain_text("as recorded")


def opened(page: Page, name: str, text: str) -> None:
    page.set_input_files("#record-file", {"name": name, "mimeType": "text/plain", "buffer": text.encode()})


def test_an_episode_that_was_saved_can_be_opened(page: Page, server_url: str, tmp_path: Path) -> None:
    visit(page, server_url, "medium", 7)
    for _ in range(3):
        click_a_reduction(page)
    seen, score = gates(page), said(page, "score")
    with page.expect_download() as download:
        page.click("#record-save")
    download.value.save_as(tmp_path / "saved.json")
    told = json.loads((tmp_path / "saved.json").read_text())
    assert set(told) == set(recording("easy", 1, "optimal"))
    visit(page, server_url, "easy", 42)
    page.set_input_files("#record-file", tmp_path / "saved.json")
    page.wait_for_selector("body[data-state=replaying]")
    page.locator("#replay-position").fill("3")
    wait_for_steps(page, 3)
    assert (gates(page), said(page, "score")) == (seen, score)


def test_one_can_play_on_in_the_middle_of_a_recording(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    opened(page, "x.json", json.dumps(recording("hard", 5, "optimal")))
    page.wait_for_selector("body[data-state=replaying]")
    page.locator("#replay-position").fill("2")
    wait_for_steps(page, 2)
    click_a_reduction(page)
    assert len(history(page)) == 3
    assert state(page) == "playing"


def stored_episode(**changes: Any) -> str:
    """Return a line as `evaluate` stores it, of which the page needs a part."""
    told = recording("easy", 1, "cancel-first")
    line = {
        "suite": f"quantum_circuit_env/{told['game_version']}",
        "tier": told["task"],
        "seed": told["seed"],
        "agent_id": told["player"],
        "actions": [[*action, "ok"] for action in told["actions"]],
        "score": told["score"],
    }
    return json.dumps({**line, **changes})


def test_the_episodes_of_an_evaluation_can_be_chosen_from(page: Page, server_url: str) -> None:
    visit(page, server_url, "hard", 13)
    more = recording("medium", 2, "optimal")
    second = stored_episode(tier="medium", seed=2, actions=more["actions"], score=more["score"])
    opened(page, "episodes.jsonl", f"{stored_episode()}\n{second}\n")
    page.wait_for_selector("body[data-state=replaying]")
    page.select_option("#record-episode", "1")
    page.wait_for_selector("#circuit [data-index='31']")
    play_to_the_end(page)
    assert said(page, "score") == f"{more['score']:.3f}"


HOSTILE = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ("\x00\xff", "not JSON"),
        (stored_episode(tier=HOSTILE), "its task is <img"),
        (stored_episode(tier="__proto__"), "its task is __proto__"),
        (stored_episode(seed=-1), "its seed is -1"),
        (stored_episode(seed="1"), "its seed is"),
        (stored_episode(seed=2**32), "its seed is"),
        (stored_episode(actions=[[0, 5]]), "action 0 is [0,5]"),
        (stored_episode(actions=[[HOSTILE, 1]]), "action 0 is"),
        (stored_episode(actions=[[0, 1]] * 151), "at most 150"),
        (stored_episode(actions=None), "its actions"),
        (stored_episode(score=None), "no score"),
        (stored_episode(suite="quantum_circuit_env/0.9.9"), "game version 0.9.9"),
        (f"{stored_episode()}\nnonsense", "in line 2"),
    ],
)
def test_what_is_no_recording_is_refused_in_words_and_nothing_is_lost(
    page: Page, server_url: str, text: str, told: str
) -> None:
    visit(page, server_url, "easy", 42)
    click_a_reduction(page)
    before = gates(page)
    opened(page, "bad.json", text)
    expect(page.locator("#error")).to_contain_text(told)
    assert (gates(page), steps(page)) == (before, 1)
    assert page.locator("main img, main script").count() == 0
    assert page.title() == "Quantum Circuit Optimizer"


def test_text_from_a_file_stays_text(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    lines = [stored_episode(agent_id=HOSTILE), stored_episode(agent_id="\u202e\x1b[31m]", score=0.123)]
    opened(page, f"{HOSTILE}.jsonl", "\n".join(lines))
    page.wait_for_selector("body[data-state=replaying]")
    expect(page.locator("#status")).to_contain_text("<img src=x")
    page.select_option("#record-episode", "1")
    page.wait_for_selector("body[data-state=replaying]")
    play_to_the_end(page)
    expect(page.locator("#status")).to_contain_text("says score 0.123, but playing it gives")
    assert page.locator("main img, main script").count() == 0
    assert page.title() == "Quantum Circuit Optimizer"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (f"?task={HOSTILE}&seed=1", "task must be one of easy, medium, hard"),
        ("?task=hard&seed=<b>1</b>", "seed must be an integer"),
        ("?task=hard&seed=-1", "seed must be an integer"),
        ("?task=hard&seed=4294967296", "seed must be an integer"),
        ("?task=hard&seed=1e3", "seed must be an integer"),
        ("?task=hard", "seed must be an integer"),
        ("?task=__proto__&seed=1", "task must be one of"),
    ],
)
def test_a_wrong_link_is_told_and_something_is_shown(
    page: Page, server_url: str, query: str, told: str
) -> None:
    page.goto(f"{server_url}/web{query}")
    page.wait_for_selector("body[data-state=playing]")
    expect(page.locator("#error")).to_contain_text(told)
    assert page.locator("#circuit [data-index]").count() == 32
    assert page.locator("main img, main script, main b").count() == 0


def test_the_same_file_can_be_opened_again(page: Page, server_url: str, tmp_path: Path) -> None:
    visit(page, server_url, "easy", 42)
    file = tmp_path / "again.json"
    file.write_text(json.dumps(recording("medium", 5, "optimal")))
    for seed in ("42", "43"):
        page.fill("#seed", seed)
        page.select_option("#task", "easy")
        page.click("#load")
        expect(page.locator("#status")).to_contain_text(f"easy, seed {seed}")
        with page.expect_file_chooser() as chooser:
            page.click("#record-file")
        chooser.value.set_files(file)
        page.wait_for_selector("body[data-state=replaying]")
        expect(page.locator("#status")).to_contain_text("on medium, seed 5")


def test_another_circuit_leaves_the_recording_and_its_player(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    for _ in range(2):
        page.select_option("#player", "episodes/easy-101.json")
        page.wait_for_selector("body[data-state=replaying]")
        page.click("#play")
        page.click("#random")
        page.wait_for_selector("body[data-state=playing]")
        expect(page.locator("#play")).to_have_text("Play")
        expect(page.locator("#player")).to_have_value("random-legal")
        assert (steps(page), history(page)) == (0, [])


def test_a_replay_that_is_at_its_end_plays_again(page: Page, server_url: str) -> None:
    visit(page, server_url, "easy", 42)
    page.select_option("#player", "episodes/easy-101.json")
    page.wait_for_selector("body[data-state=replaying]")
    page.locator("#speed").fill("20")
    for _ in range(2):
        page.click("#play")
        page.wait_for_selector("body[data-state=replaying]")
        page.wait_for_selector("body[data-state=done]")
    page.click("#step-once")
    expect(page.locator("#status")).to_contain_text("nothing more to replay")
