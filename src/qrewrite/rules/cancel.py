"""Rule 1: a gate and the same gate right after it on all of its wires are the identity."""

from typing import Final

from qrewrite.circuits import WiredCircuit
from qrewrite.rules.rule import ActionResult, Gap, Rule


def matches(circuit: WiredCircuit, node: int) -> bool:
    """Say whether the next later gate that shares a qubit with `node` is the same gate on the same qubits."""
    gates = circuit.gates
    return gates[circuit.followers[node]] is gates[node]


def apply(circuit: WiredCircuit, index: int) -> Gap:
    """Remove the gate at `index` and its partner."""
    node = circuit.order[index]
    partner = circuit.followers[node]
    on_wires = circuit.predecessors(node)
    circuit.remove(circuit.order.index(partner, index + 1))
    before_partner = circuit.before[partner]
    circuit.remove(index)
    before_node = circuit.before[node]
    in_list = (before_node,) if before_partner == node else (before_node, before_partner)
    return (node, partner), on_wires, in_list


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
