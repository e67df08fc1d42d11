"""The two oracles: the tableau refereed by stim, and both able to say no."""

from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import pytest
import stim
from hypothesis import assume, given
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import GATES, Circuit, Gate, Tableau, same_action
from support.circuits import alphabet, circuits, random_circuit
from support.unitary import same_unitary, unitary

Oracle = Callable[[Circuit, Circuit], bool]
both_oracles = pytest.mark.parametrize("oracle", [same_action, same_unitary])


def images_by_stim(circuit: Circuit) -> list[str]:
    """Images of all X, then of all Z, in our spelling of Pauli words."""
    idle = f"I {circuit.num_qubits - 1}"  # stim counts qubits by the largest that is mentioned
    tableau = stim.Circuit(f"{circuit}\n{idle}").to_tableau()
    qubits = range(circuit.num_qubits)
    outputs = [*map(tableau.x_output, qubits), *map(tableau.z_output, qubits)]
    return [str(word).replace("+", "").replace("_", "I") for word in outputs]


def images(circuit: Circuit) -> list[str]:
    tableau = Tableau.of(circuit)
    return [tableau.image(row) for row in range(2 * circuit.num_qubits)]


@pytest.mark.parametrize("name", GATES)
def test_a_single_gate_has_the_images_of_the_table(name: str) -> None:
    spec = GATES[name]
    rows = images(Circuit(spec.arity, (Gate(name, tuple(range(spec.arity))),)))
    generators = [(qubit, letter) for qubit in range(spec.arity) for letter in (0, 1)]
    assert tuple(rows[qubit + letter * spec.arity] for qubit, letter in generators) == spec.images


@pytest.mark.parametrize("gate", alphabet(3), ids=str)
def test_each_gate_on_each_side_acts_as_stim_says(gate: Gate) -> None:
    for first, last in product(alphabet(3), repeat=2):
        circuit = Circuit(3, (first, gate, last))
        assert images(circuit) == images_by_stim(circuit)


@given(circuits())
def test_images_are_those_of_stim(circuit: Circuit) -> None:
    assert images(circuit) == images_by_stim(circuit)


@pytest.mark.parametrize(
    ("num_qubits", "size", "count"), [(1, 12, 50), (2, 30, 100), (6, 70, 100), (64, 3000, 4)]
)
def test_images_of_long_random_circuits_are_those_of_stim(num_qubits: int, size: int, count: int) -> None:
    rng = Random(f"stim/{num_qubits}")
    for _ in range(count):
        circuit = random_circuit(rng, num_qubits, size)
        assert images(circuit) == images_by_stim(circuit)


DIFFERENT = [
    ("Z 0", "", 1),
    ("X 0", "", 1),
    ("Y 0", "", 1),
    ("H 0", "", 1),
    ("X 0", "Z 0", 1),
    ("X 0", "Y 0", 1),
    ("H 0; X 0; H 0", "X 0", 1),
    ("X 0", "X 1", 2),
    ("CNOT 0 1", "CNOT 1 0", 2),
    ("CNOT 0 1", "CZ 0 1", 2),
    ("CNOT 0 1; CNOT 1 0", "SWAP 0 1", 2),
    ("SWAP 0 1", "", 2),
    ("CZ 0 1", "", 2),
    ("CZ 0 1; Z 0", "CZ 0 1", 2),
    ("X 0; CNOT 0 1", "CNOT 0 1; X 0", 2),
    ("CNOT 0 1; CNOT 1 2", "CNOT 1 2; CNOT 0 1", 3),
]
ALIKE = [
    ("X 0; Z 0", "Z 0; X 0", 1),  # they differ by the global phase -1
    ("X 0; Z 0", "Y 0", 1),  # and these by i
    ("H 0; X 0; H 0", "Z 0", 1),
    ("CNOT 0 1; CNOT 1 0; CNOT 0 1", "SWAP 0 1", 2),
    ("H 1; CNOT 0 1; H 1", "CZ 0 1", 2),
    ("X 0; CNOT 0 1", "CNOT 0 1; X 0; X 1", 2),
]


@both_oracles
@pytest.mark.parametrize(("left", "right", "width"), DIFFERENT)
def test_oracles_can_say_no(oracle: Oracle, left: str, right: str, width: int) -> None:
    for one, other in ((left, right), (right, left)):
        assert not oracle(Circuit.parse(one, num_qubits=width), Circuit.parse(other, num_qubits=width))


@both_oracles
@pytest.mark.parametrize(("left", "right", "width"), ALIKE)
def test_oracles_look_past_a_global_phase(oracle: Oracle, left: str, right: str, width: int) -> None:
    assert oracle(Circuit.parse(left, num_qubits=width), Circuit.parse(right, num_qubits=width))


@both_oracles
def test_circuits_of_different_widths_differ(oracle: Oracle) -> None:
    assert not oracle(Circuit(1, ()), Circuit(2, ()))


@both_oracles
@given(circuit=circuits(), data=st.data())
def test_one_gate_more_is_a_difference_wherever_it_stands(
    oracle: Oracle, circuit: Circuit, data: st.DataObject
) -> None:
    extra = data.draw(st.sampled_from(alphabet(circuit.num_qubits)))
    at = data.draw(st.integers(0, len(circuit)))
    longer = Circuit.of(circuit.num_qubits, (*circuit.gates[:at], extra, *circuit.gates[at:]))
    assert oracle(circuit, circuit)
    assert not oracle(circuit, longer)


@given(circuit=circuits(), data=st.data())
def test_oracles_agree_on_circuits_with_one_gate_replaced(circuit: Circuit, data: st.DataObject) -> None:
    assume(circuit.gates)
    at = data.draw(st.integers(0, len(circuit) - 1))
    other = data.draw(st.sampled_from(alphabet(circuit.num_qubits)))
    changed = Circuit.of(circuit.num_qubits, (*circuit.gates[:at], other, *circuit.gates[at + 1 :]))
    alike = circuit.gates[at] is other
    assert same_action(circuit, changed) == same_unitary(circuit, changed) == alike


@pytest.mark.parametrize(("num_qubits", "longest"), [(1, 5), (2, 3)])
def test_oracles_agree_on_every_pair_of_short_circuits(num_qubits: int, longest: int) -> None:
    words = [
        Circuit(num_qubits, gates)
        for size in range(longest + 1)
        for gates in product(alphabet(num_qubits), repeat=size)
    ]
    flat = np.array([unitary(word).ravel() for word in words])
    alike_by_matrices = abs(flat.conj() @ flat.T) > 0.99 * 2**num_qubits
    numbers: dict[Tableau, int] = {}
    classes = np.array([numbers.setdefault(Tableau.of(word), len(numbers)) for word in words])
    assert np.array_equal(alike_by_matrices, classes[:, None] == classes)
    assert 1 < len(numbers) < len(words)
