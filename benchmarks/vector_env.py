"""Steps of the Gymnasium vector environment against the batched game beneath it, in CPU time, turn about.

    uv run python benchmarks/vector_env.py

Both play random legal actions, whose drawing is left out, and begin anew where an episode has ended. Warm
means that every circuit of the pool has been generated before, cold that none has.
"""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from qrewrite.batch import Episodes, generated
from qrewrite.rules import RULES
from qrewrite.tasks import SPLITS, TIERS
from quantum_circuit_env.gymnasium_envs import IDS

ENVS: Final = 1_024
CIRCUITS: Final = 500
ROUNDS: Final = 7
STEPS: Final = 30
COLD_STEPS: Final = 100

Array = NDArray[Any]
Step = Callable[[Array], object]


def seconds(masks: Callable[[], Array], step: Step, steps: int, rng: np.random.Generator) -> float:
    """Return CPU seconds a step of one episode, once the actions have been drawn."""
    spent = 0.0
    for _ in range(steps):
        legal = masks()
        actions = (legal * (1 - rng.random(legal.shape, dtype=np.float32))).argmax(axis=1)
        began = process_time()
        step(actions)
        spent += process_time() - began
    return spent / (steps * ENVS)


def line(task: str) -> str:
    """Measure a tier and return its row of the table."""
    rng = np.random.default_rng(0)
    cold_env = gymnasium.make_vec(IDS[task], num_envs=ENVS)
    cold_env.reset(seed=0)
    cold = seconds(cold_env.action_masks, cold_env.step, COLD_STEPS, rng)

    env = gymnasium.make_vec(IDS[task], num_envs=ENVS, circuits=CIRCUITS)
    env.reset(options={"circuit_seed": list(SPLITS["train"].seeds[:CIRCUITS]) + [0] * (ENVS - CIRCUITS)})
    env.reset(seed=0)
    episodes = Episodes(generated(task, SPLITS["train"].seeds[:CIRCUITS]), ENVS, rng)

    def bare(actions: Array) -> None:
        episodes.step(actions // len(RULES), actions % len(RULES) + 1)
        _ = episodes.positions.legal

    def turn(steps: int) -> tuple[float, float]:
        beneath = seconds(lambda: episodes.positions.legal.reshape(ENVS, -1), bare, steps, rng)
        return beneath, seconds(env.action_masks, env.step, steps, rng)

    turn(2 * STEPS)
    rounds = [turn(STEPS) for _ in range(ROUNDS)]
    warm = median(ours for _, ours in rounds)
    ratio = median(ours / beneath for beneath, ours in rounds)
    return f"| {task} | {1e-6 / warm:.2f} million | {ratio:.2f}x | {1e-6 / cold:.2f} million |"


if __name__ == "__main__":
    print("| | steps per CPU-second, warm | cost of the batched game's step | steps per CPU-second, cold |")
    print("| --- | ---: | ---: | ---: |")
    for name in TIERS:
        print(line(name), flush=True)
