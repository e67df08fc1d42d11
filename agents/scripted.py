"""Policies that play by rote: what they earn is what the game pays for nothing."""

from random import Random

from qrewrite.game import Action, Position
from qrewrite.rules import CANCEL, RULES, SWAP


def nothing(_position: Position, _rng: Random) -> tuple[Action, ...]:
    """Play nothing at all."""
    return ()


def invalid_spam(position: Position, _rng: Random) -> tuple[Action, ...]:
    """Play actions that are refused, of every kind in turn."""
    return refused_actions(position)


def swap_loop(position: Position, _rng: Random) -> tuple[Action, ...]:
    """Swap the first two neighbours that can be swapped, and swap them back; finished if there are none."""
    masks = position.masks()
    index = next((index for index, mask in enumerate(masks) if mask & SWAP.bit), None)
    return () if index is None else (Action(index, SWAP.action_type),) * 2


def always_first(_position: Position, _rng: Random) -> tuple[Action, ...]:
    """Cancel gate 0, whether that is legal or not."""
    return (Action(0, CANCEL.action_type),)


def refused_actions(position: Position) -> tuple[Action, ...]:
    """Return an action beyond the last gate and, for each rule, one on the first gate where it is illegal."""
    masks = position.masks()
    # No rule is legal on the last gate, so that there is always one.
    illegal = (
        Action(next(index for index, mask in enumerate(masks) if not mask & rule.bit), rule.action_type)
        for rule in RULES.values()
    )
    return (Action(len(masks), CANCEL.action_type), *illegal)
