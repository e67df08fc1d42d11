"""What callers choose when they make or reset an environment, checked."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from gymnasium.error import InvalidAction

from qrewrite.circuits import GameError, TaskError
from qrewrite.circuits.errors import shown
from qrewrite.tasks import TIERS, split_named

STEPS: Final = "steps"
GRADE: Final = "grade"
REWARDS: Final = (STEPS, GRADE)
"""What a step can be rewarded by: the game's own rewards, or the change of the grade."""

ANSI: Final = "ansi"


class Choices(NamedTuple):
    """How an environment was made.

    Attributes:
        task: name of the tier.
        seeds: the circuit seeds that resets draw from, each equally likely.
        by_grade: whether a step's reward is the change of the grade.
    """

    task: str
    seeds: range
    by_grade: bool


def choices(task: str, split: str, circuits: int | None, reward: str) -> Choices:
    """Return the choices, or raise a GameError that says what is allowed."""
    if not isinstance(task, str) or task not in TIERS:
        raise TaskError(f"task must be one of {', '.join(TIERS)}, got {shown(task)}")
    seeds = split_named(split).seeds
    if circuits is not None and (type(circuits) is not int or not 1 <= circuits <= len(seeds)):
        raise GameError(
            f"circuits must be in 1..{len(seeds)} for split {split}, or None for all, got {shown(circuits)}"
        )
    if reward not in REWARDS:
        raise GameError(f"reward must be {' or '.join(REWARDS)}, got {shown(reward)}")
    return Choices(task, seeds[:circuits], reward == GRADE)


def check_render_mode(mode: str | None) -> str | None:
    """Return the render mode, or raise a GameError that says what is allowed."""
    if mode not in (None, ANSI):
        raise GameError(f"render_mode must be {ANSI} or None, got {shown(mode)}")
    return mode


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the options of a reset; GameError if one of them does not exist."""
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise GameError(f"options must be a dict with {' and '.join(known)}, or None, got {shown(options)}")
    for name in options:
        if name not in known:
            raise GameError(f"unknown option {shown(name)}; a reset has {' and '.join(known)}")
    return options


def refused(action: object, actions: int, where: str = "") -> InvalidAction:
    """Return the error for what is no action at all."""
    return InvalidAction(f"an action must be an integer in 0..{actions - 1}, got {shown(action)}{where}")
