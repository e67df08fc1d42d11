"""Circuits for tests: the whole alphabet on given wires, seeded circuits, and strategies rich in pairs."""

from collections.abc import Callable, Iterable
from itertools import chain, permutations
from random import Random

from hypothesis import strategies as st

from qrewrite.circuits import GATES, Circuit, Gate

PlainGate = tuple[str, tuple[int, ...]]


def alphabet(num_qubits: int) -> list[Gate]:
    """Every gate on that many wires, each once: 4 a wire, 2 + 1 + 1 a pair."""
    named = (
        Gate(name, qubits)
        for name, spec in GATES.items()
        for qubits in permutations(range(num_qubits), spec.arity)
    )
    return list(dict.fromkeys(named))


def random_circuit(rng: Random, num_qubits: int, size: int) -> Circuit:
    gates = alphabet(num_qubits)
    return Circuit.of(num_qubits, (rng.choice(gates) for _ in range(size)))


def plain(circuit: Circuit) -> list[PlainGate]:
    """The circuit as the naive rules take it."""
    return [(gate.name, gate.qubits) for gate in circuit.gates]


def from_plain(gates: Iterable[PlainGate], num_qubits: int) -> Circuit:
    return Circuit.of(num_qubits, (Gate(name, qubits) for name, qubits in gates))


def _words(num_qubits: int) -> list[tuple[Gate, ...]]:
    """Single gates, pairs and triples, so that a drawn circuit has something to reduce."""
    wires = range(num_qubits)
    words = [(gate,) for gate in alphabet(num_qubits)]
    words += [(gate, gate) for gate in alphabet(num_qubits)]
    words += [(Gate("H", (a,)), Gate("X", (a,)), Gate("H", (a,))) for a in wires]
    for a, b in permutations(wires, 2):
        words.append((Gate("CNOT", (a, b)), Gate("CNOT", (b, a)), Gate("CNOT", (a, b))))
    return words


def _shuffled(gates: list[Gate], places: list[int]) -> list[Gate]:
    """Put each gate as many places to the left as is asked and the gates that share its wires allow."""
    done: list[Gate] = []
    for gate, place in zip(gates, places, strict=True):
        at = len(done)
        while at > len(done) - place and at and not done[at - 1].mask & gate.mask:
            at -= 1
        done.insert(at, gate)
    return done


@st.composite
def circuits(draw: Callable[..., object], max_qubits: int = 4, max_words: int = 8) -> Circuit:
    """Circuits of up to 3·max_words gates on up to max_qubits wires, pairs and triples apart in the list."""
    num_qubits = draw(st.integers(1, max_qubits))
    assert isinstance(num_qubits, int)
    words = draw(st.lists(st.sampled_from(_words(num_qubits)), max_size=max_words))
    gates = list(chain.from_iterable(words))  # type: ignore[call-overload]
    places = draw(st.lists(st.integers(0, 6), min_size=len(gates), max_size=len(gates)))
    return Circuit.of(num_qubits, _shuffled(gates, places))  # type: ignore[arg-type]
