"""Steps per CPU second in process: one game, many at once, and Gymnasium's CartPole of both kinds.

    uv run python benchmarks/together.py

All take turns in every round, so that what else the machine does falls on all. A step of ours leaves the
masks of legal actions after it; drawing actions is left out everywhere.
"""

from statistics import median
from typing import Final

import batched
import gymnasium
import in_process
import numpy as np

from qrewrite.batch import Starts, generated
from qrewrite.tasks import TIERS

ROUNDS: Final = 5
NAMES: Final = (
    "one game",
    *(f"{size:,} at once" for size in batched.SIZES),
    "CartPole",
    f"CartPole, {batched.CARTPOLES:,} at once",
)


def steps_per_second(task: str, policy: str, starts: Starts) -> list[float]:
    """Return the steps per CPU second of each of NAMES."""
    env = gymnasium.make_vec(
        "CartPole-v1", num_envs=batched.CARTPOLES, vectorization_mode="vector_entry_point"
    )
    env.reset(seed=0)
    rng, scalar = np.random.default_rng(1), batched.Scalar(task)
    batches = [batched.Batch(starts, size, batched.POLICIES[policy]) for size in batched.SIZES]
    rounds = [
        [
            scalar.seconds(),
            *(batch.seconds() for batch in batches),
            in_process.cartpole(2_000),
            batched.cartpole(env, rng),
        ]
        for _ in range(ROUNDS)
    ]
    return [1 / median(column) for column in zip(*rounds, strict=True)]


def report() -> str:
    """Measure and return the table in Markdown."""
    lines = []
    for task in TIERS:
        starts = generated(task, batched.SEEDS)
        for policy in ("random legal", "reductions first"):
            cells = [f"{speed:,.0f}" for speed in steps_per_second(task, policy, starts)]
            lines.append(f"| {task}, {policy} | {' | '.join(cells)} |")
    return "\n".join(
        [
            f"| steps per CPU-second | {' | '.join(NAMES)} |",
            f"| --- | {' | '.join(['---:'] * len(NAMES))} |",
            *lines,
            "",
            f"Medians of {ROUNDS} rounds, turn about. The one game plays random legal in every row. A step "
            "of ours leaves the legal actions, and many at once begin anew where an episode has ended; "
            "CartPole's leaves its observation. Resets are left out where one environment is stepped.",
        ]
    )


if __name__ == "__main__":
    print(report())
