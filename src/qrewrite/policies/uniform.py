"""Policies that draw single actions at random."""

from random import Random

from qrewrite.game import Action, Position
from qrewrite.rules import RULES


def uniform(position: Position, rng: Random) -> tuple[Action, ...]:
    """Draw index and type uniformly, legal or not."""
    index = int(rng.random() * max(1, len(position)))
    return (Action(index, 1 + int(rng.random() * len(RULES))),)


def random_legal(position: Position, rng: Random) -> tuple[Action, ...]:
    """Draw uniformly from all legal list actions, swaps included."""
    legal = [
        Action(index, rule.action_type)
        for index, mask in enumerate(position.masks())
        if mask
        for rule in RULES.values()
        if mask & rule.bit
    ]
    return (legal[int(rng.random() * len(legal))],) if legal else ()
