"""What a rewrite rule is, and the words for what became of an action."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from qrewrite.circuits import WiredCircuit

INVALID_REWARD: Final = -0.10
"""Reward of an action that no rule accepts; it changes nothing but counts as a step."""


class ActionResult(StrEnum):
    """What became of the last action: the closed set of `metadata.action_result`."""

    RESET = "reset"
    CANCELLED = "cancelled"
    SWAPPED = "swapped"
    COLLAPSED_HXH = "collapsed_hxh"
    COMPRESSED_CNOTS = "compressed_cnots"
    INVALID_INDEX = "invalid_index"
    NOT_CANCELLABLE = "not_cancellable"
    NOT_COMMUTING = "not_commuting"
    NO_HXH = "no_hxh"
    NO_CNOT_TRIPLE = "no_cnot_triple"
    EPISODE_OVER = "episode_over"


Gap: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""What an applied rule has changed beside the list, as nodes, NOBODY perhaps among them: those removed; those
that have another follower or another gate now. A plain tuple for speed."""


class Rule(NamedTuple):
    """One of the four actions: a matcher, an applier, and what the game says and pays for it.

    Attributes:
        action_type: number of the action on the wire, 1 to 4.
        name: name of the action, e.g. `cancel`.
        reward: reward of an accepted action.
        removes: how many gates an accepted action removes, 0 or 2.
        advanced: whether the rule is an algebraic identity, which medium's bonus asks for.
        accepted, refused: the action's result when it was legal and when it was not.
        condition, effect: sentences for people and language models, with i for the target index.
        matches: whether the rule may be applied at a list index of the circuit.
        apply: apply the rule at a list index where it matches; return what that changed.
    """

    action_type: int
    name: str
    reward: float
    removes: int
    advanced: bool
    accepted: ActionResult
    refused: ActionResult
    condition: str
    effect: str
    matches: Callable[[WiredCircuit, int], bool]
    apply: Callable[[WiredCircuit, int], Gap]

    @property
    def bit(self) -> int:
        """The rule's bit in a mask of legal actions."""
        return 1 << (self.action_type - 1)
