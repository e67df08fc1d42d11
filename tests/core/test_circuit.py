"""Circuits as values: text and JSON round trips, and refusals that say what is allowed."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given

import support.profiles  # noqa: F401
from qrewrite.circuits import MAX_GATES, MAX_QUBITS, Circuit, CircuitError, Gate
from support.circuits import circuits


@given(circuits())
def test_text_json_and_pickle_give_the_circuit_back(circuit: Circuit) -> None:
    width = circuit.num_qubits
    assert Circuit.parse(str(circuit), num_qubits=width) == circuit
    assert Circuit.parse(str(circuit).replace("\n", ";"), num_qubits=width) == circuit
    assert Circuit.from_records(circuit.records(), num_qubits=width) == circuit
    assert Circuit.from_records(json.loads(json.dumps(circuit.records())), num_qubits=width) == circuit
    assert pickle.loads(pickle.dumps(circuit)) == circuit == copy.deepcopy(circuit)  # noqa: S301
    assert hash(Circuit.of(width, iter(circuit.gates))) == hash(circuit)
    assert len(circuit) == len(circuit.gates)


def test_text_may_have_comments_blank_lines_and_several_gates_a_line() -> None:
    text = """
        # CNOT 1 0; not this one
        H 0;; CZ 2 0   # exchanged
        SWAP\t0  2;
    """
    expected = (Gate("H", (0,)), Gate("CZ", (0, 2)), Gate("SWAP", (0, 2)))
    assert Circuit.parse(text, num_qubits=3).gates == expected


def test_a_circuit_cannot_be_changed() -> None:
    circuit = Circuit.parse("H 0", num_qubits=1)
    with pytest.raises(AttributeError):
        circuit.num_qubits = 2  # type: ignore[misc]
    circuit.records().clear()
    assert len(circuit) == 1


@pytest.mark.parametrize("width", [0, -1, MAX_QUBITS + 1, 10**5000, True, 1.0, "1", None], ids=lambda _: "")
def test_a_width_outside_the_limits_is_refused(width: Any) -> None:
    with pytest.raises(CircuitError, match=rf"num_qubits must be an integer in 1\.\.{MAX_QUBITS}, got"):
        Circuit(width, ())


def test_limits_themselves_are_allowed() -> None:
    gate = Gate("CNOT", (MAX_QUBITS - 1, 0))
    assert len(Circuit(MAX_QUBITS, (gate,) * MAX_GATES)) == MAX_GATES
    with pytest.raises(CircuitError, match=f"at most {MAX_GATES} gates, got {MAX_GATES + 1}"):
        Circuit(MAX_QUBITS, (gate,) * (MAX_GATES + 1))


def test_a_gate_outside_the_circuit_is_refused_by_its_index() -> None:
    with pytest.raises(CircuitError, match=r"gate 1 \(CNOT 0 2\) is outside the circuit's qubits 0\.\.1"):
        Circuit.parse("H 1; CNOT 0 2", num_qubits=2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("CNOT a b", "expected a gate such as 'CNOT 0 1', got 'CNOT a b'"),
        ("X -1", "expected a gate such as"),
        ("X 0.0", "expected a gate such as"),
        ("X ²", "expected a gate such as"),
        ("X ٣", "expected a gate such as"),
        ("X " + "9" * 10_000, "expected a gate such as"),
        ("X 9999", r"X: qubits must be in 0\.\.63"),
        ("X", r"X takes 1 qubit, got \[\]"),
        ("T 0", "unknown gate 'T'; the gates are H, X, Y, Z, CNOT, CZ, SWAP"),
        ("T" * 10_000, "unknown gate"),
        ("H 0, X 0", "expected a gate such as"),
    ],
)
def test_text_outside_the_grammar_is_refused(text: str, says: str) -> None:
    with pytest.raises(CircuitError, match=says) as caught:
        Circuit.parse(text, num_qubits=2)
    assert len(str(caught.value)) < 300


def _nested(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"name": "X"}, "must be an object with exactly name and target_qubits"),
        ({"name": "X", "target_qubits": [0], "angle": 1}, "must be an object with exactly"),
        (["X", [0]], "must be an object with exactly"),
        (None, "must be an object with exactly"),
        ({"name": "X", "target_qubits": "0"}, "target_qubits must be a list of integers, got '0'"),
        ({"name": "X", "target_qubits": {"0": 0}}, "target_qubits must be a list of integers"),
        ({"name": "X", "target_qubits": None}, "target_qubits must be a list of integers, got None"),
        ({"name": "X", "target_qubits": 10**5000}, "target_qubits must be a list of integers"),
        ({"name": "X", "target_qubits": [True]}, r"qubits must be integers, got \[True\]"),
        ({"name": "X", "target_qubits": [0.0]}, "qubits must be integers"),
        ({"name": "X", "target_qubits": [10**5000]}, r"qubits must be in 0\.\.63"),
        ({"name": "X", "target_qubits": _nested(100_000)}, "a gate is a name and a list of qubits"),
        ({"name": "T", "target_qubits": [0]}, "unknown gate 'T'; the gates are"),
        ({"name": _nested(100_000), "target_qubits": [0]}, "a gate is a name and a list of qubits"),
    ],
    ids=lambda value: str(value)[:50] if isinstance(value, str) else "",
)
def test_a_record_that_is_no_gate_is_refused_by_its_index(record: Any, says: str) -> None:
    fine = {"name": "X", "target_qubits": [0]}
    with pytest.raises(CircuitError, match=f"^gate 1.*{says}") as caught:
        Circuit.from_records([fine, record], num_qubits=2)
    assert len(str(caught.value)) < 300
