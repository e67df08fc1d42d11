"""Policies that look ahead: beam search, and the optimum from the solver."""

from random import Random

from qrewrite.game import Action, Position
from qrewrite.policies.play import Policy
from qrewrite.solver import solve
from qrewrite.solver.beam import beam
from qrewrite.solver.plan import schedule


def beam_search(width: int) -> Policy:
    """Return the policy that plans the whole game from where it stands with a beam over traces."""

    def policy(position: Position, _rng: Random) -> tuple[Action, ...]:
        circuit = position.wired.circuit()
        return schedule(circuit, beam(circuit.gates, width=width)).actions

    return policy


def optimal(position: Position, _rng: Random) -> tuple[Action, ...]:
    """Play the solver's plan from here; the one policy that is told more than an agent may see."""
    return solve(position.wired.circuit()).best.actions
