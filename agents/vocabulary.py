"""The one table of words for what a turn was and for why an episode of an agent ended."""

from enum import StrEnum
from typing import Final

from qrewrite.rules import RULES, ActionResult


class ErrorClass(StrEnum):
    """What a turn was: one class each, the first that fits in this order, never guessed from free text."""

    API_ERROR = "api_error"
    """The model's service failed: nobody's move, never played."""
    EMPTY_OUTPUT = "empty_output"
    """A reply without content."""
    BUDGET_EXHAUSTED = "budget_exhausted"
    """Cut off at the token limit, or inside a think block, before a complete object."""
    REFUSAL = "refusal"
    """Flagged as a refusal by the service."""
    UNPARSEABLE = "unparseable"
    """No JSON object."""
    WRONG_KEYS = "wrong_keys"
    """An object with missing, additional or repeated keys."""
    WRONG_TYPE_OR_RANGE = "wrong_type_or_range"
    """Values that no action has: no integer, negative, beyond 64 bits, a type that is not 1 to 4."""
    OUT_OF_RANGE_INDEX = "out_of_range_index"
    """An action beyond the last gate."""
    ILLEGAL_SWAP = "illegal_swap"
    """A swap of gates that share a qubit, or of the last gate."""
    PATTERN_ABSENT = "pattern_absent"
    """A reduction where its pattern is not."""
    OK = "ok"
    """A legal action."""


UNUSABLE: Final = frozenset(
    {
        ErrorClass.EMPTY_OUTPUT,
        ErrorClass.BUDGET_EXHAUSTED,
        ErrorClass.REFUSAL,
        ErrorClass.UNPARSEABLE,
        ErrorClass.WRONG_KEYS,
        ErrorClass.WRONG_TYPE_OR_RANGE,
    }
)
"""Classes of replies that are no action."""

_REFUSED: Final = {
    ActionResult.INVALID_INDEX: ErrorClass.OUT_OF_RANGE_INDEX,
    ActionResult.NOT_COMMUTING: ErrorClass.ILLEGAL_SWAP,
    ActionResult.NOT_CANCELLABLE: ErrorClass.PATTERN_ABSENT,
    ActionResult.NO_HXH: ErrorClass.PATTERN_ABSENT,
    ActionResult.NO_CNOT_TRIPLE: ErrorClass.PATTERN_ABSENT,
}

_ACCEPTED: Final = frozenset(rule.accepted for rule in RULES.values())


def class_of(result: ActionResult) -> ErrorClass:
    """Return the class of a turn whose reply was an action, from what the server made of it.

    Raises:
        ValueError: for `reset` and `episode_over`, which are the result of no turn.
    """
    if result in _ACCEPTED:
        return ErrorClass.OK
    if result not in _REFUSED:
        raise ValueError(f"{result} is not the result of a turn")
    return _REFUSED[result]


class EndReason(StrEnum):
    """Why an agent's episode ended: the game's own endings, then those from outside."""

    OPTIMIZED = "optimized"
    DEAD_END = "dead_end"
    STEP_LIMIT = "step_limit"
    TURN_BUDGET = "turn_budget"
    """The agent had all the turns that it was promised."""
    INVALID_STREAK = "invalid_streak"
    """Too many replies in a row were no action."""
    RUN_BUDGET = "run_budget"
    """The time for the whole run was up."""
    CONTEXT_LIMIT = "context_limit"
    """The prompt no longer fits the model."""
    AGENT_STOP = "agent_stop"
    """The agent had nothing more to play."""
    INCOMPLETE = "incomplete"
    """The model's service, the server or the user broke it off: no statement about the agent."""
