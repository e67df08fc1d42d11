"""What the socket benchmark plays: real episodes, drawn once and known before anything is sent.

Four of five actions are drawn from the legal ones, every fifth from all indices and types, so that most are
valid and some are refused, as from an agent in training; no choice needs the server's answer.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import Any, Final

from qrewrite.game import Action, Episode, Position
from qrewrite.policies import play, random_legal, uniform
from qrewrite.tasks import TIERS, generate

STEPS: Final = {"easy": 30, "medium": 60, "hard": 110}
"""Task → steps of each play, near the mean length of such an episode; shorter episodes are passed over."""
UNIFORM: Final = 0.2
"""Share of the actions that are drawn without regard to what is legal."""


@dataclass(frozen=True, slots=True)
class Play:
    """The first steps of one episode.

    Attributes:
        task: the tier.
        seed: the circuit's.
        actions: what is played, STEPS of the task.
        gate_count: gates that are left at the end.
    """

    task: str
    seed: int
    actions: tuple[Action, ...]
    gate_count: int

    def reset(self, **more: str) -> str:
        """Return the frame that starts the episode, with further arguments if there are any."""
        return _frame("reset", {"task": self.task, "seed": self.seed, **more})

    def steps(self) -> list[str]:
        """Return the frame of each action."""
        return [_frame("step", action._asdict()) for action in self.actions]


def plays(task: str, number: int) -> list[Play]:
    """Return a task's first `number` plays, in the order of their seeds."""
    return list(islice(_plays(task), number))


def _plays(task: str) -> Iterator[Play]:
    for seed in count():
        episode = Episode(generate(task, seed), par=TIERS[task].par)
        actions = tuple(play(episode, _mixed, Random(seed), max_steps=STEPS[task]))
        if len(actions) == STEPS[task]:
            yield Play(task, seed, actions, episode.gate_count)


def _mixed(position: Position, rng: Random) -> tuple[Action, ...]:
    return (uniform if rng.random() < UNIFORM else random_legal)(position, rng)


def _frame(kind: str, data: dict[str, Any]) -> str:
    return json.dumps({"type": kind, "data": data})
