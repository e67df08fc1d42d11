"""Whether a result can be had without swaps, which says whether an agent needs them."""

from collections.abc import Iterator, Sequence

from qrewrite.circuits import Circuit, Gate
from qrewrite.game import Position
from qrewrite.rules import RULES
from qrewrite.solver.relaxation import SearchLimitError, possible_events


def bound_without_swaps(gates: Sequence[Gate]) -> int:
    """Return a number of gates below which no play without swaps can get.

    Without swaps, the gates of a triple come together only when all gates between them in the list have
    gone; a gate that takes part in no event never goes. Where there are too many events to tell, the bound is
    the parity of the number of gates.
    """
    fixed: frozenset[int] = frozenset()
    while True:
        try:
            events = possible_events(gates, fixed=fixed)
        except SearchLimitError:
            return len(gates) % 2
        staying = frozenset(range(len(gates))).difference(*(event.within for event in events))
        if staying == fixed:
            return len(staying)
        fixed = staying


def reachable_without_swaps(circuit: Circuit, left: int, *, max_states: int = 2_000) -> bool | None:
    """Say if a play without swaps leaves at most `left` gates; None if `max_states` lists are too few."""
    seen: set[tuple[Gate, ...]] = set()
    todo = [circuit.gates]
    while todo:
        gates = todo.pop()
        if len(gates) <= left:
            return True
        if gates in seen or bound_without_swaps(gates) > left:
            continue
        if len(seen) >= max_states:
            return None
        seen.add(gates)
        todo += _shorter(circuit.num_qubits, gates)
    return False


def _shorter(num_qubits: int, gates: tuple[Gate, ...]) -> Iterator[tuple[Gate, ...]]:
    """Yield the lists that one legal reduction makes of this one."""
    circuit = Circuit(num_qubits, gates)
    for index, mask in enumerate(Position(circuit).masks()):
        for rule in RULES.values():
            if rule.removes and mask & rule.bit:
                position = Position(circuit)
                position.play(rule, index)
                yield tuple(position.wired.listed())
