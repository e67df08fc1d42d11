"""The built-in player, for runs without a model."""

from random import Random

from qrewrite.game import Position
from qrewrite.policies import cancel_first
from quantum_circuit_env.agents.agent import Decision, Seen


class GreedyAgent:
    """Cancels what it can, then gathers and applies the nearest triple; needs no key and no luck."""

    name = "builtin-greedy"

    def __init__(self) -> None:
        self._rng = Random(0)

    def decide(self, seen: Seen) -> Decision | None:
        """Return the first action of the policy's plan for the circuit as it stands."""
        actions = cancel_first(Position(seen.circuit), self._rng)
        return Decision(actions[0], strict=True) if actions else None
