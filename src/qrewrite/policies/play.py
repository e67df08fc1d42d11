"""How a policy plays an episode."""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from qrewrite.circuits import Circuit
from qrewrite.game import Action, Episode, Position

Policy: TypeAlias = Callable[[Position, Random], tuple[Action, ...]]
"""From a position and a source of randomness to the actions to play next; no action when it is finished."""


def play(episode: Episode, policy: Policy, rng: Random, *, max_steps: int | None = None) -> list[Action]:
    """Let a policy play an episode to its end or for `max_steps` actions; return the actions played."""
    played: list[Action] = []
    waiting: list[Action] = []
    while episode.termination is None and (max_steps is None or len(played) < max_steps):
        waiting = waiting or list(policy(episode.position, rng))
        if not waiting:
            break
        played.append(waiting.pop(0))
        episode.play(played[-1].action_type, played[-1].target_index)
    return played


def best_of(plays: int, circuit: Circuit, policy: Policy, rng: Random, *, par: int | None = None) -> Episode:
    """Play the circuit from the start `plays` times and return the episode with the fewest gates left."""
    episodes = []
    for _ in range(plays):
        episodes.append(Episode(circuit, par=par))
        play(episodes[-1], policy, rng)
    return min(episodes, key=lambda episode: episode.gate_count)
