"""Beam search over traces, for parts of a circuit that are too large for the exact search."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qrewrite.circuits import Gate
from qrewrite.solver.search import Reduction, Trace, normal_form, reduced, reductions


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
        children = _children(level, branching)
        level = sorted(children, key=lambda state: -len(state.now))[:width]
    return best


def _children(level: Sequence[_State], branching: int) -> Iterator[_State]:
    """Yield what the reductions make of the states, each trace once."""
    lists: set[tuple[Gate, ...]] = set()
    traces: set[Trace] = set()
    for state in level:
        for reduction in state.now[:: 1 + len(state.now) // (branching + 1)]:
            left, nodes = reduced(state.gates, reduction)
            # Most children are the same list as another one, which costs far less to find out.
            gates = tuple(left)
            if gates in lists:
                continue
            lists.add(gates)
            trace = normal_form(left)[0]
            if trace not in traces:
                traces.add(trace)
                yield _child(state, reduction, left, nodes)


def _child(state: _State, reduction: Reduction, left: list[Gate], nodes: list[int]) -> _State:
    named = Reduction(reduction.rule, tuple(state.names[node] for node in reduction.nodes))
    return _State(left, [state.names[node] for node in nodes], (*state.done, named), reductions(left))
