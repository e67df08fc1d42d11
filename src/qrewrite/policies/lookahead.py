"""Policies that look ahead: the best of some plays, beam search, and the optimum from the solver."""

from functools import lru_cache
from random import Random

from qrewrite.circuits import Circuit
from qrewrite.game import Action, Episode, Position
from qrewrite.policies.orders import random_order
from qrewrite.policies.play import Policy, play
from qrewrite.solver import solve
from qrewrite.solver.beam import beam
from qrewrite.solver.plan import schedule


def best_order(plays: int) -> Policy:
    """Return the policy that tries `plays` plays in random order and does the one that leaves least."""

    def policy(position: Position, rng: Random) -> tuple[Action, ...]:
        circuit = position.wired.circuit()
        tried: list[tuple[int, list[Action]]] = []
        for _ in range(plays):
            episode = Episode(circuit)
            actions = play(episode, random_order, rng)
            tried.append((episode.gate_count, actions))
        return tuple(min(tried, key=lambda one: one[0])[1])

    return policy


def beam_search(width: int) -> Policy:
    """Return the policy that plans the whole game from where it stands with a beam over traces."""

    def policy(position: Position, _rng: Random) -> tuple[Action, ...]:
        circuit = position.wired.circuit()
        return schedule(circuit, beam(circuit.gates, width=width)).actions

    return policy


def optimal(position: Position, _rng: Random) -> tuple[Action, ...]:
    """Play the solver's plan from here; the one policy that is told more than an agent may see."""
    return _plan(position.wired.circuit())


@lru_cache(maxsize=16)
def _plan(circuit: Circuit) -> tuple[Action, ...]:
    # Several samples of one circuit come one after the other, and have one plan.
    return solve(circuit).best.actions
