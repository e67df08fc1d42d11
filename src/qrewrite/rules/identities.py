"""Rules 3 and 4: three gates on the same qubits that equal one, outer · middle · outer → product."""

from typing import Final, NamedTuple

from qrewrite.circuits import Gate, WiredCircuit
from qrewrite.rules.rule import ActionResult, Gap, Rule


class Identity(NamedTuple):
    """One of the two identities on given qubits, known by its outer gate."""

    action_type: int
    middle: Gate
    product: Gate


class _Identities(dict[Gate | None, Identity | None]):
    """Outer gate → the identity that it may begin, or None; filled as gates are met, as fast as a dict."""

    def __missing__(self, outer: Gate | None) -> Identity | None:
        found = None
        if outer is not None and outer.name == "H":
            found = Identity(3, Gate("X", outer.qubits), Gate("Z", outer.qubits))
        elif outer is not None and outer.name == "CNOT":
            found = Identity(4, Gate("CNOT", outer.qubits[::-1]), Gate("SWAP", outer.qubits))
        return self.setdefault(outer, found)


IDENTITIES: Final = _Identities()
_MIDDLES: Final = ("X", "CNOT")


def may_be_middle(gate: Gate | None) -> bool:
    """Say whether the gate is in the middle of some identity."""
    return gate is not None and gate.name in _MIDDLES


def identity_at(circuit: WiredCircuit, node: int) -> Identity | None:
    """Return the identity that `node` begins, its three gates consecutive on all of their wires, or None.

    Such a triple can be brought together in the list by swaps alone: what stands between its gates in the
    list shares no qubit with them.
    """
    gates = circuit.gates
    outer = gates[node]
    identity = IDENTITIES[outer]
    if identity is None:
        return None
    middle = circuit.followers[node]
    if gates[middle] is not identity.middle or gates[circuit.followers[middle]] is not outer:
        return None
    return identity


def _matches(action_type: int, circuit: WiredCircuit, index: int) -> bool:
    """Say whether the gate at `index` begins the identity of this type with the next two of the list."""
    node = circuit.order[index]
    identity = identity_at(circuit, node)
    if identity is None or identity.action_type != action_type:
        return False
    middle = circuit.followers[node]
    # Its gates are consecutive on their wires, so they are in the list, in this order.
    order = circuit.order
    return order[index + 1] == middle and order[index + 2] == circuit.followers[middle]


def _hxh_matches(circuit: WiredCircuit, index: int) -> bool:
    return _matches(3, circuit, index)


def _cnots_matches(circuit: WiredCircuit, index: int) -> bool:
    return _matches(4, circuit, index)


def apply(circuit: WiredCircuit, index: int) -> Gap:
    """Put the product at `index` and remove the two gates behind it."""
    node, *removed = circuit.order[index : index + 3]
    identity = IDENTITIES[circuit.gates[node]]
    if identity is None:
        raise ValueError(f"gate {index} begins no identity")
    circuit.remove(index + 2)
    circuit.remove(index + 1)
    circuit.relabel(index, identity.product)
    return tuple(removed), (node, *circuit.predecessors(node))


HXH: Final = Rule(
    action_type=3,
    name="hxh",
    reward=2.00,
    removes=2,
    advanced=True,
    accepted=ActionResult.COLLAPSED_HXH,
    refused=ActionResult.NO_HXH,
    condition="gates i, i+1, i+2 are H, X, H on one qubit",
    effect="they become one Z on it, at index i",
    matches=_hxh_matches,
    apply=apply,
)
CNOTS: Final = Rule(
    action_type=4,
    name="cnots",
    reward=2.00,
    removes=2,
    advanced=True,
    accepted=ActionResult.COMPRESSED_CNOTS,
    refused=ActionResult.NO_CNOT_TRIPLE,
    condition="gates i, i+1, i+2 are CNOT a b, CNOT b a, CNOT a b",
    effect="they become one SWAP a b, at index i",
    matches=_cnots_matches,
    apply=apply,
)
