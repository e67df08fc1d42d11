"""Steps of the game in process against steps of Gymnasium's CartPole-v1, in CPU time.

    uv run python benchmarks/in_process.py

Both play recorded actions, turn about, so that what else the machine does falls on both; resets are left
out. A ratio of 4 means that CartPole's step takes 4 times as long as ours.
"""

from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from time import process_time

import gymnasium

from qrewrite.game import Action, Episode
from qrewrite.policies import Policy, cancel_first, play, random_legal, uniform
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.server.arguments import check_reset
from quantum_circuit_env.server.session import Session

ROUNDS = 15
SEEDS = range(50)
POLICIES: dict[str, Policy] = {
    "random legal": random_legal,
    "uniform": uniform,
    "cancel-first": cancel_first,
}


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


def ratio(measure: Callable[[], float], reference: Callable[[], float]) -> tuple[float, float]:
    """Return the median ratio reference / measure of interleaved rounds, and the median of measure."""
    pairs = [(reference(), measure()) for _ in range(ROUNDS)]
    return median(theirs / mine for theirs, mine in pairs), median(mine for _, mine in pairs)


def main() -> None:
    """Print the ratios."""
    print(f"{'':32}{'step':>16}{'step + observation':>24}")
    for task in TIERS:
        for name, policy in POLICIES.items():
            records = recorded(task, policy)
            line = f"{task + ', ' + name:32}"
            for observe, width in ((False, 16), (True, 24)):
                times, seconds = ratio(
                    lambda records=records, observe=observe, task=task: ours(task, records, observe=observe),
                    lambda: cartpole(4_000),
                )
                line += f"{f'{times:.1f}x ({seconds * 1e6:.2f} µs)':>{width}}"
            print(line, flush=True)
    print("times CartPole-v1's speed; in brackets the CPU time of ours")


if __name__ == "__main__":
    main()
