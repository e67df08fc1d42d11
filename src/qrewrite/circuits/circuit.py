"""A circuit as a value: gates in the order in which they act, on numbered wires."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from qrewrite.circuits.errors import CircuitError, shown
from qrewrite.circuits.gates import MAX_QUBITS, Gate, GateRecord

MAX_GATES: Final = 10_000
"""Largest number of gates of a circuit."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """`num_qubits` wires and the gates on them, first gate first; prints as one gate a line.

    >>> circuit = Circuit.parse("H 0; CNOT 0 1", num_qubits=2)
    >>> circuit.gates
    (Gate('H', (0,)), Gate('CNOT', (0, 1)))
    >>> Circuit.parse(str(circuit), num_qubits=2) == circuit
    True
    """

    num_qubits: int
    gates: tuple[Gate, ...]

    def __post_init__(self) -> None:
        if type(self.num_qubits) is not int or not 1 <= self.num_qubits <= MAX_QUBITS:
            got = shown(self.num_qubits)
            raise CircuitError(f"num_qubits must be an integer in 1..{MAX_QUBITS}, got {got}")
        if len(self.gates) > MAX_GATES:
            raise CircuitError(f"a circuit has at most {MAX_GATES} gates, got {len(self.gates)}")
        for index, gate in enumerate(self.gates):
            if gate.mask >> self.num_qubits:
                raise CircuitError(
                    f"gate {index} ({gate}) is outside the circuit's qubits 0..{self.num_qubits - 1}"
                )

    @classmethod
    def of(cls, num_qubits: int, gates: Iterable[Gate]) -> "Circuit":
        """Return the circuit of any iterable of gates."""
        return cls(num_qubits, tuple(gates))

    @classmethod
    def parse(cls, text: str, *, num_qubits: int) -> "Circuit":
        """Read gates such as `CNOT 0 1`, separated by line breaks or semicolons; `#` starts a comment."""
        gates = []
        lines = (line.partition("#")[0] for line in text.splitlines())
        for statement in filter(None, (part.strip() for line in lines for part in line.split(";"))):
            name, *qubits = statement.split()
            if not all(qubit.isascii() and qubit.isdigit() and len(qubit) <= 4 for qubit in qubits):
                raise CircuitError(f"expected a gate such as 'CNOT 0 1', got {shown(statement)}")
            gates.append(Gate(name, [int(qubit) for qubit in qubits]))
        return cls(num_qubits, tuple(gates))

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], *, num_qubits: int) -> "Circuit":
        """Read gates as JSON carries them: objects with exactly `name` and `target_qubits`."""
        gates = []
        for index, record in enumerate(records):
            if not isinstance(record, Mapping) or set(record) != {"name", "target_qubits"}:
                raise CircuitError(f"gate {index} must be an object with exactly name and target_qubits")
            qubits = record["target_qubits"]
            if not isinstance(qubits, list | tuple):
                got = shown(qubits)
                raise CircuitError(f"gate {index}: target_qubits must be a list of integers, got {got}")
            try:
                gates.append(Gate(record["name"], qubits))
            except CircuitError as error:
                raise CircuitError(f"gate {index}: {error}") from None
        return cls(num_qubits, tuple(gates))

    def records(self) -> list[GateRecord]:
        """Return the gates as JSON-ready records; the list is the caller's, the records are read-only."""
        return [gate.record for gate in self.gates]

    def __len__(self) -> int:
        return len(self.gates)

    def __str__(self) -> str:
        return "\n".join(gate.text for gate in self.gates)
