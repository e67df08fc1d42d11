"""Steps of batched episodes against Gymnasium's vectorised CartPole and the game one episode at a time.

    uv run python benchmarks/batched.py

All in CPU time, turn about, so that what else the machine does falls on all. A step of ours leaves the legal
actions of every episode ready in an array and begins anew where an episode has ended; CartPole's likewise
leaves its observations ready and resets itself. Drawing actions is left out everywhere.
"""

from collections.abc import Callable
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from qrewrite.batch import Episodes, Starts, generated
from qrewrite.game import Episode
from qrewrite.policies import play, random_legal
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS, generate

ROUNDS: Final = 5
STEPS: Final = 60
SEEDS: Final = range(500)
SIZES: Final = (1_024, 4_096)
CARTPOLES: Final = 1_024

Array = NDArray[Any]
Draw = Callable[[Episodes, np.random.Generator], tuple[Array, Array]]


def random_legal_actions(episodes: Episodes, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw from all legal actions, swaps included, each equally likely."""
    return _drawn(episodes.positions.legal, rng)


def reductions_first(episodes: Episodes, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw from the legal actions that remove gates, from all legal ones where there are none."""
    legal = episodes.positions.legal
    reductions = legal & np.array([rule.removes > 0 for rule in RULES.values()])
    return _drawn(np.where(reductions.any(axis=(1, 2))[:, None, None], reductions, legal), rng)


def uniform_actions(episodes: Episodes, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw index and type, legal or not."""
    counts = np.maximum(episodes.positions.counts, 1)
    return rng.integers(counts), rng.integers(1, len(RULES) + 1, len(episodes))


def _drawn(legal: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    lots = legal * (1 - rng.random(legal.shape, dtype=np.float32))
    index, kind = np.divmod(lots.reshape(len(legal), -1).argmax(axis=1), len(RULES))
    return index, kind + 1


POLICIES: Final[dict[str, Draw]] = {
    "random legal": random_legal_actions,
    "uniform": uniform_actions,
    "reductions first": reductions_first,
}


class Batch:
    """Episodes in the midst of their play, each at another step."""

    def __init__(self, starts: Starts, size: int, draw: Draw) -> None:
        self._rng, self._draw = np.random.default_rng(0), draw
        self._episodes = Episodes(starts, size, self._rng)
        for _ in range(STEPS):
            self._episodes.step(*draw(self._episodes, self._rng))

    def seconds(self) -> float:
        """Return CPU seconds a step of one episode."""
        spent = 0.0
        for _ in range(STEPS):
            actions = self._draw(self._episodes, self._rng)
            began = process_time()
            self._episodes.step(*actions)
            _ = self._episodes.positions.legal
            spent += process_time() - began
        return spent / (STEPS * len(self._episodes))


def cartpole(env: gymnasium.vector.VectorEnv[Any, Any, Any], rng: np.random.Generator) -> float:
    """Return CPU seconds a step of one CartPole of a vector."""
    actions = rng.integers(2, size=(STEPS, env.num_envs))
    began = process_time()
    for row in actions:
        env.step(row)
    return (process_time() - began) / actions.size


class Scalar:
    """Recorded random legal plays, one episode at a time, with the masks of legal actions after each step."""

    def __init__(self, task: str) -> None:
        starts = [(generate(task, seed), Random(seed)) for seed in range(20)]
        self._par = TIERS[task].par
        self._plays = [(circuit, play(self._episode(circuit), random_legal, rng)) for circuit, rng in starts]

    def _episode(self, circuit: Any) -> Episode:
        return Episode(circuit, par=self._par)

    def seconds(self) -> float:
        """Return CPU seconds a step."""
        episodes = [(self._episode(circuit), actions) for circuit, actions in self._plays]
        began = process_time()
        for episode, actions in episodes:
            for index, action_type in actions:
                episode.play(action_type, index)
                episode.position.masks()
        return (process_time() - began) / sum(len(actions) for _, actions in self._plays)


class Line(NamedTuple):
    """A row of the table: what was played, by how many at once, and its CPU seconds a step."""

    task: str
    policy: str
    size: int
    seconds: float
    cartpole: float
    scalar: float


def lines(task: str) -> list[Line]:
    """Measure a tier in rounds, turn about with CartPole and with the scalar game."""
    env = gymnasium.make_vec("CartPole-v1", num_envs=CARTPOLES, vectorization_mode="vector_entry_point")
    env.reset(seed=0)
    rng, scalar, starts = np.random.default_rng(1), Scalar(task), generated(task, SEEDS)
    found = []
    for policy, draw in POLICIES.items():
        for size in SIZES:
            batch = Batch(starts, size, draw)
            rounds = [(batch.seconds(), cartpole(env, rng), scalar.seconds()) for _ in range(ROUNDS)]
            found.append(Line(task, policy, size, *map(median, zip(*rounds, strict=True))))
    return found


def report() -> str:
    """Measure and return the table in Markdown, with what its figures are."""
    table = [line for task in TIERS for line in lines(task)]
    poles = [1 / line.cartpole / 1e6 for line in table]
    rows = [
        f"| {line.task}, {line.policy} | {line.size:,} | {1 / line.seconds / 1e6:.2f} million "
        f"| {line.cartpole / line.seconds:.2f}x | {line.scalar / line.seconds:.1f}x |"
        for line in table
    ]
    return "\n".join(
        [
            f"| | episodes | steps per CPU-second | of CartPole's at {CARTPOLES:,} | of the scalar game's |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            f"Medians of {ROUNDS} rounds, turn about. A step of ours leaves the legal actions of all "
            "episodes in an array and begins anew where one has ended, on a circuit made before; the scalar "
            "game's, of random legal play, includes its masks. Gymnasium's vectorised CartPole-v1 made "
            f"{min(poles):.1f} to {max(poles):.1f} million steps per CPU-second.",
        ]
    )


if __name__ == "__main__":
    print(report())
