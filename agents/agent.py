"""What an agent is: from what it may see to what it plays."""

from typing import NamedTuple, Protocol

from qrewrite.circuits import Circuit
from qrewrite.game import Action, Scoring
from qrewrite.rules import ActionResult
from quantum_circuit_env.agents.vocabulary import ErrorClass, class_of


class Decision(NamedTuple):
    """An agent's answer for one turn: an action, or the class of the reply that was none.

    Attributes:
        action: what to play; None when the reply was unusable.
        error: class of an unusable reply; None when there is an action.
        strict: whether the reply was the action and nothing else.
    """

    action: Action | None
    error: ErrorClass | None = None
    strict: bool = False


class Turn(NamedTuple):
    """One turn that has been played.

    Attributes:
        decision: what the agent answered.
        result: what the server made of it.
        reward: reward of the step.
        played: the action that was sent: the agent's, or the one that stands for an unusable reply.
    """

    decision: Decision
    result: ActionResult
    reward: float
    played: Action

    @property
    def kind(self) -> ErrorClass:
        """What the turn was."""
        if self.decision.action is None:
            return self.decision.error or ErrorClass.UNPARSEABLE
        return class_of(self.result)


class Seen(NamedTuple):
    """What an agent may know when it decides.

    Attributes:
        circuit: the circuit as it stands.
        scoring: how the episode will be graded.
        initial_count: gates at the start.
        steps: actions played so far.
        turns_left: turns that are left, this one included.
        used_advanced_actions: whether an action of type 3 or 4 has succeeded.
        turns: the turns so far, first one first.
    """

    circuit: Circuit
    scoring: Scoring
    initial_count: int
    steps: int
    turns_left: int
    used_advanced_actions: bool = False
    turns: tuple[Turn, ...] = ()


class Agent(Protocol):
    """Somebody who plays; may be asked about any episode at any time."""

    @property
    def name(self) -> str:
        """What results call it."""

    def decide(self, seen: Seen) -> Decision | None:
        """Return what to play now, or None to stop."""


def invalid_move(circuit: Circuit) -> Action:
    """Return the action that stands for an unusable reply: the rules refuse it whatever the circuit is."""
    return Action(target_index=len(circuit), action_type=1)
