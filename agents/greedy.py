"""The built-in player, for runs without a model."""

from random import Random

from qrewrite.policies import cancel_first
from quantum_circuit_env.agents.policy_agent import PolicyAgent


class GreedyAgent(PolicyAgent):
    """Cancels what it can, then gathers and applies the nearest triple; needs no key and no luck."""

    NAME = "builtin-greedy"

    def __init__(self) -> None:
        super().__init__(self.NAME, cancel_first, Random(0))
