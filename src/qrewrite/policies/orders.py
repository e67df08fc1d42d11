"""Policies that reduce whatever they see, in one order or another."""

from random import Random

from qrewrite.game import Action, Position
from qrewrite.game.gather import actions_for, swaps_needed
from qrewrite.rules import Rule


def cancel_first(position: Position, _rng: Random) -> tuple[Action, ...]:
    """Cancel at the lowest index; if nothing cancels, gather and apply the triple with the fewest swaps."""
    return _in_order(position, advanced_first=False)


def identity_first(position: Position, _rng: Random) -> tuple[Action, ...]:
    """Gather and apply the triple with the fewest swaps; without a triple, cancel at the lowest index."""
    return _in_order(position, advanced_first=True)


def random_order(position: Position, rng: Random) -> tuple[Action, ...]:
    """Carry out one of all possible reductions, each equally likely, with the swaps that it needs."""
    found = list(position.reductions())
    return actions_for(position, *found[int(rng.random() * len(found))]) if found else ()


def _in_order(position: Position, *, advanced_first: bool) -> tuple[Action, ...]:
    def cost(reduction: tuple[Rule, int]) -> tuple[bool, int, int]:
        rule, index = reduction
        return rule.advanced != advanced_first, swaps_needed(position, rule, index), index

    best = min(position.reductions(), key=cost, default=None)
    return () if best is None else actions_for(position, *best)
