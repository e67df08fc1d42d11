"""Which reductions could ever happen: an over-approximation that splits a circuit into independent parts.

On each wire, gates between two gates must all vanish before the two become consecutive. If the wires are
looked at one by one, "can vanish" has a least fixpoint that is computed in polynomial time, as in parsing.
Every reduction that any order of play can reach is among the events found here; some of those found may
never happen.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from qrewrite.circuits import Gate
from qrewrite.rules import IDENTITIES

MAX_EVENTS: Final = 5_000
"""Most events that are looked for: long words on few wires have more of them than memory can hold."""


class SearchLimitError(Exception):
    """Raised inside the solver when an exact answer would take more effort than it may."""


class Event(NamedTuple):
    """A reduction that may become possible, on nodes of the circuit (indices into its gates).

    Attributes:
        nodes: gates that take part; a product is stood for by the first and last gate that it was made of.
        within: all gates on its wires from its first to its last gate, which must have vanished by then.
    """

    nodes: tuple[int, ...]
    within: frozenset[int]


class _Entity(NamedTuple):
    """A gate that is there (first is last) or that an identity may have made of the gates first … last."""

    gate: Gate
    first: int
    last: int


class _Relaxation:
    def __init__(self, gates: Sequence[Gate], fixed: frozenset[int]) -> None:
        self.fixed = fixed
        self.wires: defaultdict[int, list[int]] = defaultdict(list)
        self.places: list[dict[int, int]] = []
        self.entities: defaultdict[Gate, list[_Entity]] = defaultdict(list)
        for node, gate in enumerate(gates):
            self.places.append({})
            for qubit in gate.qubits:
                self.places[node][qubit] = len(self.wires[qubit])
                self.wires[qubit].append(node)
            self.entities[gate].append(_Entity(gate, node, node))
        # vanishing[q][i]: ends of the intervals from place i of wire q that are known to vanish as one event.
        self.vanishing = {qubit: [0] * (len(wire) + 1) for qubit, wire in self.wires.items()}
        self.reach: dict[int, list[int]] = {}
        self.events: dict[tuple[_Entity, ...], Event] = {}

    def run(self) -> list[Event]:
        """Repeat until no wire lets anything new come together."""
        known = -1
        while known < len(self.events):
            known = len(self.events)
            self.reach = {qubit: _closure(ends) for qubit, ends in self.vanishing.items()}
            for entities in list(self.entities.values()):
                for entity in tuple(entities):
                    self._meet(entity)
        return list(self.events.values())

    def _meet(self, entity: _Entity) -> None:
        """Add all events that begin with this entity."""
        for partner in self._next(entity, entity.gate):
            if self._add((entity, partner)):
                self._vanish(entity.first, partner.last, entity.gate.qubits)
        identity = IDENTITIES[entity.gate]
        if identity is None:
            return
        for middle in self._next(entity, identity.middle):
            for third in self._next(middle, entity.gate):
                if self._add((entity, middle, third)):
                    product = _Entity(identity.product, entity.first, third.last)
                    if product not in self.entities[product.gate]:
                        self.entities[product.gate].append(product)

    def _next(self, entity: _Entity, gate: Gate) -> Iterator[_Entity]:
        """Yield the entities of this gate that may come to follow `entity` on all of its wires."""
        last = self.places[entity.last]
        open_wires = [(qubit, self.reach[qubit][last[qubit] + 1]) for qubit in entity.gate.qubits]
        for other in tuple(self.entities.get(gate, ())):
            first = self.places[other.first]
            if all(reach >> first[qubit] & 1 for qubit, reach in open_wires):
                yield other

    def _add(self, members: tuple[_Entity, ...]) -> bool:
        first, last = members[0].first, members[-1].last
        if members in self.events or (len(members) == 3 and not self.fixed.isdisjoint(range(first, last))):
            return False
        if len(self.events) == MAX_EVENTS:
            raise SearchLimitError
        within = frozenset(
            node
            for qubit in members[0].gate.qubits
            for node in self.wires[qubit][self.places[first][qubit] : self.places[last][qubit] + 1]
        )
        nodes = tuple(node for member in members for node in (member.first, member.last))
        self.events[members] = Event(nodes, within)
        return True

    def _vanish(self, first: int, last: int, qubits: Iterable[int]) -> None:
        for qubit in qubits:
            self.vanishing[qubit][self.places[first][qubit]] |= 1 << (self.places[last][qubit] + 1)


def _closure(ends: list[int]) -> list[int]:
    """Return for each place, as bits, the places that chains of vanishing intervals bring next to it."""
    reach = [0] * len(ends)
    for place in range(len(ends) - 1, -1, -1):
        found, todo = 1 << place, ends[place]
        while todo:
            end = (todo & -todo).bit_length() - 1
            todo &= todo - 1
            found |= reach[end]
        reach[place] = found
    return reach


def possible_events(gates: Sequence[Gate], *, fixed: frozenset[int] = frozenset()) -> list[Event]:
    """Return every reduction that any order of play may reach, and perhaps some that none reaches.

    Args:
        gates: the circuit.
        fixed: nodes that stay where they are in the list, so that no triple comes together across them.

    Raises:
        SearchLimitError: there are more than MAX_EVENTS of them.
    """
    return _Relaxation(gates, fixed).run()


class Partition:
    """Union-find over nodes 0 … size-1 (Tarjan, J. ACM 22, 1975; halving paths, no ranks)."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, node: int) -> int:
        """Return the representative of the node's class."""
        parent = self._parent
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    def join(self, nodes: Iterable[int]) -> None:
        """Put all the nodes into one class."""
        first, *others = nodes
        root = self.find(first)
        for node in others:
            self._parent[self.find(node)] = root


def innermost(events: Sequence[Event], size: int) -> frozenset[int]:
    """Return the nodes of the smallest set of events that wait for no other event.

    Events that share a gate belong together, and an event waits for those whose gates stand within it. What
    happens outside such a set neither enables nor prevents anything in it, so a search may decide it first
    (a persistent set, Godefroid, LNCS 1032, 1996).
    """
    clusters = Partition(size)
    for event in events:
        clusters.join(event.nodes)
    waits: defaultdict[int, set[int]] = defaultdict(set)
    for event in events:
        waits[clusters.find(event.nodes[0])] |= {clusters.find(node) for node in event.within}
    best = min((_closed(root, waits) for root in waits), key=lambda closed: (len(closed), min(closed)))
    return frozenset(node for node in range(size) if clusters.find(node) in best)


def _closed(root: int, waits: dict[int, set[int]]) -> set[int]:
    closed, todo = {root}, [root]
    while todo:
        new = waits.get(todo.pop(), set()) - closed
        closed |= new
        todo.extend(new)
    return closed


def parts(events: Sequence[Event], size: int) -> list[list[int]]:
    """Return the independent parts: nodes that events join, ascending; lone nodes are left out."""
    partition = Partition(size)
    for event in events:
        partition.join(event.within)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for node in range(size):
        found[partition.find(node)].append(node)
    return [part for part in found.values() if len(part) > 1]
