"""Exact search over traces: how few gates can remain, and how many identities may be used on the way.

A trace is a circuit up to the exchange of gates on disjoint qubits. Swaps are free here; a plan adds them
later.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from qrewrite.circuits import MAX_QUBITS, Circuit, Gate, WiredCircuit
from qrewrite.rules import IDENTITIES, Rule, reduction_at
from qrewrite.solver.relaxation import SearchLimitError, innermost, parts, possible_events

MAX_EXACT_GATES: Final = 300
"""Largest trace that is searched exactly; the search recurses for each reduction."""

Trace: TypeAlias = tuple[Gate, ...]
"""A trace as one of its lists, in a normal form; nodes are indices into it."""


class Reduction(NamedTuple):
    """A reduction on nodes, first to last; the product of an identity keeps the number of its first node."""

    rule: Rule
    nodes: tuple[int, ...]


class Point(NamedTuple):
    """A result that can be attained and that no other beats in both numbers.

    Attributes:
        left: gates left.
        identities: identities (rules 3 and 4) applied.
        first: the reduction to begin with, or None.
        rest: what to do then, each on its own: nodes of this trace that are the nodes of the point's trace.
    """

    left: int
    identities: int
    first: Reduction | None = None
    rest: tuple[tuple[Sequence[int], "Point"], ...] = ()

    def unroll(self, names: Sequence[int]) -> Iterator[Reduction]:
        """Yield the reductions in an order in which they can be done, with `names[node]` for each node."""
        todo = [(self, names)]
        while todo:
            point, named = todo.pop()
            if point.first is not None:
                rule, nodes = point.first
                yield Reduction(rule, tuple(named[node] for node in nodes))
            todo += [(further, [named[node] for node in nodes]) for nodes, further in point.rest]


Front: TypeAlias = tuple[Point, ...]
"""Points by ascending number of gates left, and so by ascending number of identities."""


def pareto(points: Iterable[Point]) -> Front:
    """Keep the points that no other beats: fewer gates left is better, and more identities are."""
    front: list[Point] = []
    for point in sorted(points, key=lambda point: (point.left, -point.identities)):
        if not front or point.identities > front[-1].identities:
            front.append(point)
    return tuple(front)


def normal_form(gates: Sequence[Gate]) -> tuple[Trace, list[int]]:
    """Return the trace with its qubits renamed 0, 1, …, and for each node its index in `gates`.

    Gates are listed by level, then by qubits; the level is the length of the longest chain of gates that
    ends in the gate (the Foata normal form: Cartier and Foata, LNM 85, 1969).
    """
    depth = [0] * MAX_QUBITS
    places = []
    for node, gate in enumerate(gates):
        level = 1 + max([depth[qubit] for qubit in gate.qubits])
        for qubit in gate.qubits:
            depth[qubit] = level
        places.append((level, gate.qubits, node))
    places.sort()
    names: dict[int, int] = {}
    trace = []
    for _, qubits, node in places:
        for qubit in qubits:
            names.setdefault(qubit, len(names))
        trace.append(_gate(gates[node].name, *[names[qubit] for qubit in qubits]))
    return tuple(trace), [node for _, _, node in places]


@cache
def _gate(name: str, *qubits: int) -> Gate:
    """Return the gate without another look at whether its qubits are some."""
    return Gate(name, qubits)


def reductions(gates: Sequence[Gate]) -> list[Reduction]:
    """Return the reductions that the rules allow on the gates' trace; nodes are indices into `gates`."""
    wired = WiredCircuit(Circuit.of(MAX_QUBITS, gates))
    found = ((reduction_at(wired, node), node) for node in range(len(gates)))
    return [Reduction(rule, nodes_of(wired, rule, node)) for rule, node in found if rule is not None]


def nodes_of(wired: WiredCircuit, rule: Rule, node: int) -> tuple[int, ...]:
    """Return the nodes of the reduction that `rule` allows at `node`."""
    second = wired.followers[node]
    return (node, second, wired.followers[second]) if rule.advanced else (node, second)


def reduced(gates: Sequence[Gate], reduction: Reduction) -> tuple[list[Gate], list[int]]:
    """Return the gates that a reduction leaves, and for each of them its index in `gates`."""
    first, *others = reduction.nodes
    if not reduction.rule.advanced:
        others.append(first)
    nodes = [node for node in range(len(gates)) if node not in others]
    left = [gates[node] for node in nodes]
    identity = IDENTITIES[gates[first]]
    if reduction.rule.advanced and identity is not None:
        left[nodes.index(first)] = identity.product
    return left, nodes


def isolated(gates: Sequence[Gate], part: Sequence[int]) -> list[Gate]:
    """Return a part's gates on wires of its own, cut wherever a gate of no part stands between."""
    inside = set(part)
    cuts: dict[int, int] = {}
    wires: dict[tuple[int, int], int] = {}
    found = []
    for node, gate in enumerate(gates):
        if node in inside:
            keys = [(qubit, cuts.get(qubit, 0)) for qubit in gate.qubits]
            names = [wires.setdefault(key, len(wires)) for key in keys]
            if len(wires) > MAX_QUBITS:
                raise SearchLimitError
            found.append(Gate(gate.name, names))
        else:
            for qubit in gate.qubits:
                cuts[qubit] = cuts.get(qubit, 0) + 1
    return found


class ExactSearch:
    """A depth-first search with a memory; equal parts of different circuits are searched once.

    Attributes:
        max_effort: effort that may be spent before SearchLimitError.
        effort: what has been spent, 1 + (gates / 30)³ + events / 4 for each trace, as its time grows: of the
            order of a millisecond a unit, but the same number on every machine.
    """

    def __init__(self, max_effort: int) -> None:
        self.max_effort = max_effort
        self.effort = 0
        self._fronts: dict[Trace, Front] = {}

    def front(self, gates: Sequence[Gate]) -> tuple[Front, list[int]]:
        """Return the front of the gates' trace, and for each node of the trace its index in `gates`."""
        trace, order = normal_form(gates)
        front = self._fronts.get(trace)
        if front is None:
            self._spend(1 + (len(trace) // 30) ** 3)
            if len(trace) > MAX_EXACT_GATES:
                raise SearchLimitError
            front = self._search(trace)
            self._fronts[trace] = front
        return front, order

    def _spend(self, effort: int) -> None:
        self.effort += effort
        if self.effort > self.max_effort:
            raise SearchLimitError

    def _search(self, trace: Trace) -> Front:
        now = reductions(trace)
        if not now:
            return (Point(len(trace), 0),)
        independent, choice = self._divided(trace, now)
        if len(independent) > 1 or len(independent[0]) < len(trace):
            return self._by_parts(trace, independent)
        points = []
        for reduction in choice:
            left, nodes = reduced(trace, reduction)
            front, order = self.front(left)
            step = [nodes[node] for node in order]
            points += [
                Point(point.left, point.identities + reduction.rule.advanced, reduction, ((step, point),))
                for point in front
            ]
        return pareto(points)

    def _divided(self, trace: Trace, now: list[Reduction]) -> tuple[list[list[int]], list[Reduction]]:
        """Return the independent parts, and the reductions of an innermost set of the events to come.

        An innermost set in which nothing can be done now will never come to life, nor will what waits for it.
        The events are not returned: one trace after the other would hold its own while the search descends.
        """
        events = possible_events(trace)
        self._spend(len(events) // 4)
        while True:
            inner = innermost(events, len(trace))
            choice = [reduction for reduction in now if reduction.nodes[0] in inner]
            if choice:
                return parts(events, len(trace)), choice
            events = [event for event in events if not event.within & inner]

    def _by_parts(self, trace: Trace, independent: list[list[int]]) -> Front:
        sums: Front = (Point(len(trace) - sum(map(len, independent)), 0),)
        for part in independent:
            front, order = self.front(isolated(trace, part))
            nodes = [part[node] for node in order]
            sums = pareto(
                Point(
                    total.left + point.left,
                    total.identities + point.identities,
                    rest=(*total.rest, (nodes, point)),
                )
                for total in sums
                for point in front
            )
        return sums
