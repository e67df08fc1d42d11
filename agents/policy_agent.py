"""The library's policies as agents: what they plan is played turn by turn."""

from collections import deque
from random import Random

from qrewrite.circuits import Circuit
from qrewrite.game import Action, Position
from qrewrite.policies import Policy
from qrewrite.rules import RULES
from quantum_circuit_env.agents.agent import Decision, Seen


class PolicyAgent:
    """Plays what a policy plans for the circuit that it sees, and plans anew when a plan is over.

    It keeps a position of its own in step with the game. When the game's circuit is another one than it
    expects, be it a new episode or a turn that went otherwise, it begins from that circuit.

    Args:
        name: what results call it.
        policy: who plans.
        rng: the policy's source of randomness.
    """

    def __init__(self, name: str, policy: Policy, rng: Random) -> None:
        self._name = name
        self._policy = policy
        self._rng = rng
        self._position = Position(Circuit(1, ()))
        self._planned: deque[Action] = deque()

    @property
    def name(self) -> str:
        """What results call it."""
        return self._name

    def decide(self, seen: Seen) -> Decision | None:
        """Return the next action of the plan, or None when the policy has none."""
        if not self._expected(seen.circuit):
            self._position = Position(seen.circuit)
            self._planned.clear()
        if not self._planned:
            self._planned.extend(self._policy(self._position, self._rng))
        if not self._planned:
            return None
        action = self._planned.popleft()
        if action.target_index < len(self._position):
            self._position.play(RULES[action.action_type], action.target_index)
        return Decision(action, strict=True)

    def _expected(self, circuit: Circuit) -> bool:
        """Say whether the circuit is the one that the position has; equal gates are the same object."""
        wired = self._position.wired
        return wired.num_qubits == circuit.num_qubits and wired.listed() == list(circuit.gates)
