"""One episode: a circuit that is played on until nothing can be reduced or the steps are used up."""

from enum import StrEnum
from typing import Final, NamedTuple

from qrewrite.circuits import Circuit
from qrewrite.game.position import Position
from qrewrite.rules import INVALID_REWARD, RULES, ActionResult, Rule

STEP_LIMIT: Final = 150
"""Steps after which an episode ends, valid and invalid actions alike."""


class Termination(StrEnum):
    """Why an episode is done: the closed set of `metadata.termination`."""

    OPTIMIZED = "optimized"
    DEAD_END = "dead_end"
    STEP_LIMIT = "step_limit"


class Action(NamedTuple):
    """One of the four rules, by number, at the index of a gate; need not be legal."""

    target_index: int
    action_type: int

    @property
    def text(self) -> str:
        """The action in words for people, e.g. `cancel(3)`; its type must be a key of RULES."""
        return f"{RULES[self.action_type].name}({self.target_index})"


class Episode:
    """The state of one game; `play` is the only thing that changes it.

    Attributes:
        position: the circuit now, with what is legal on it.
        initial_count: gates at the start.
        par: published bound on the gates that must remain, or None on a caller's own circuit.
        steps: actions played so far, 0 to STEP_LIMIT.
        reward: reward of the last action, 0.0 at the start.
        used_advanced_actions: whether an identity (rule 3 or 4) has been applied.
        action_result: what became of the last action.
        termination: why the episode is done, or None while it runs.
    """

    __slots__ = (
        "action_result",
        "initial_count",
        "par",
        "position",
        "reward",
        "steps",
        "termination",
        "used_advanced_actions",
    )

    def __init__(self, circuit: Circuit, *, par: int | None = None) -> None:
        self.position = Position(circuit)
        self.initial_count = len(circuit)
        self.par = par
        self.steps = 0
        self.reward = 0.0
        self.used_advanced_actions = False
        self.action_result = ActionResult.RESET
        self.termination = None if self.position.reducible else self._verdict()

    @property
    def done(self) -> bool:
        """Whether the episode has ended; further actions change nothing."""
        return self.termination is not None

    @property
    def gate_count(self) -> int:
        """Number of gates left."""
        return len(self.position)

    def circuit(self) -> Circuit:
        """Return the circuit as it stands now."""
        return self.position.wired.circuit()

    def play(self, action_type: int, target_index: int) -> float:
        """Play one action, legal or not, and return its reward.

        Args:
            action_type: a key of RULES.
            target_index: index of the gate to act on; one that is no gate's is an invalid action.
        """
        if self.termination is not None:
            self.action_result = ActionResult.EPISODE_OVER
            self.reward = 0.0
            return 0.0
        rule = RULES[action_type]
        position = self.position
        self.steps += 1
        if not 0 <= target_index < len(position.wired.order):
            self.action_result = ActionResult.INVALID_INDEX
            self.reward = INVALID_REWARD
        elif position.play(rule, target_index):
            self.action_result = rule.accepted
            self.reward = rule.reward
            if rule.removes:
                self._reduced(rule)
        else:
            self.action_result = rule.refused
            self.reward = INVALID_REWARD
        if self.steps >= STEP_LIMIT and self.termination is None:
            self.termination = Termination.STEP_LIMIT
        return self.reward

    def _reduced(self, rule: Rule) -> None:
        if rule.advanced:
            self.used_advanced_actions = True
        if not self.position.reducible:
            self.termination = self._verdict()

    def _verdict(self) -> Termination:
        """Return how an episode ends in which nothing can be reduced any more."""
        if self.par is not None and len(self.position) > self.par:
            return Termination.DEAD_END
        return Termination.OPTIMIZED
