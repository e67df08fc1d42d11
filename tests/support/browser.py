"""The playground as a test handles it: by what is on the page."""

import re
from typing import Any, Final

from playwright.sync_api import Page

from qrewrite.game import Episode
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS, generate

READY: Final = "body:not([data-state=connecting])"
WIDE: Final = {"width": 1600, "height": 1000}
PHONE: Final = {"width": 390, "height": 844}
LEGAL: Final = ", ".join(
    f"#action-{rule.action_type}[aria-disabled=false]" for rule in RULES.values() if rule.removes
)
"""The buttons of the reductions that are legal on the selected gate."""


def visit(page: Page, url: str, task: str, seed: int, path: str = "/web") -> None:
    """Open the playground on a circuit and wait until it is drawn."""
    page.goto(f"{url}{path}?task={task}&seed={seed}")
    page.wait_for_selector(f"{READY} #circuit svg")


def steps(page: Page) -> int:
    return int(page.get_attribute("body", "data-steps") or "")


def state(page: Page) -> str:
    return page.get_attribute("body", "data-state") or ""


def wait_for_steps(page: Page, count: int) -> None:
    page.wait_for_selector(f'body[data-steps="{count}"]:not([data-state=connecting])')


def gates(page: Page) -> list[str]:
    """Return what the drawing says of its gates, in the order of their indices."""
    found = page.locator("#circuit [data-index] > title").all_text_contents()
    return [title for _, title in sorted((int(title.partition(":")[0]), title) for title in found)]


def said(page: Page, name: str) -> str:
    return page.locator(f"#{name}").text_content() or ""


def history(page: Page) -> list[tuple[int, int]]:
    """Return the actions of the history, as (target_index, action_type)."""
    types = {rule.name: rule.action_type for rule in RULES.values()}
    lines = page.locator("#history .what").all_text_contents()
    found = [re.fullmatch(r"([a-z]+)\((\d+)\)", line) for line in lines]
    return [(int(one[2]), types[one[1]]) for one in found if one]


def replayed(task: str, seed: int, actions: list[tuple[int, int]]) -> Episode:
    """Return the episode as the library plays it."""
    episode = Episode(generate(task, seed), par=TIERS[task].par)
    for index, action_type in actions:
        episode.play(action_type, index)
    return episode


def click_a_reduction(page: Page) -> None:
    """Click the first gate that is ringed and the first action that removes gates of it."""
    before = steps(page)
    page.locator("#circuit .reducible").first.click()
    page.locator(LEGAL).first.click()
    wait_for_steps(page, before + 1)


def violations(page: Page, axe: str) -> list[Any]:
    """Return what axe-core finds that is serious or critical."""
    page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate("axe.run().then(found => found.violations)")
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
