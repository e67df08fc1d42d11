"""A circuit under rewriting: its gates linked along each wire and along the list."""

from typing import Final

from qrewrite.circuits.circuit import Circuit
from qrewrite.circuits.gates import Gate, GateRecord

NOBODY: Final = -1
"""The node beyond either end of the list or of a wire."""
_END: Final = -2
"""The port beyond either end of a wire; its node is NOBODY."""
_UNUSED: Final = -1
"""Link of the second port of a one-qubit gate."""


class WiredCircuit:
    """Gates as nodes 0, 1, …, linked along their wires (the trace) and along the list.

    A node keeps its number while it lives. Its ports 2·node and 2·node+1 stand for its gate's first and
    second qubit; a link leads from a port to the port of the next gate on the same wire, so no walk ever
    searches for the side on which it arrives. All edits cost the same in any circuit, but for what list
    indices cost.

    Attributes:
        order: nodes in the order of the list; the index of a gate is its place in here.
        records, texts: the gates of the list as JSON and as text, kept beside `order` since every observation
            shows both; do not change them from outside.
        gates: gate of each node, and None for NOBODY.
        masks: qubit mask of each node, 0 for NOBODY.
        after, before: list neighbour of each node, or NOBODY.
        followers: the node that comes next on all wires of each node, or NOBODY if they disagree or end.
    """

    __slots__ = (
        "_next",
        "_previous",
        "after",
        "before",
        "followers",
        "gates",
        "masks",
        "num_qubits",
        "order",
        "records",
        "texts",
    )

    def __init__(self, circuit: Circuit) -> None:
        size = len(circuit.gates)
        self.num_qubits = circuit.num_qubits
        self.order: list[int] = list(range(size))
        self.records: list[GateRecord] = [gate.record for gate in circuit.gates]
        self.texts: list[str] = [gate.text for gate in circuit.gates]
        self.gates: list[Gate | None] = [*circuit.gates, None]
        self.masks: list[int] = [*(gate.mask for gate in circuit.gates), 0]
        # Negative numbers reach the last entries, so NOBODY has entries of its own at the end of each list.
        self.after: list[int] = [*range(1, size + 1), NOBODY]
        self.after[size - 1] = NOBODY
        self.before: list[int] = [*range(-1, size - 1), NOBODY]
        self.followers: list[int] = [NOBODY] * (size + 1)
        self._next: list[int] = [_UNUSED] * (2 * size) + [_END, _END]
        self._previous: list[int] = [_UNUSED] * (2 * size) + [_END, _END]
        self._link_wires(circuit)

    def _link_wires(self, circuit: Circuit) -> None:
        ends = [_END] * circuit.num_qubits
        for node, gate in enumerate(circuit.gates):
            for port, qubit in enumerate(gate.qubits, 2 * node):
                last = ends[qubit]
                self._previous[port] = last
                self._next[port] = _END
                if last != _END:
                    self._next[last] = port
                ends[qubit] = port
        for node in range(len(circuit.gates)):
            self._follow(node)

    def __len__(self) -> int:
        return len(self.order)

    def circuit(self) -> Circuit:
        """Return the circuit as a value."""
        return Circuit.of(self.num_qubits, self.listed())

    def listed(self) -> list[Gate]:
        """Return the gates in the order of the list."""
        return list(map(self.gates.__getitem__, self.order))  # type: ignore[arg-type]

    def predecessors(self, node: int) -> tuple[int, ...]:
        """Return the node before `node` on each of its wires, NOBODY where there is none."""
        first = self._previous[2 * node] >> 1
        second = self._previous[2 * node + 1]
        return (first,) if second == _UNUSED else (first, second >> 1)

    def exchange(self, index: int) -> None:
        """Exchange the gates at `index` and `index + 1`, which share no qubit: the wires stay as they are."""
        order, after, before = self.order, self.after, self.before
        left, right = order[index], order[index + 1]
        order[index], order[index + 1] = right, left
        records, texts = self.records, self.texts
        records[index], records[index + 1] = records[index + 1], records[index]
        texts[index], texts[index + 1] = texts[index + 1], texts[index]
        outer_left, outer_right = before[left], after[right]
        after[outer_left] = before[left] = right
        before[outer_right] = after[right] = left
        before[right], after[left] = outer_left, outer_right

    def remove(self, index: int) -> None:
        """Take the gate at `index` out of the list and off its wires."""
        node = self.order.pop(index)
        del self.records[index], self.texts[index]
        outer_left, outer_right = self.before[node], self.after[node]
        self.after[outer_left] = outer_right
        self.before[outer_right] = outer_left
        for port in (2 * node, 2 * node + 1):
            previous, following = self._previous[port], self._next[port]
            if following != _UNUSED:
                self._next[previous] = following
                self._previous[following] = previous
                if previous != _END:
                    self._follow(previous >> 1)

    def _follow(self, node: int) -> None:
        """Write down which node now comes next on every wire of `node`."""
        first, second = self._next[2 * node], self._next[2 * node + 1]
        agree = second == _UNUSED or second >> 1 == first >> 1
        self.followers[node] = first >> 1 if agree else NOBODY

    def relabel(self, index: int, gate: Gate) -> None:
        """Put another gate on the same qubits in the place of the gate at `index`."""
        node = self.order[index]
        old = self.gates[node]
        self.gates[node] = gate
        self.records[index] = gate.record
        self.texts[index] = gate.text
        if old is not None and old.qubits != gate.qubits:
            self._flip(node)

    def _flip(self, node: int) -> None:
        """Exchange the two ports of a two-qubit node."""
        for links, back in ((self._next, self._previous), (self._previous, self._next)):
            first, second = links[2 * node], links[2 * node + 1]
            links[2 * node], links[2 * node + 1] = second, first
            back[second], back[first] = 2 * node, 2 * node + 1
