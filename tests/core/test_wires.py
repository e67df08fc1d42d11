"""A circuit under rewriting against a list of (node, gate) pairs on which every question is a search."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import GATES, Circuit, Gate, WiredCircuit
from qrewrite.circuits.wires import NOBODY
from support.circuits import circuits, random_circuit

Model = list[tuple[int, Gate]]


def next_on(model: Model, place: int, qubit: int) -> int:
    later = (node for node, gate in model[place + 1 :] if qubit in gate.qubits)
    return next(later, NOBODY)


def previous_on(model: Model, place: int, qubit: int) -> int:
    earlier = (node for node, gate in reversed(model[:place]) if qubit in gate.qubits)
    return next(earlier, NOBODY)


def agree(wired: WiredCircuit, model: Model) -> None:
    nodes = [node for node, _ in model]
    gates = [gate for _, gate in model]
    assert len(wired) == len(model)
    assert list(wired.order) == nodes
    assert [wired.index(node) for node in nodes] == list(range(len(nodes)))
    assert wired.listed() == gates
    assert wired.circuit() == Circuit.of(wired.num_qubits, gates)
    assert wired.records == [gate.record for gate in gates]
    assert wired.texts == [gate.text for gate in gates]
    assert [json.loads(record) for record in wired.listing.json] == json.loads(json.dumps(wired.records))
    for place, (node, gate) in enumerate(model):
        assert wired.gates[node] is gate
        following = {next_on(model, place, qubit) for qubit in gate.qubits}
        assert wired.followers[node] == (following.pop() if len(following) == 1 else NOBODY)
        previous = tuple(previous_on(model, place, qubit) for qubit in gate.qubits)
        assert wired.predecessors(node) == previous
    assert wired.gates[NOBODY] is None


def edit(wired: WiredCircuit, model: Model, kind: int, index: int) -> None:
    """Make one of the three edits at `index`, or none where it is not defined."""
    node, gate = model[index]
    if kind == 0:
        model.pop(index)
        wired.remove(index)
    elif kind == 1 and index + 1 < len(model) and not gate.mask & model[index + 1][1].mask:
        model[index : index + 2] = model[index + 1], model[index]
        wired.exchange(index)
    elif kind == 2:
        others = [Gate(name, gate.qubits) for name, spec in GATES.items() if spec.arity == len(gate.qubits)]
        others.append(Gate(gate.name, gate.qubits[::-1]))
        model[index] = node, others[(index + node) % len(others)]
        wired.relabel(index, model[index][1])


@given(circuits(), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 10**6)), max_size=40))
def test_edits_are_those_of_a_list(circuit: Circuit, edits: list[tuple[int, int]]) -> None:
    wired, model = WiredCircuit(circuit), list(enumerate(circuit.gates))
    agree(wired, model)
    for kind, number in edits:
        if model:
            edit(wired, model, kind, number % len(model))
            agree(wired, model)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(("num_qubits", "size"), [(1, 30), (2, 40), (6, 70), (64, 300)])
def test_long_series_of_edits_down_to_nothing(
    num_qubits: int, size: int, compact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compact:
        monkeypatch.setattr("qrewrite.circuits.wires.LARGE", 0)
    rng = Random(f"wires/{num_qubits}")
    circuit = random_circuit(rng, num_qubits, size)
    wired, model = WiredCircuit(circuit), list(enumerate(circuit.gates))
    while model:
        for _ in range(4):
            edit(wired, model, rng.choice((1, 2)), rng.randrange(len(model)))
        edit(wired, model, 0, rng.randrange(len(model)))
        agree(wired, model)
