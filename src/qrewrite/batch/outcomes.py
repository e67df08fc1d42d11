"""What an action and an episode can come to, as numbers, and what each is paid."""

from typing import Final

import numpy as np

from qrewrite.batch.codes import Array
from qrewrite.game import Termination
from qrewrite.rules import INVALID_REWARD, RULES, ActionResult

ACTION_RESULTS: Final = tuple(ActionResult)
"""What the numbers in `Step.action_result` stand for."""
TERMINATIONS: Final = (None, *Termination)
"""What the numbers in `Step.termination` stand for; 0 while an episode runs."""
STEP_LIMIT_REACHED: Final = TERMINATIONS.index(Termination.STEP_LIMIT)

KINDS: Final = len(RULES) + 1
"""Length of a table that is indexed by action type; nothing has type 0."""
REMOVES: Final = np.array([False, *(rule.removes > 0 for rule in RULES.values())])
ADVANCED: Final = np.array([False, *(rule.advanced for rule in RULES.values())])
_OUTCOMES: Final = (
    *[(ActionResult.EPISODE_OVER, 0.0)] * KINDS,
    *[(ActionResult.INVALID_INDEX, INVALID_REWARD)] * KINDS,
    *[(rule.refused, INVALID_REWARD) for rule in (RULES[1], *RULES.values())],
    *[(rule.accepted, rule.reward) for rule in (RULES[1], *RULES.values())],
)
REWARDS: Final = np.array([reward for _, reward in _OUTCOMES])
"""Reward of each outcome; a row of KINDS for each of: episode over, index outside, refused, accepted."""
ANSWERS: Final = np.array([ACTION_RESULTS.index(result) for result, _ in _OUTCOMES], np.uint8)
"""Action result of each outcome, as an index of ACTION_RESULTS."""

_STUCK: Final = np.array(
    [TERMINATIONS.index(end) for end in (Termination.OPTIMIZED, Termination.DEAD_END)], np.uint8
)


def verdicts(counts: Array, pars: Array) -> Array:
    """Return how episodes end in which nothing can be reduced any more."""
    return _STUCK.take(counts > pars)
