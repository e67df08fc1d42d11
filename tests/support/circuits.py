"""Circuits for tests: the whole alphabet on given wires, seeded circuits, and strategies rich in pairs."""

from collections.abc import Iterable
from functools import cache
from itertools import permutations
from random import Random
from typing import Final

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


@cache
def _words(num_qubits: int) -> list[list[tuple[Gate, ...]]]:
    """Single gates, pairs and triples on that many wires."""
    wires, gates = range(num_qubits), alphabet(num_qubits)
    singles: list[tuple[Gate, ...]] = [(gate,) for gate in gates]
    pairs: list[tuple[Gate, ...]] = [(gate, gate) for gate in gates]
    triples: list[tuple[Gate, ...]] = [(Gate("H", (a,)), Gate("X", (a,)), Gate("H", (a,))) for a in wires]
    for a, b in permutations(wires, 2):
        triples.append((Gate("CNOT", (a, b)), Gate("CNOT", (b, a)), Gate("CNOT", (a, b))))
    return [singles, pairs, triples]


def _nested(words: Iterable[tuple[tuple[Gate, ...], int]]) -> list[Gate]:
    """Put each word into what is there already, at a place that a number chooses."""
    gates: list[Gate] = []
    for word, number in words:
        at = number % (len(gates) + 1)
        gates[at:at] = word
    return gates


def _spread(gates: list[Gate], places: Iterable[int]) -> list[Gate]:
    """Move each gate as many places to the left as is asked and the gates that share its wires allow."""
    done: list[Gate] = []
    for gate, place in zip(gates, places, strict=True):
        at = len(done)
        while at > len(done) - place and at and not done[at - 1].mask & gate.mask:
            at -= 1
        done.insert(at, gate)
    return done


def grown_circuit(rng: Random, num_qubits: int, words: int) -> Circuit:
    """A circuit of single gates, pairs and triples inside one another, spread by swaps."""
    drawn = [(rng.choice(rng.choice(_words(num_qubits))), rng.randrange(1000)) for _ in range(words)]
    gates = _nested(drawn)
    return Circuit.of(num_qubits, _spread(gates, [rng.randrange(8) for _ in gates]))


@st.composite
def circuits(draw: st.DrawFn, max_qubits: int = 4, max_words: int = 8) -> Circuit:
    """Circuits of up to 3·max_words gates on up to max_qubits wires, made as by `grown_circuit`."""
    num_qubits = draw(st.integers(1, max_qubits))
    word = st.one_of(map(st.sampled_from, _words(num_qubits)))
    gates = _nested(draw(st.lists(st.tuples(word, st.integers(0, 999)), max_size=max_words)))
    places = draw(st.lists(st.integers(0, 7), min_size=len(gates), max_size=len(gates)))
    return Circuit.of(num_qubits, _spread(gates, places))


DRAWN: Final = Circuit.parse(
    "H 0; CNOT 0 2; X 1; Y 3; CZ 3 1; Z 2; SWAP 0 1; CNOT 3 2; H 1; CNOT 2 0; SWAP 3 0; X 1; X 2; CNOT 0 1",
    num_qubits=4,
)
"""A small circuit for golden drawings, every face's the same."""

DRAWN_WIDE: Final = Circuit.parse("SWAP 0 10; H 5; CNOT 10 9; Z 0", num_qubits=11)
"""One whose wires have names of two lengths."""
