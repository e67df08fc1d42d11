"""A drawing of hard's 70 gates on 6 qubits, as SVG and as text, against JSON of the same circuit.

    uv run python benchmarks/drawing.py

The three take turns, so that what else the machine does falls on all. The bound is on milliseconds, since a
page waits for its drawing; the ratios say the same of any machine.
"""

import json
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Final

from qrewrite.circuits import Circuit, draw_svg, draw_text
from qrewrite.tasks import generate

ROUNDS: Final = 15
SEEDS: Final = range(20)
BOUND: Final = 10
"""Milliseconds that a drawing is to stay under."""

DRAWN: Final[dict[str, Callable[[Circuit], str]]] = {
    "json.dumps": lambda circuit: json.dumps(circuit.records()),
    "draw_text": draw_text,
    "draw_svg": draw_svg,
    "draw_svg, cut at 24 columns": lambda circuit: draw_svg(circuit, columns=24),
}


def milliseconds(draw: Callable[[Circuit], str], circuits: list[Circuit]) -> float:
    """Return the CPU time of one drawing."""
    began = process_time()
    for circuit in circuits:
        draw(circuit)
    return (process_time() - began) * 1000 / len(circuits)


def report() -> str:
    """Measure and return the table in Markdown."""
    circuits = [generate("hard", seed) for seed in SEEDS]
    rounds = [[milliseconds(draw, circuits) for draw in DRAWN.values()] for _ in range(ROUNDS)]
    lines = [
        f"| {name} | {median(took):.2f} | {max(took):.2f} | "
        f"{median(mine / json_took for mine, (json_took, *_) in zip(took, rounds, strict=True)):.0f}x | "
        f"{median(len(draw(circuit).encode()) for circuit in circuits) / 1000:.1f} |"
        for (name, draw), took in zip(DRAWN.items(), zip(*rounds, strict=True), strict=True)
    ]
    return "\n".join(
        [
            f"| hard, 70 gates on 6 qubits | ms (to stay under {BOUND}) | worst | as JSON's time | kB |",
            "| --- | ---: | ---: | ---: | ---: |",
            *lines,
            "",
            f"CPU time of a drawing: median and worst of {ROUNDS} rounds on {len(SEEDS)} seeds, turn about.",
        ]
    )


if __name__ == "__main__":
    print(report())
