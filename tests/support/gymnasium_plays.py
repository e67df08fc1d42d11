"""What tests of the Gymnasium environments share: reading observations back, comparing, and choosing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qrewrite.circuits import Circuit, Gate

Array = NDArray[Any]
NAMES = ("H", "X", "Y", "Z", "CNOT", "CZ", "SWAP")
"""The columns of an observed gate that say its name, as docs/gymnasium.md lists them."""


def circuit_in(gates: Array, num_qubits: int) -> Circuit:
    """Read an observed circuit back; rows behind the last gate must be 0."""
    read = []
    for row in gates:
        name, first, second = np.split(row, [len(NAMES), len(NAMES) + num_qubits])
        if not row.any():
            break
        qubits = [*np.flatnonzero(first).tolist(), *np.flatnonzero(second).tolist()]
        (column,) = np.flatnonzero(name)
        read.append(Gate(NAMES[column], qubits))
    assert not gates[len(read) :].any()
    return Circuit.of(num_qubits, read)


def assert_equal(one: Any, other: Any, path: str = "") -> None:
    """Compare nested dicts of arrays, types and all."""
    if isinstance(other, dict):
        assert one.keys() == other.keys(), path
        for key in other:
            assert_equal(one[key], other[key], f"{path}/{key}")
    elif isinstance(other, tuple):
        assert len(one) == len(other), path
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_equal(mine, theirs, f"{path}/{place}")
    elif isinstance(other, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), path
        if other.dtype == object:
            for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
                assert_equal(mine, theirs, f"{path}/{place}")
        else:
            assert (one == other).all(), path
    else:
        assert type(one) is type(other), path
        assert one == other, path


def arrays_in(data: Any) -> list[Array]:
    """Return all arrays of numbers in nested dicts, tuples and arrays of objects."""
    if isinstance(data, dict):
        return [array for value in data.values() for array in arrays_in(value)]
    if isinstance(data, tuple) or (isinstance(data, np.ndarray) and data.dtype == object):
        return [array for value in data for array in arrays_in(value)]
    return [data] if isinstance(data, np.ndarray) else []


def mixed_actions(masks: Array, rng: np.random.Generator) -> Array:
    """Choose for each row: any action, a legal one, or one that removes gates, by the row's number."""
    rows, actions = masks.shape
    kinds = np.arange(rows) % 3
    legal = np.where((kinds > 0)[:, None], masks, True)
    reductions = masks & (np.arange(actions) % 4 != 1)
    reduces = (kinds == 2) & reductions.any(axis=1)
    legal = np.where(reduces[:, None], reductions, legal)
    return (legal * (1 - rng.random(legal.shape))).argmax(axis=1)
