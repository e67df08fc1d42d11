"""A circuit under rewriting: its gates linked along each wire, and the order in which they are listed."""

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from qrewrite.circuits.circuit import Circuit
from qrewrite.circuits.gates import Gate, GateRecord
from qrewrite.circuits.listing import Edit, Listing

NOBODY: Final = -1
"""The node beyond the end of a wire."""
UNKNOWN: Final = 255
"""Mark of a gate of which the list, as it stands, has not been asked."""
_UNKNOWN: Final = bytes([UNKNOWN])
_FORGOTTEN: Final = [_UNKNOWN * length for length in range(5)]
_END: Final = -4
"""The port beyond either end of a wire; its node is NOBODY."""
_UNUSED: Final = -1
"""Link of the second port of a one-qubit gate."""
LARGE: Final = 2_000
"""Gates from which on numbers are stored in arrays: reading one takes longer than from a list, but far less
than waiting for memory, of which a large circuit's lists take too much to stay near the processor."""

Numbers: TypeAlias = "list[int] | array[int]"


def _stored(numbers: Iterable[int], size: int, code: Literal["h", "i"] = "h") -> Numbers:
    return list(numbers) if size < LARGE else array(code, numbers)


class WiredCircuit:
    """Gates as nodes 0, 1, …, linked along their wires (the trace) and put in the order of the list.

    A node keeps its number while it lives. Its ports 4·node and 4·node+1 stand for its gate's first and
    second qubit; a link leads from a port to the port of the next gate on the same wire, so no walk ever
    searches for the side on which it arrives. All edits cost the same in any circuit, but for what list
    indices cost: moving what stands behind a removed gate.

    Attributes:
        order: nodes in the order of the list; the index of a gate is its place in here.
        marks: a byte for each gate of the list, for what its user wants to remember of it, less than
            UNKNOWN; UNKNOWN again when the gate, or one of the next two of the list, has become another.
        gates: gate of each node, and None for NOBODY.
        followers: the node that comes next on all wires of each node, or NOBODY if they disagree or end.
    """

    __slots__ = (
        "_edits",
        "_links",
        "_listing",
        "_removed",
        "_slots",
        "followers",
        "gates",
        "marks",
        "num_qubits",
        "order",
    )

    def __init__(self, circuit: Circuit) -> None:
        size = len(circuit.gates)
        self.num_qubits = circuit.num_qubits
        self.order = _stored(range(size), size)
        self.marks = bytearray(_UNKNOWN * size)
        # Gates leave the list and exchange places, but none comes in: an index is a place at the start, less
        # the removed ones before it.
        self._slots = _stored(range(size), size)
        self._removed: list[int] = []
        # Negative numbers reach the last entries, so NOBODY has entries of its own at the end of each list.
        self.gates: list[Gate | None] = [*circuit.gates, None]
        self.followers = _stored([NOBODY] * (size + 1), size)
        # Two links forward and two back for each node.
        self._links = _stored([_END, _UNUSED] * 2 * (size + 1), size, "i")
        self._link_wires(circuit)
        self._listing: Listing | None = None
        self._edits: list[Edit] = []

    def _link_wires(self, circuit: Circuit) -> None:
        links = self._links
        ends = [_END] * circuit.num_qubits
        for node, gate in enumerate(circuit.gates):
            for port, qubit in enumerate(gate.qubits, 4 * node):
                last = ends[qubit]
                links[port] = _END
                links[port + 2] = last
                if last != _END:
                    links[last] = port
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

    @property
    def listing(self) -> Listing:
        """How the list is shown; follows the edits when it is asked for, and is not to be changed."""
        listing = self._listing
        if listing is None:
            listing = self._listing = Listing(self.listed())
        elif self._edits:
            listing.edit(self._edits)
            self._edits.clear()
        return listing

    @property
    def records(self) -> list[GateRecord]:
        """The gates of the list as JSON-ready records, not to be changed."""
        return self.listing.records

    @property
    def texts(self) -> list[str]:
        """The gates of the list as text, not to be changed."""
        return self.listing.texts

    def index(self, node: int) -> int:
        """Return the index of a node that is in the list."""
        slot = self._slots[node]
        return slot - bisect_left(self._removed, slot)

    def predecessors(self, node: int) -> tuple[int, ...]:
        """Return the node before `node` on each of its wires, NOBODY where there is none."""
        links = self._links
        first, second = links[4 * node + 2] >> 2, links[4 * node + 3]
        return (first,) if second == _UNUSED else (first, second >> 2)

    def exchange(self, index: int) -> None:
        """Exchange the gates at `index` and `index + 1`, which share no qubit: the wires stay as they are."""
        order, slots = self.order, self._slots
        left, right = order[index], order[index + 1]
        order[index], order[index + 1] = right, left
        slots[left], slots[right] = slots[right], slots[left]
        first = index - 2 if index > 1 else 0
        self.marks[first : index + 2] = _FORGOTTEN[index + 2 - first]
        if self._listing is not None:
            self._edits.append(index)

    def remove(self, index: int) -> None:
        """Take the gate at `index` out of the list and off its wires."""
        node = self._take_out(index)
        self._unlink(node, node)

    def remove_pair(self, index: int) -> None:
        """Take out the gate at `index` and its follower, which is the same gate."""
        node = self.order[index]
        follower = self.followers[node]
        self._take_out(self.index(follower))
        self._take_out(index)
        self._unlink(node, follower)

    def _take_out(self, index: int) -> int:
        """Take the gate at `index` out of the list; return its node."""
        node = self.order.pop(index)
        insort(self._removed, self._slots[node])
        first = index - 2 if index > 1 else 0
        self.marks[first : index + 1] = _FORGOTTEN[index - first]
        if self._listing is not None:
            self._edits.append((index, None))
        return node

    def _unlink(self, first: int, last: int) -> None:
        """Join the wires before one node to those behind another, which has the same ports."""
        links, before, behind = self._links, 4 * first + 2, 4 * last
        previous, following = links[before], links[behind]
        links[previous] = following
        links[following + 2] = previous
        if previous != _END:
            self._follow(previous >> 2)
        following = links[behind + 1]
        if following != _UNUSED:
            previous = links[before + 1]
            links[previous] = following
            links[following + 2] = previous
            if previous != _END:
                self._follow(previous >> 2)

    def _follow(self, node: int) -> None:
        """Write down which node now comes next on every wire of `node`."""
        links = self._links
        first, second = links[4 * node] >> 2, links[4 * node + 1]
        self.followers[node] = first if second == _UNUSED or second >> 2 == first else NOBODY

    def relabel(self, index: int, gate: Gate) -> None:
        """Put another gate on the same qubits in the place of the gate at `index`."""
        node = self.order[index]
        old = self.gates[node]
        self.gates[node] = gate
        first = index - 2 if index > 1 else 0
        self.marks[first : index + 1] = _FORGOTTEN[index + 1 - first]
        if self._listing is not None:
            self._edits.append((index, gate))
        if old is not None and old.qubits != gate.qubits:
            self._flip(node)

    def _flip(self, node: int) -> None:
        """Exchange the two ports of a two-qubit node."""
        links, first, second = self._links, 4 * node, 4 * node + 1
        following, previous = (links[first], links[second]), (links[first + 2], links[second + 2])
        links[second], links[first] = following
        links[second + 2], links[first + 2] = previous
        links[following[0] + 2], links[following[1] + 2] = second, first
        links[previous[0]], links[previous[1]] = second, first
