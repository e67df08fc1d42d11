"""Features of a gate that do not depend on where in the list it stands: its neighbours along its wires."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qrewrite.circuits import GATES

Array = NDArray[Any]

NAMES: Final = len(GATES)
MAX_GAP: Final = 3
"""Gates of other wires that stand between two neighbours are counted up to here."""


def windows(gates: Array, *, reach: int, wires: int) -> Array:
    """Return what stands around each gate on its wires, all of it taken from an observation.

    Args:
        gates: `gates` of the observations, shape (circuits, rows, columns).
        reach: how many gates before and behind are looked at.
        wires: 1 where all gates act on one qubit, else 2.

    Returns:
        Small integers, shape (circuits, rows, features), uint8: the gate's own name; then for each of its
        wires and each neighbour its name, on which of the gate's qubits it acts if there are 2 wires, and how
        many gates stand between it and the neighbour before it.
    """
    circuits, rows, columns = gates.shape
    qubits = (columns - NAMES) // 2
    ends = gates[:, :, NAMES:].reshape(circuits, rows, 2, qubits)
    # One more row stands for no gate.
    padded = np.zeros((circuits, rows + 1, columns), np.uint8)
    padded[:, :rows] = gates
    features = [gates[:, :, :NAMES]]
    for wire in range(wires):
        present = ends[:, :, wire].any(axis=2)
        on = ends[:, :, wire].argmax(axis=2)
        for table in _neighbours(ends.any(axis=2)):
            before = np.broadcast_to(np.arange(rows), (circuits, rows))
            for _ in range(reach):
                place = np.where(present, table[np.arange(circuits)[:, None], before, on], rows)
                seen = padded[np.arange(circuits)[:, None], place]
                features.append(seen[:, :, :NAMES])
                if wires == 2:
                    features.append(_shared(seen[:, :, NAMES:].reshape(ends.shape), ends))
                gap = np.minimum(np.abs(place - before) - 1, MAX_GAP)
                features.append(np.where(place < rows, gap, 0)[:, :, None])
                before = place
    return np.concatenate(features, axis=2, dtype=np.uint8, casting="unsafe")


def width(*, reach: int, wires: int) -> int:
    """Return the number of features of a gate."""
    return NAMES + wires * 2 * reach * (NAMES + 1 + (4 if wires == 2 else 0))


def _neighbours(on: Array) -> tuple[Array, Array]:
    """Return the next and the last row on each wire, seen from each row; the number of rows for none."""
    circuits, rows, qubits = on.shape
    tables = []
    for order in (range(rows - 1, -1, -1), range(rows)):
        table = np.full((circuits, rows + 1, qubits), rows)
        found = np.full((circuits, qubits), rows)
        for row in order:
            table[:, row] = found
            found = np.where(on[:, row], row, found)
        tables.append(table)
    return tables[0], tables[1]


def _shared(ends: Array, own: Array) -> Array:
    """Return which qubit of a neighbour is which of the gate's own, shape (circuits, rows, 4)."""
    same = np.einsum("crpq,croq->crpo", ends, own)
    return same.reshape(*same.shape[:2], 4)
