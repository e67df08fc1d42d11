"""The gate table against itself, its matrices and the oracle's own; gates as interned values."""

import copy
import pickle
from itertools import permutations
from threading import Barrier, Thread

import numpy as np
import pytest

from qrewrite.circuits import GATES, MAX_QUBITS, CircuitError, Gate
from support.circuits import alphabet
from support.unitary import MATRICES

PAULIS = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.array([[1, 0], [0, -1]]),
}
by_name = pytest.mark.parametrize("name", GATES)


def pauli_word(word: str) -> np.ndarray:
    matrix = np.eye(1)
    for letter in word.lstrip("-"):
        matrix = np.kron(matrix, PAULIS[letter])
    return -matrix if word.startswith("-") else matrix


@by_name
def test_matrix_has_the_shape_of_the_arity_and_is_unitary_and_self_inverse(name: str) -> None:
    matrix = np.array(GATES[name].matrix)
    assert matrix.shape == (2 ** GATES[name].arity,) * 2
    assert np.allclose(matrix.conj().T @ matrix, np.eye(len(matrix)))
    assert np.allclose(matrix @ matrix, np.eye(len(matrix)))


@by_name
def test_matrix_is_the_gate_as_the_oracle_defines_it(name: str) -> None:
    assert np.allclose(np.array(GATES[name].matrix), MATRICES[name])


def test_table_and_oracle_have_the_same_gates() -> None:
    assert GATES.keys() == MATRICES.keys() == {"H", "X", "Y", "Z", "CNOT", "CZ", "SWAP"}


@by_name
def test_images_are_what_the_matrix_makes_of_the_generators(name: str) -> None:
    spec = GATES[name]
    matrix = np.array(spec.matrix)
    generators = ["X", "Z"] if spec.arity == 1 else ["XI", "ZI", "IX", "IZ"]
    assert len(spec.images) == len(generators)
    for generator, image in zip(generators, spec.images, strict=True):
        assert np.allclose(matrix @ pauli_word(generator) @ matrix.conj().T, pauli_word(image))


@by_name
def test_symmetric_means_that_exchanged_qubits_leave_the_matrix_alone(name: str) -> None:
    spec = GATES[name]
    if spec.arity == 1:
        assert not spec.symmetric
        return
    exchange = np.array(GATES["SWAP"].matrix)
    matrix = np.array(spec.matrix)
    assert np.allclose(exchange @ matrix @ exchange, matrix) == spec.symmetric


@pytest.mark.parametrize("gate", alphabet(3), ids=str)
def test_equal_gates_are_the_same_object(gate: Gate) -> None:
    again = Gate(gate.name, list(gate.qubits))
    assert again is gate
    assert copy.copy(gate) is gate
    assert copy.deepcopy([gate])[0] is gate
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(gate, protocol)) is gate  # noqa: S301
    assert eval(repr(gate)) is gate  # noqa: S307
    assert gate.mask == sum(2**qubit for qubit in gate.qubits)
    assert gate.record == {"name": gate.name, "target_qubits": gate.qubits}


@pytest.mark.parametrize("name", [name for name, spec in GATES.items() if spec.arity == 2])
def test_exchanged_qubits_give_the_same_gate_exactly_when_it_is_symmetric(name: str) -> None:
    assert (Gate(name, (5, 2)) is Gate(name, (2, 5))) == GATES[name].symmetric
    assert Gate(name, (5, 2)).qubits == ((2, 5) if GATES[name].symmetric else (5, 2))


def test_a_gate_cannot_be_changed() -> None:
    gate = Gate("CNOT", (0, 1))
    for field in ("name", "qubits", "mask", "text", "record", "colour"):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(gate, field, None)
    with pytest.raises(AttributeError, match="immutable"):
        del gate.name
    assert gate.name == "CNOT"


def test_a_gate_record_cannot_be_changed_but_its_copies_can() -> None:
    record = Gate("CNOT", (0, 1)).record
    changes = (
        lambda: record.__setitem__("name", "X"),
        lambda: record.__delitem__("name"),
        lambda: record.__ior__({"name": "X"}),
        lambda: record.clear(),
        lambda: record.pop("name"),
        lambda: record.popitem(),
        lambda: record.setdefault("colour", 1),
        lambda: record.update(name="X"),
    )
    for change in changes:
        with pytest.raises(TypeError, match="read-only"):
            change()
    for copied in (dict(record), record.copy(), copy.copy(record), copy.deepcopy(record)):
        copied["name"] = "X"
    assert record == {"name": "CNOT", "target_qubits": (0, 1)}


@pytest.mark.parametrize(
    ("name", "qubits", "says"),
    [
        ("T", (0,), "unknown gate 'T'; the gates are H, X, Y, Z, CNOT, CZ, SWAP"),
        ("h", (0,), "unknown gate 'h'"),
        (None, (0,), "unknown gate None"),
        (7, (0,), "unknown gate 7"),
        ([], (0,), "a gate is a name and a list of qubits"),
        ("X", 0, "a gate is a name and a list of qubits"),
        ("X", None, "a gate is a name and a list of qubits"),
        ("X", ([],), "a gate is a name and a list of qubits"),
        ("X", (), "X takes 1 qubit, got []"),
        ("X", (0, 1), r"X takes 1 qubit, got \[0, 1\]"),
        ("CNOT", (0,), r"CNOT takes 2 distinct qubits, got \[0\]"),
        ("CNOT", (1, 1), r"CNOT takes 2 distinct qubits, got \[1, 1\]"),
        ("SWAP", (0, 1, 2), "SWAP takes 2 distinct qubits"),
        ("X", (-1,), r"X: qubits must be in 0..63, got \[-1\]"),
        ("X", (MAX_QUBITS,), r"X: qubits must be in 0..63, got \[64\]"),
        ("X", (10**30,), "X: qubits must be in 0..63"),
        ("X", (10**5000,), "X: qubits must be in 0..63"),
        ("X", (True,), "X: qubits must be integers"),
        ("X", (1.0,), "X: qubits must be integers"),
        ("X", (float("nan"),), "X: qubits must be integers"),
        ("X", (np.int64(1),), "X: qubits must be integers"),
        ("X", ("1",), "X: qubits must be integers"),
        ("X", "1", "X: qubits must be integers"),
        ("CNOT", "01", "CNOT: qubits must be integers"),
        ("X" * 10_000, (0,), "unknown gate"),
        ("X", (0,) * 10_000, "X takes 1 qubit"),
    ],
)
def test_what_is_no_gate_is_refused_and_told_what_is_allowed(name: object, qubits: object, says: str) -> None:
    Gate("X", (1,)), Gate("CNOT", (0, 1))  # interned before, so that an equal key cannot slip through
    with pytest.raises(CircuitError, match=says.replace("[]", r"\[\]")) as caught:
        Gate(name, qubits)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300


class SlowToFind(dict[object, object]):
    """A table in which threads that look up the same key have all missed it before the first adds it."""

    def __init__(self, barrier: Barrier) -> None:
        super().__init__()
        self.barrier = barrier

    def get(self, key: object, default: object = None) -> object:
        found = super().get(key, default)
        self.barrier.wait()
        return found


def test_threads_that_make_the_same_gates_get_the_same_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qrewrite.circuits.gates._INTERNED", SlowToFind(Barrier(16, timeout=30)))
    wanted = [*permutations(range(6), 2), *permutations(range(6), 2)]
    made: list[list[Gate]] = []

    def make() -> None:
        made.append([Gate(name, qubits) for qubits in wanted for name in ("CNOT", "CZ")])

    threads = [Thread(target=make) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 16
    for gates in zip(*made, strict=True):
        assert len(set(map(id, gates))) == 1
