"""Rule 2: list neighbours that share no qubit commute and may exchange places."""

from typing import Final

from qrewrite.circuits import WiredCircuit
from qrewrite.rules.rule import ActionResult, Gap, Rule


def matches(circuit: WiredCircuit, index: int) -> bool:
    """Say whether the list has a gate after that at `index`, and the two share no qubit."""
    order, gates = circuit.order, circuit.gates
    if index + 1 >= len(order):
        return False
    return not gates[order[index]].mask & gates[order[index + 1]].mask  # type: ignore[union-attr]


def apply(circuit: WiredCircuit, index: int) -> Gap:
    """Exchange the gates at `index` and `index + 1`."""
    circuit.exchange(index)
    return (), ()


SWAP: Final = Rule(
    action_type=2,
    name="swap",
    reward=-0.05,
    removes=0,
    advanced=False,
    accepted=ActionResult.SWAPPED,
    refused=ActionResult.NOT_COMMUTING,
    condition="gate i+1 exists and shares no qubit with gate i",
    effect="the two exchange places",
    matches=matches,
    apply=apply,
)
