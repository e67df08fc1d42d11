"""What a circuit does, as a matrix: NumPy alone, nothing of the game's own code.

Gates come as name and qubits. Qubit 0 is the most significant bit.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.complex128]
Gates: TypeAlias = Sequence[tuple[str, tuple[int, ...]]]

_PLUS: Final = 2**-0.5

_ONE: Final[dict[str, Matrix]] = {
    "H": np.array([[_PLUS, _PLUS], [_PLUS, -_PLUS]], dtype=np.complex128),
    "X": np.array([[0, 1], [1, 0]], dtype=np.complex128),
    "Y": np.array([[0, -1j], [1j, 0]], dtype=np.complex128),
    "Z": np.array([[1, 0], [0, -1]], dtype=np.complex128),
}
_PERMUTED: Final = {"CNOT": (0, 1, 3, 2), "SWAP": (0, 2, 1, 3), "CZ": (0, 1, 2, 3)}
"""Where each basis state of two qubits goes."""


def _tensor(name: str) -> Matrix:
    """Return the gate as a tensor with its outputs first, then its inputs; KeyError if there is none."""
    if name in _ONE:
        return _ONE[name]
    matrix = np.eye(4, dtype=np.complex128)[list(_PERMUTED[name])]
    if name == "CZ":
        matrix[3, 3] = -1
    return matrix.reshape(2, 2, 2, 2)


def unitary(gates: Gates, num_qubits: int) -> Matrix:
    """Return the matrix of a circuit, shape (2**num_qubits, 2**num_qubits); the first gate acts first.

    Raises:
        KeyError: for a gate that is not of the alphabet.
    """
    state = np.eye(2**num_qubits, dtype=np.complex128).reshape((2,) * num_qubits + (-1,))
    for name, qubits in gates:
        arity = len(qubits)
        moved = np.tensordot(_tensor(name), state, axes=(range(arity, 2 * arity), qubits))
        state = np.moveaxis(moved, range(arity), qubits)
    return state.reshape(2**num_qubits, -1)


def difference(left: Matrix, right: Matrix) -> tuple[float, float]:
    """Return the largest difference of two unitaries' entries, and by how much |tr(L†R)| misses dim."""
    overlap = abs(np.vdot(left, right)) / len(left)
    return float(np.abs(left - right).max()), float(abs(1 - overlap))
