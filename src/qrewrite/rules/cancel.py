"""Rule 1: a gate and the same gate right after it on all of its wires are the identity."""

from typing import Final

from qrewrite.circuits import WiredCircuit
from qrewrite.rules.rule import ActionResult, Gap, Rule


def cancels(circuit: WiredCircuit, node: int) -> bool:
    """Say whether the next later gate that shares a qubit with `node` is the same gate on the same qubits."""
    gates = circuit.gates
    return gates[circuit.followers[node]] is gates[node]


def matches(circuit: WiredCircuit, index: int) -> bool:
    """Say whether the gate at `index` cancels."""
    return cancels(circuit, circuit.order[index])


def apply(circuit: WiredCircuit, index: int) -> Gap:
    """Remove the gate at `index` and its partner."""
    node = circuit.order[index]
    partner = circuit.followers[node]
    on_wires = circuit.predecessors(node)
    circuit.remove_pair(index)
    return (node, partner), on_wires


CANCEL: Final = Rule(
    action_type=1,
    name="cancel",
    reward=1.00,
    removes=2,
    advanced=False,
    accepted=ActionResult.CANCELLED,
    refused=ActionResult.NOT_CANCELLABLE,
    condition="the next later gate that shares any qubit with gate i is the same gate on the same qubits",
    effect="both are removed",
    matches=matches,
    apply=apply,
)
