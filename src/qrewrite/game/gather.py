"""How a triple that is consecutive on its wires is brought together in the list."""

from qrewrite.circuits import WiredCircuit
from qrewrite.game.episode import Action
from qrewrite.game.position import Position
from qrewrite.rules import SWAP, Rule


def triple_indices(wired: WiredCircuit, index: int) -> tuple[int, int, int]:
    """Return the list indices of the triple that is consecutive on its wires and begins at `index`."""
    middle = wired.followers[wired.order[index]]
    return index, wired.index(middle), wired.index(wired.followers[middle])


def swaps_needed(position: Position, rule: Rule, index: int) -> int:
    """Return how many swaps a possible reduction needs: the foreign gates between the ends of its triple.

    No fewer will do, since each of those gates must change places with one of the three.
    """
    if not rule.advanced:
        return 0
    first, _, third = triple_indices(position.wired, index)
    return third - first - 2


def actions_for(position: Position, rule: Rule, index: int) -> tuple[Action, ...]:
    """Return the actions that carry out a possible reduction: its swaps, then the reduction itself.

    The first gate moves down to the second and the third moves up to it; all gates between share no qubit
    with them, so every swap is legal.
    """
    if not rule.advanced:
        return (Action(index, rule.action_type),)
    first, second, third = triple_indices(position.wired, index)
    down = (Action(place, SWAP.action_type) for place in range(first, second - 1))
    up = (Action(place, SWAP.action_type) for place in range(third - 1, second, -1))
    return (*down, *up, Action(second - 1, rule.action_type))
