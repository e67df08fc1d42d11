"""Circuit text and JSON of all kinds: a circuit, which can be written and read again, or a CircuitError."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qrewrite.circuits import GATES, Circuit, CircuitError, circuit_from_json
from support.circuits import circuits
from support.corpus import kept

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(list(GATES)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["name", "target_qubits", "circuit", "x"]), inner, max_size=3)
    ),
    max_leaves=10,
)
QUBITS = st.lists(st.integers(0, 5), max_size=3) | JSON
RECORDS = st.fixed_dictionaries({"name": st.sampled_from(list(GATES)), "target_qubits": QUBITS}) | JSON
WIDTHS = st.integers(-1, 65) | JSON
NUMBERS = st.sampled_from(["0", "1", "3", "64", "00", "-1", "0_1", "\u0661", "\u00b2"])
STATEMENTS = st.builds(
    "{}{}{}".format,
    st.sampled_from([*GATES, "h", "", "CNOT CNOT"]),
    st.sampled_from([" ", "\t", "", "\u00a0", ";", "\n", "#"]),
    st.lists(NUMBERS, max_size=3).map(" ".join),
)
ENDS = st.sampled_from([";", "\n", "\r\n", "\u2028", " ; "])
TEXTS = st.text(max_size=40) | st.builds(str.join, ENDS, st.lists(STATEMENTS, max_size=5))


def read_or_refused(read: Callable[[], Circuit]) -> bool:
    """Read a circuit and whatever it is written as; whether it was one. Any other error is the test's."""
    try:
        circuit = read()
    except CircuitError:
        return False
    width = circuit.num_qubits
    records = json.loads(json.dumps(circuit.records()))
    assert Circuit.parse(str(circuit), num_qubits=width) == circuit
    assert Circuit.from_records(records, num_qubits=width) == circuit
    assert circuit_from_json(json.dumps({"num_qubits": width, "circuit": records})) == circuit
    return True


def fuzzed(
    config: pytest.Config, inputs: st.SearchStrategy[Any], attempt: Callable[[Any], bool]
) -> set[bool]:
    """Try many inputs and return which outcomes there were."""
    outcomes = set()

    @settings(max_examples=config.getoption("examples"), suppress_health_check=list(HealthCheck))
    @given(inputs)
    def tried(found: Any) -> None:
        outcomes.add(attempt(found))

    tried()
    return outcomes


def test_text_is_a_circuit_or_a_circuit_error(pytestconfig: pytest.Config) -> None:
    def attempt(found: tuple[str, int]) -> bool:
        with kept("circuit", why="found by a fuzzer", text=found[0], num_qubits=found[1]):
            return read_or_refused(lambda: Circuit.parse(found[0], num_qubits=found[1]))

    assert fuzzed(pytestconfig, st.tuples(TEXTS, st.integers(1, 64)), attempt) == {True, False}


def test_json_is_a_circuit_or_a_circuit_error(pytestconfig: pytest.Config) -> None:
    documents = st.fixed_dictionaries({"num_qubits": WIDTHS, "circuit": st.lists(RECORDS, max_size=4)}) | JSON

    def attempt(found: Any) -> bool:
        text = json.dumps(found)
        with kept("circuit", why="found by a fuzzer", json=text):
            return read_or_refused(lambda: circuit_from_json(text))

    assert fuzzed(pytestconfig, documents, attempt) == {True, False}


def test_bytes_are_a_circuit_or_a_circuit_error(pytestconfig: pytest.Config) -> None:
    def attempt(found: bytes) -> bool:
        with kept("circuit", why="found by a fuzzer", hex=found.hex()):
            return read_or_refused(lambda: circuit_from_json(found, num_qubits=2))

    assert fuzzed(pytestconfig, st.binary(max_size=40) | st.just(b"[]"), attempt) == {True, False}


def test_every_circuit_can_be_written_and_read_again(pytestconfig: pytest.Config) -> None:
    assert fuzzed(pytestconfig, circuits(), lambda circuit: read_or_refused(lambda: circuit)) == {True}
