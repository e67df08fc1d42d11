"""Where the gates of a drawing are, whatever draws it: in columns, in which no gate crosses another."""

from dataclasses import dataclass

from qrewrite.circuits.circuit import Circuit
from qrewrite.circuits.gates import Gate


@dataclass(frozen=True, slots=True)
class PlacedGate:
    """A gate and its place; it has the wires `top` to `bottom` of its column for itself.

    Attributes:
        index: index of the gate in its circuit.
        gate: the gate.
        column: its column, from 0, left to right.
        top: its lowest qubit, whose wire is drawn above.
        bottom: its highest qubit; that of `top` for a gate on one qubit.
    """

    index: int
    gate: Gate
    column: int
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Gates on their places, by index: a circuit, or a run of its gates, that is ready to be drawn."""

    num_qubits: int
    num_columns: int
    gates: tuple[PlacedGate, ...]


class Columns:
    """Columns that take gates one by one, each in the earliest column that can have it."""

    def __init__(self, num_qubits: int) -> None:
        self._next = [0] * num_qubits
        self._taken: list[int] = []
        self._placed: list[PlacedGate] = []

    def place(self, index: int, gate: Gate) -> PlacedGate:
        """Return where the gate goes, without taking it.

        That is the first column after those of all earlier gates that share a qubit with it, in which its
        wires, and those between them, are free. No wire looks at a column twice over all gates that are
        added, so that a circuit takes time in proportion to its gates and to wires times columns.
        """
        top, bottom = min(gate.qubits), max(gate.qubits)
        wires = _bits(top, bottom)
        column = max(self._next[qubit] for qubit in gate.qubits)
        while column < len(self._taken) and self._taken[column] & wires:
            column += 1
        return PlacedGate(index, gate, column, top, bottom)

    def add(self, placed: PlacedGate) -> None:
        """Take a gate where `place` has just put it."""
        if placed.column == len(self._taken):
            self._taken.append(0)
        self._taken[placed.column] |= _bits(placed.top, placed.bottom)
        for qubit in placed.gate.qubits:
            self._next[qubit] = placed.column + 1
        self._placed.append(placed)

    def layout(self) -> Layout:
        """Return the gates that have been added."""
        return Layout(len(self._next), len(self._taken), tuple(self._placed))


def _bits(top: int, bottom: int) -> int:
    """Return the wires from `top` to `bottom` as bits, wire 0 the lowest."""
    return (2 << bottom) - (1 << top)


def layout(circuit: Circuit) -> Layout:
    """Return the places of all gates of the circuit.

    >>> [placed.column for placed in layout(Circuit.parse("CNOT 0 2; H 1; X 3; Z 2", num_qubits=4)).gates]
    [0, 1, 0, 1]
    """
    columns = Columns(circuit.num_qubits)
    for index, gate in enumerate(circuit.gates):
        columns.add(columns.place(index, gate))
    return columns.layout()
