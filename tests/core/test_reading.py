"""Circuits read from JSON."""

import json

import pytest
from hypothesis import given

import support.profiles  # noqa: F401
from qrewrite.circuits import Circuit, CircuitError, circuit_from_json
from support.circuits import circuits

GATE = '{"name": "CNOT", "target_qubits": [1, 0]}'


@given(circuits())
def test_circuits_read_from_json_are_those_written(circuit: Circuit) -> None:
    alone = json.dumps(circuit.records())
    whole = json.dumps({"num_qubits": circuit.num_qubits, "circuit": circuit.records(), "reward": 0.0})
    assert circuit_from_json(alone, num_qubits=circuit.num_qubits) == circuit
    assert circuit_from_json(whole.encode()) == circuit
    assert circuit_from_json(whole, num_qubits=circuit.num_qubits) == circuit


@pytest.mark.parametrize(
    ("text", "num_qubits", "says"),
    [
        ("", None, "must be JSON: Expecting value"),
        (b"\xff\xfe\xff", None, "must be UTF-8"),
        ("[" * 100_000, None, "must be JSON: nested too deep"),
        ("9" * 5000, None, "must be JSON: Exceeds the limit"),
        ("7", None, "an object with num_qubits and circuit, or a list of gates, got 7"),
        ('{"num_qubits": 2}', 2, "an object with num_qubits and circuit"),
        (f"[{GATE}]", None, "needs its number of qubits"),
        (f"[{GATE}]", 1, r"gate 0 \(CNOT 1 0\) is outside the circuit's qubits 0..0"),
        (f"[{GATE}]", 65, r"num_qubits must be an integer in 1..64, got 65"),
        (f'{{"num_qubits": 2, "circuit": [{GATE}]}}', 3, "num_qubits is 2 in the JSON and 3 beside it"),
        (f'{{"num_qubits": "2", "circuit": [{GATE}]}}', None, "num_qubits must be an integer"),
        (f'{{"num_qubits": true, "circuit": [{GATE}]}}', 1, "num_qubits must be an integer"),
        ('{"num_qubits": 2, "circuit": {}}', None, "a circuit's gates must be a list, got {}"),
        ('{"num_qubits": 2, "circuit": [NaN]}', None, "gate 0 must be an object with exactly"),
        ('{"num_qubits": 2, "circuit": [{"name": "<b>", "target_qubits": [0]}]}', None, "unknown gate '<b>'"),
    ],
)
def test_json_that_is_no_circuit_is_refused(text: str | bytes, num_qubits: int | None, says: str) -> None:
    with pytest.raises(CircuitError, match=says) as caught:
        circuit_from_json(text, num_qubits=num_qubits)
    assert len(str(caught.value)) < 300
