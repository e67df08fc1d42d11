"""Steps of the game in process against steps of Gymnasium's CartPole-v1, in CPU time.

    uv run python benchmarks/in_process.py

Both play recorded actions, turn about, so that what else the machine does falls on both. Resets are left out
on both sides and told apart. A ratio of 4 means that CartPole's step takes 4 times as long as ours.
"""

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Final, NamedTuple

import gymnasium

from qrewrite.game import Action, Episode
from qrewrite.policies import Policy, cancel_first, play, random_legal, uniform
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.server.arguments import check_reset
from quantum_circuit_env.server.session import Session

ROUNDS: Final = 9
SEEDS: Final = range(50)
POLICIES: Final[dict[str, Policy]] = {
    "random legal": random_legal,
    "uniform": uniform,
    "cancel-first": cancel_first,
}

MEANING: Final = (
    "How many times as fast as a step of Gymnasium's CartPole-v1, which includes its observation; in "
    f"brackets the CPU time of ours. Medians of {ROUNDS} rounds, turn about. The observation is all that a "
    "server tells, ready to be written as JSON: circuit, prompt and metadata."
)


def cartpole(steps: int) -> float:
    """Return CPU seconds a step, over whole episodes of random actions; resets are not counted."""
    env = gymnasium.make("CartPole-v1")
    rng = Random(0)
    spent, played = 0.0, 0
    while played < steps:
        env.reset(seed=played)
        actions = [int(rng.random() * 2) for _ in range(500)]
        began = process_time()
        taken = 0
        terminated = truncated = False
        while not (terminated or truncated):
            _, _, terminated, truncated, _ = env.step(actions[taken])
            taken += 1
        spent += process_time() - began
        played += taken
    return spent / played


def recorded(task: str, policy: Policy) -> list[tuple[int, list[Action]]]:
    """Return what the policy plays on each seed."""
    return [(seed, play(Episode(generate(task, seed)), policy, Random(seed))) for seed in SEEDS]


def sessions(task: str) -> Iterator[Session]:
    """Yield a fresh session for each seed."""
    for seed in SEEDS:
        start = check_reset({"seed": seed, "task": task}, default_task=task)
        yield Session(start, Episode(start.circuit(), par=start.par), "benchmark")


def ours(task: str, records: list[tuple[int, list[Action]]], *, observe: bool) -> float:
    """Return CPU seconds a step, with or without the JSON-ready observation after each."""
    # All sessions are made before the clock starts, so that making one does not cool the caches for the next.
    plays = [(session, actions) for session, (_, actions) in zip(sessions(task), records, strict=True)]
    began = process_time()
    for session, actions in plays:
        step, look = session.episode.play, session.payload
        if observe:
            for index, action_type in actions:
                step(action_type, index)
                look()
        else:
            for index, action_type in actions:
                step(action_type, index)
    return (process_time() - began) / sum(len(actions) for _, actions in records)


class Comparison(NamedTuple):
    """How many times as fast as CartPole, and CPU seconds a step of either; each a median of its own."""

    times: float
    ours: float
    theirs: float


def compared(measure: Callable[[], float]) -> Comparison:
    """Measure in rounds, turn about with CartPole."""
    pairs = [(cartpole(4_000), measure()) for _ in range(ROUNDS)]
    return Comparison(
        median(theirs / mine for theirs, mine in pairs),
        median(mine for _, mine in pairs),
        median(theirs for theirs, _ in pairs),
    )


def comparisons(task: str, policy: Policy) -> list[Comparison]:
    """Compare a policy's steps, without and with observations."""
    records = recorded(task, policy)
    return [compared(partial(ours, task, records, observe=observe)) for observe in (False, True)]


def reset_microseconds(task: str) -> float:
    """Return the CPU time of making an episode: drawing its circuit and finding what is legal on it."""

    def once() -> float:
        began = process_time()
        made = len(list(sessions(task)))
        return (process_time() - began) / made

    return median(once() for _ in range(ROUNDS)) * 1e6


def report() -> str:
    """Measure and return the table in Markdown, with what its figures are."""
    lines, theirs = [], []
    for task in TIERS:
        for name, policy in POLICIES.items():
            found = comparisons(task, policy)
            cells = [f"{one.times:.1f}x ({one.ours * 1e6:.2f} µs)" for one in found]
            lines.append(f"| {task}, {name} | {' | '.join(cells)} |")
            theirs += [one.theirs * 1e6 for one in found]
    resets = ", ".join(f"{reset_microseconds(task):.0f} µs on {task}" for task in TIERS)
    return "\n".join(
        [
            "| | step | step + observation |",
            "| --- | ---: | ---: |",
            *lines,
            "",
            f"{MEANING} CartPole's step took {min(theirs):.1f} to {max(theirs):.1f} µs. "
            f"Resets are left out on both sides; one of ours takes {resets}.",
        ]
    )


if __name__ == "__main__":
    print(report())
