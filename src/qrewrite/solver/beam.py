"""Beam search over traces, for parts of a circuit that are too large for the exact search."""

from collections.abc import Sequence
from typing import NamedTuple

from qrewrite.circuits import Gate
from qrewrite.solver.search import Reduction, normal_form, reduced, reductions


class _State(NamedTuple):
    gates: list[Gate]
    names: list[int]
    """What each of the gates was in the circuit that the search began with."""
    done: tuple[Reduction, ...]
    now: list[Reduction]


def beam(gates: Sequence[Gate], *, width: int, branching: int = 16) -> tuple[Reduction, ...]:
    """Return reductions, in an order in which they can be done, that leave as few gates as the beam found.

    All states of one depth have equally many gates, so the beam keeps those with the most reductions still
    open.

    Args:
        gates: the circuit; nodes of the reductions are indices into it.
        width: number of traces kept at each depth; 1 is a greedy descent.
        branching: number of reductions tried on each of them, evenly spread over all that are possible.
    """
    level = [_State(list(gates), list(range(len(gates))), (), reductions(gates))]
    best = level[0].done
    while level:
        best = level[0].done
        children: dict[tuple[Gate, ...], _State] = {}
        for state in level:
            for reduction in state.now[:: 1 + len(state.now) // (branching + 1)]:
                child = _child(state, reduction)
                children.setdefault(normal_form(child.gates)[0], child)
        level = sorted(children.values(), key=lambda state: -len(state.now))[:width]
    return best


def _child(state: _State, reduction: Reduction) -> _State:
    left, nodes = reduced(state.gates, reduction)
    named = Reduction(reduction.rule, tuple(state.names[node] for node in reduction.nodes))
    return _State(left, [state.names[node] for node in nodes], (*state.done, named), reductions(left))
