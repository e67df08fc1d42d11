"""From a set of reductions to actions: when to do which, and the swaps in between."""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Action, Position
from qrewrite.game.gather import actions_for, swaps_needed
from qrewrite.rules import RULES
from qrewrite.solver.search import Reduction, nodes_of


class Plan(NamedTuple):
    """Actions that lead from the circuit to one point of its front, all of them legal.

    Attributes:
        actions: what to play, one after the other.
        left: gates left at the end.
        identities: identities (rules 3 and 4) among the actions.
        swaps: swaps among the actions; the fewest that are known, not proved to be the fewest.
    """

    actions: tuple[Action, ...]
    left: int
    identities: int
    swaps: int

    @property
    def best_return(self) -> float:
        """Largest sum of rewards that playing the plan passes through within the step limit."""
        rewards = (RULES[action.action_type].reward for action in self.actions[:STEP_LIMIT])
        return round(max(accumulate(rewards, initial=0.0)), 2)


def schedule(circuit: Circuit, chosen: Iterable[Reduction]) -> Plan:
    """Return the plan that carries out the chosen reductions; their nodes are indices into the circuit.

    The reductions of a plan do not exclude each other, so whichever is possible may come next. Those that
    need no swap come first, since they only take foreign gates out of the way of triples; then the triple
    with the fewest.
    """
    position = Position(circuit)
    waiting = list(chosen)
    actions: list[Action] = []
    swaps = 0
    identities = sum(reduction.rule.advanced for reduction in waiting)
    while waiting:
        cost, index, number = min(_possible(position, waiting))
        rule = waiting.pop(number).rule
        swaps += cost
        for action in actions_for(position, rule, index):
            position.play(RULES[action.action_type], action.target_index)
            actions.append(action)
    return Plan(tuple(actions), len(position), identities, swaps)


def _possible(position: Position, waiting: list[Reduction]) -> Iterator[tuple[int, int, int]]:
    """Yield swaps needed, list index and number of each waiting reduction that can be done now."""
    wired = position.wired
    now = {nodes_of(wired, rule, wired.order[index]): (rule, index) for rule, index in position.reductions()}
    for number, reduction in enumerate(waiting):
        if reduction.nodes in now:
            rule, index = now[reduction.nodes]
            yield swaps_needed(position, rule, index), index, number
