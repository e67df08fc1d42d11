"""A circuit cut into blocks of the length that there is room for, whatever draws them."""

from collections.abc import Callable, Iterator

from qrewrite.circuits.circuit import Circuit
from qrewrite.circuits.columns import Columns, Layout
from qrewrite.circuits.gates import Gate


class Block:
    """The next gates of a circuit, which are drawn side by side.

    Attributes:
        sizes: length of each column: that of its longest gate.
    """

    def __init__(self, num_qubits: int) -> None:
        self._columns = Columns(num_qubits)
        self._length = 0
        self.sizes: list[int] = []

    def place(self, index: int, gate: Gate, size: int, room: int) -> bool:
        """Add the gate, which is `size` long, unless the block would be longer than `room`."""
        placed = self._columns.place(index, gate)
        new = placed.column == len(self.sizes)
        longer = size if new else max(0, size - self.sizes[placed.column])
        if self._length + longer > room:
            return False
        self._columns.add(placed)
        if new:
            self.sizes.append(size)
        else:
            self.sizes[placed.column] += longer
        self._length += longer
        return True

    @property
    def layout(self) -> Layout:
        """The gates on their places, columns counted from the block's first."""
        return self._columns.layout()

    @property
    def title(self) -> str:
        """Which gates the block has; it must have one."""
        gates = self.layout.gates
        first, last = gates[0].index, gates[-1].index
        return f"gate {first}" if first == last else f"gates {first} to {last}"


def blocks(circuit: Circuit, *, room: int, size: Callable[[int], int]) -> Iterator[Block]:
    """Yield blocks that are at most `room` long; the circuit without gates is one block.

    Args:
        circuit: what is cut.
        room: length of the longest block that is allowed, in the unit of `size`.
        size: length of the gate with an index, at most `room`.
    """
    block = Block(circuit.num_qubits)
    for index, gate in enumerate(circuit.gates):
        if not block.place(index, gate, size(index), room):
            yield block
            block = Block(circuit.num_qubits)
            block.place(index, gate, size(index), room)
    yield block
