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
    while not episode.done and (max_steps is None or len(played) < max_steps):
        actions = policy(episode.position, rng)
        if not actions:
            break
        for action in actions[: None if max_steps is None else max_steps - len(played)]:
            if episode.done:
                break
            episode.play(action.action_type, action.target_index)
            played.append(action)
    return played


def best_of(plays: int, circuit: Circuit, policy: Policy, rng: Random, *, par: int | None = None) -> Episode:
    """Play the circuit from the start `plays` times and return the episode with the fewest gates left."""
    episodes = []
    for _ in range(plays):
        episodes.append(Episode(circuit, par=par))
        play(episodes[-1], policy, rng)
    return min(episodes, key=lambda episode: episode.gate_count)
