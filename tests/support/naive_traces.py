"""Circuits up to swaps, on plain lists: what swaps reach, and every order of reducing, by search.

Shares no code with the library. Gates and lists of them are those of `naive_rules`.
"""

from collections.abc import Iterator
from functools import cache
from operator import itemgetter

from support.naive_rules import Gate, Gates, may_cancel, may_swap, next_sharing, rewrite, triple_product

Order = tuple[int, ...]
Trace = tuple[tuple[int, tuple[Gate, ...]], ...]
ALL_REDUCTIONS = (1, 3, 4)


def swap_class(gates: Gates) -> dict[Order, int]:
    """All orders that legal swaps reach, as tuples of indices into `gates`, with the fewest swaps to each."""
    start = tuple(range(len(gates)))
    distance, frontier = {start: 0}, [start]
    while frontier:
        ahead = []
        for order in frontier:
            listed = in_order(gates, order)
            for index in range(len(order) - 1):
                swapped = (*order[:index], order[index + 1], order[index], *order[index + 2 :])
                if swapped not in distance and may_swap(listed, index):
                    distance[swapped] = distance[order] + 1
                    ahead.append(swapped)
        frontier = ahead
    return distance


def in_order(gates: Gates, order: Order) -> Gates:
    return [gates[index] for index in order]


def trace(gates: Gates) -> Trace:
    """Each wire's gates in their order: what a circuit is when disjoint gates have no order."""
    wires = sorted({wire for _, qubits in gates for wire in qubits})
    return tuple((wire, tuple(gate for gate in gates if wire in gate[1])) for wire in wires)


def wire_triples(gates: Gates) -> Iterator[tuple[int, int, int]]:
    """Places of every H·X·H and CNOT triple that is consecutive on its wires, apart in the list or not."""
    for first in range(len(gates)):
        middle = next_sharing(gates, first)
        last = None if middle is None else next_sharing(gates, middle)
        if middle is None or last is None:
            continue
        if triple_product([gates[first], gates[middle], gates[last]]) is not None:
            yield first, middle, last


def reductions(gates: Gates) -> list[tuple[int, int]]:
    """(action_type, index of the first gate) of every reduction, possible at once or after swaps."""
    cancels = [(1, index) for index in range(len(gates)) if may_cancel(gates, index)]
    triples = [(3 if gates[first][0] == "H" else 4, first) for first, *_ in wire_triples(gates)]
    return sorted(cancels + triples, key=itemgetter(1))


def reduced(gates: Gates, action_type: int, first: int) -> Gates:
    """The circuit after a reduction, its swaps left out: only the order of disjoint gates may differ."""
    if action_type == 1:
        return rewrite(gates, 1, first)
    triple = next(triple for triple in wire_triples(gates) if triple[0] == first)
    product = triple_product(in_order(gates, triple))
    assert product is not None
    changed = [*gates[:first], product, *gates[first + 1 :]]
    return [gate for place, gate in enumerate(changed) if place not in triple[1:]]


@cache
def ends(gates: tuple[Gate, ...], kinds: tuple[int, ...] = ALL_REDUCTIONS) -> dict[Trace, tuple[int, int]]:
    """Every irreducible circuit that some order of reductions of these kinds ends in.

    Each with its number of gates and the best sum of rewards on the way to it, swaps left out.
    """
    choices = [choice for choice in reductions(list(gates)) if choice[0] in kinds]
    if not choices:
        return {trace(list(gates)): (len(gates), 0)}
    found: dict[Trace, tuple[int, int]] = {}
    for action_type, first in choices:
        pays = 1 if action_type == 1 else 2
        for end, (left, paid) in ends(tuple(reduced(list(gates), action_type, first)), kinds).items():
            found[end] = left, max(paid + pays, found.get(end, (left, 0))[1])
    return found


def best_returns(gates: tuple[Gate, ...]) -> dict[int, int]:
    """Number of gates left → the best return, swaps left out, with which a play can end there."""
    best: dict[int, int] = {}
    for left, paid in ends(gates).values():
        best[left] = max(paid, best.get(left, 0))
    return best
