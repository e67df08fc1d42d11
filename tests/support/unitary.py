"""Oracle by matrices: what a circuit does, multiplied out as a unitary with gate matrices of its own."""

from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qrewrite.circuits import Circuit, Gate

Matrix = NDArray[np.complex128]

MAX_QUBITS: Final = 6

_I = np.eye(2, dtype=np.complex128)
_X = np.array([[0, 1], [1, 0]], dtype=np.complex128)
_Z = np.array([[1, 0], [0, -1]], dtype=np.complex128)
_Y = 1j * _X @ _Z
_OFF, _ON = (_I + _Z) / 2, (_I - _Z) / 2  # projectors on |0⟩ and |1⟩

MATRICES: Final[dict[str, Matrix]] = {
    "H": (_X + _Z) / np.sqrt(2),
    "X": _X,
    "Y": _Y,
    "Z": _Z,
    "CNOT": np.kron(_OFF, _I) + np.kron(_ON, _X),
    "CZ": np.kron(_OFF, _I) + np.kron(_ON, _Z),
    "SWAP": sum((np.kron(pauli, pauli) for pauli in (_X, _Y, _Z)), np.kron(_I, _I)) / 2,
}
"""Each gate from its definition: projectors on the control, and SWAP as (II + XX + YY + ZZ) / 2."""


def act(matrix: Matrix, qubits: tuple[int, ...], states: Matrix, num_qubits: int) -> Matrix:
    """Return `matrix` on `qubits` of states (2**num_qubits, columns); qubit 0 is the most significant bit."""
    arity = len(qubits)
    tensor = states.reshape((2,) * num_qubits + (-1,))
    gate = matrix.reshape((2,) * (2 * arity))
    acted = np.tensordot(gate, tensor, axes=(range(arity, 2 * arity), qubits))
    return np.moveaxis(acted, range(arity), qubits).reshape(states.shape)


def unitary(circuit: Circuit) -> Matrix:
    """Return the circuit's matrix, shape (2**num_qubits, 2**num_qubits), up to six qubits."""
    if circuit.num_qubits > MAX_QUBITS:
        raise ValueError(f"matrices are for at most {MAX_QUBITS} qubits, got {circuit.num_qubits}")

    def step(states: Matrix, gate: Gate) -> Matrix:
        return act(MATRICES[gate.name], gate.qubits, states, circuit.num_qubits)

    return reduce(step, circuit.gates, np.eye(2**circuit.num_qubits, dtype=np.complex128))


def same_unitary(left: Circuit, right: Circuit) -> bool:
    """Say whether two circuits have the same matrix up to one global phase."""
    if left.num_qubits != right.num_qubits:
        return False
    return equal_up_to_phase(unitary(left), unitary(right))


def equal_up_to_phase(left: Matrix, right: Matrix) -> bool:
    """Say whether two unitaries of one shape are proportional: |tr(L†R)| reaches its bound only then.

    Different Clifford unitaries stay below the bound by at least the factor 1/√2, so rounding cannot decide.
    """
    return bool(abs(np.vdot(left, right)) > 0.99 * len(left))
