"""How fast the playground is in a browser, with Debian's Chromium on hard.

    uv run --group browser python benchmarks/playground.py

Times are the page's own marks: from its files being there to the first circuit, and from a click on an action
to the circuit redrawn. Beside them stands what a round trip to the server alone takes in the same browser.
"""

import os
from statistics import median
from typing import Final

from hosting import OURS, serving
from playwright.sync_api import Page, sync_playwright

CHROMIUM: Final = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ROUNDS: Final = 9
FIRST_WITHIN: Final = 300
CLICK_WITHIN: Final = 50
"""Milliseconds that the page is to stay under."""

_CLICKS: Final = """
() => {
    const of = (name) => performance.getEntriesByName(name).map((mark) => mark.startTime);
    const clicks = of("qc:click");
    return of("qc:drawn").map((drawn, at) => drawn - clicks[at]);
}
"""
_FIRST: Final = "() => performance.measure('first', 'qc:files', 'qc:first-draw').duration"
_ROUND_TRIP: Final = """
async () => {
    const took = [];
    for (let turn = 0; turn < 9; turn += 1) {
        const began = performance.now();
        await (await fetch("/health", { cache: "no-store" })).text();
        took.push(performance.now() - began);
    }
    return took;
}
"""


def clicks(page: Page) -> list[float]:
    """Play a reduction of each circuit by clicking until there is none, and return what each took."""
    while (
        page.locator("#circuit .reducible").count() and page.get_attribute("body", "data-state") == "playing"
    ):
        before = page.get_attribute("body", "data-steps")
        page.locator("#circuit .reducible").first.click()
        legal = ", ".join(f"#action-{number}[aria-disabled=false]" for number in (1, 3, 4))
        page.locator(legal).first.click()
        page.wait_for_selector(f'body:not([data-steps="{before}"]):not([data-state=connecting])')
    found: list[float] = page.evaluate(_CLICKS)
    return found


def main() -> None:
    """Measure and print a table in Markdown."""
    first, clicked, trips = [], [], []
    with serving(OURS) as server, sync_playwright() as playwright:
        server.wait()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for seed in range(ROUNDS):
            page = browser.new_page(viewport={"width": 1600, "height": 1000})
            page.goto(f"http://127.0.0.1:{server.port}/web?task=hard&seed={seed}")
            page.wait_for_selector("body[data-state=playing] #circuit svg")
            first.append(page.evaluate(_FIRST))
            clicked += clicks(page)
            trips += page.evaluate(_ROUND_TRIP)
            page.close()
        browser.close()
    trip = median(trips)
    print("| hard, in Chromium | ms | worst | to stay under | round trips |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, took, bound in (
        ("files arrived to first circuit drawn", first, FIRST_WITHIN),
        ("click to redrawn circuit", clicked, CLICK_WITHIN),
    ):
        print(f"| {name} | {median(took):.0f} | {max(took):.0f} | {bound} | {median(took) / trip:.1f} |")
    print(
        f"\nMedians of {len(first)} pages and {len(clicked)} clicks; a round trip to /health alone took "
        f"{trip:.1f} ms."
    )


if __name__ == "__main__":
    main()
