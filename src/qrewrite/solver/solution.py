"""The solver's answer to: how short can this circuit get, and how?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from qrewrite.circuits import Circuit, Gate
from qrewrite.game import Action, Position
from qrewrite.game.gather import actions_for
from qrewrite.rules import RULES, SWAP
from qrewrite.solver.beam import beam
from qrewrite.solver.plan import Plan, schedule
from qrewrite.solver.relaxation import SearchLimitError, parts, possible_events
from qrewrite.solver.search import ExactSearch, Reduction, isolated

_ORDINARY: Final = 100
"""Gates up to which a beam has its full width."""
MAX_RELAXED_GATES: Final = 1_000
"""Largest circuit that is split into independent parts."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a circuit's best results.

    Attributes:
        front: a plan for each result that no other beats, fewest gates left first: fewer gates left is
            better, and so are more identities. One plan only where the exact search was not finished.
        bound: number of gates below which no play can get.
        effort: what the exact search spent, as ExactSearch counts it.
    """

    front: tuple[Plan, ...]
    bound: int
    effort: int

    @property
    def best(self) -> Plan:
        """The plan that leaves the fewest gates."""
        return self.front[0]

    @property
    def left(self) -> int:
        """Fewest gates that can be left as far as is known: the optimum if `proved`."""
        return self.best.left

    @property
    def proved(self) -> bool:
        """Whether `left` is proved to be the optimum; otherwise the optimum is in bound..left."""
        return self.left == self.bound

    @property
    def best_return(self) -> float:
        """Largest known sum of rewards within the step limit; it can belong to another plan than `best`."""
        return max(plan.best_return for plan in self.front)


def solve(circuit: Circuit, *, max_effort: int = 30_000, beam_width: int = 8) -> Solution:
    """Return the best results of the circuit.

    The search is exact, whatever its order of play, until it has spent `max_effort`. Then it tries the
    independent parts of the circuit one by one and spends at most as much again on them; those that it cannot
    finish are searched with a beam, and `bound` counts what no play can remove.
    """
    search = ExactSearch(max_effort)
    gates = circuit.gates
    if len(gates) > MAX_RELAXED_GATES:
        plan = _descent(circuit)
        return Solution((plan,), len(gates) % 2 if plan.actions else len(gates), 0)
    try:
        return _exact(circuit, search)
    except SearchLimitError:
        return _by_parts(circuit, search, max_effort, beam_width)


def _exact(circuit: Circuit, search: ExactSearch) -> Solution:
    front, order = search.front(circuit.gates)
    plans = tuple(schedule(circuit, point.unroll(order)) for point in front)
    return Solution(plans, plans[0].left, search.effort)


def _by_parts(circuit: Circuit, search: ExactSearch, max_effort: int, beam_width: int) -> Solution:
    """Solve each independent part as well as it can be."""
    gates = circuit.gates
    try:
        independent = parts(possible_events(gates), len(gates))
    except SearchLimitError:
        return Solution((schedule(circuit, _beamed(gates, beam_width)),), len(gates) % 2, search.effort)
    bound = len(gates) - sum(map(len, independent))
    chosen: list[Reduction] = []
    try:
        alones = [isolated(gates, part) for part in independent]
    except SearchLimitError:
        plan = schedule(circuit, _beamed(gates, beam_width))
        return Solution((plan,), bound + sum(len(part) % 2 for part in independent), search.effort)
    # A circuit that is one part has just been searched in vain; several get their share of a second try.
    share = max_effort // len(independent) if len(independent) > 1 else 0
    for part, alone in zip(independent, alones, strict=True):
        search.max_effort = search.effort + share
        found, left = _part(alone, search, beam_width)
        bound += left
        chosen += (Reduction(rule, tuple(part[node] for node in nodes)) for rule, nodes in found)
    return Solution((schedule(circuit, chosen),), bound, search.effort)


def _part(gates: list[Gate], search: ExactSearch, beam_width: int) -> tuple[tuple[Reduction, ...], int]:
    """Return reductions of the part, and the number of its gates below which no play can get."""
    try:
        front, order = search.front(gates)
    except SearchLimitError:
        return _beamed(gates, beam_width), len(gates) % 2
    return tuple(front[0].unroll(order)), front[0].left


def _beamed(gates: Sequence[Gate], beam_width: int) -> tuple[Reduction, ...]:
    """Search with a beam that is narrower for more gates, so that the time stays within bounds."""
    width = max(1, beam_width * _ORDINARY // max(_ORDINARY, len(gates)))
    return beam(gates, width=width, branching=16 if width > 1 else 4)


def _descent(circuit: Circuit) -> Plan:
    """Return the plan that takes whatever comes first, for circuits too large for anything else."""
    position = Position(circuit)
    actions: list[Action] = []
    while position.reducible:
        for action in actions_for(position, *next(position.reductions())):
            position.play(RULES[action.action_type], action.target_index)
            actions.append(action)
    types = [action.action_type for action in actions]
    identities = sum(RULES[action_type].advanced for action_type in types)
    return Plan(tuple(actions), len(position), identities, types.count(SWAP.action_type))
