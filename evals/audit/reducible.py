"""Whether anything can be reduced in a circuit, decided anew: nothing of the game's own matchers.

Gates come as name and qubits. What is in a row on its wires can be brought together in the list by
swaps alone, and swaps never change the order on a wire: so the wires decide.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

Gates: TypeAlias = Sequence[tuple[str, tuple[int, ...]]]

_SYMMETRIC: Final = ("CZ", "SWAP")


def reducible(gates: Gates) -> bool:
    """Return whether a pair cancels, or an H·X·H or three CNOTs stand in a row on their wires."""
    return any(_cancels(gates, at) or _collapses(gates, at) for at in range(len(gates)))


def on_wires(gates: Gates, num_qubits: int) -> tuple[Gates, ...]:
    """Return each wire's gates in order: the same for circuits that swaps lead to, and for no others."""
    return tuple(tuple(gate for gate in gates if qubit in gate[1]) for qubit in range(num_qubits))


def _after(gates: Gates, at: int) -> int | None:
    """Return the next gate that shares a qubit with this one."""
    mine = set(gates[at][1])
    return next((later for later in range(at + 1, len(gates)) if mine & set(gates[later][1])), None)


def _same(one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]]) -> bool:
    if one[0] in _SYMMETRIC:
        return one[0] == other[0] and set(one[1]) == set(other[1])
    return one == other


def _cancels(gates: Gates, at: int) -> bool:
    later = _after(gates, at)
    return later is not None and _same(gates[at], gates[later])


def _collapses(gates: Gates, at: int) -> bool:
    second = _after(gates, at)
    third = None if second is None else _after(gates, second)
    if second is None or third is None:
        return False
    name, qubits = gates[at]
    if name == "H":
        middle = ("X", qubits)
    elif name == "CNOT":
        middle = ("CNOT", qubits[::-1])
    else:
        return False
    return gates[second] == middle and gates[third] == gates[at]
