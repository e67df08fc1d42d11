"""Rule 2: list neighbours that share no qubit commute and may exchange places."""

from typing import Final

from qrewrite.circuits import WiredCircuit
from qrewrite.rules.rule import ActionResult, Gap, Rule


def matches(circuit: WiredCircuit, node: int) -> bool:
    """Say whether the list has a next gate and that gate shares no qubit with `node`."""
    following = circuit.after[node]
    return following >= 0 and not circuit.masks[node] & circuit.masks[following]


def apply(circuit: WiredCircuit, index: int) -> Gap:
    """Exchange the gates at `index` and `index + 1`."""
    circuit.exchange(index)
    moved = circuit.order[index]
    return (), (), (circuit.before[moved], moved, circuit.after[moved])


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
