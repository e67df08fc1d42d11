"""An observation as OpenEnv's web interface shows it: a drawing, and legal actions to click on."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from qrewrite.circuits import Circuit
from qrewrite.circuits.svg import columns_within, draw_svg
from qrewrite.game import Action, Position
from qrewrite.rules import RULES
from quantum_circuit_env.models import QuantumCircuitObservation

SWAPS_OFFERED: Final = 12
"""Most swaps that are offered: on a large circuit nearly every gate has one."""
_WIDTH: Final = 860


Shown: TypeAlias = Mapping[str, Any] | QuantumCircuitObservation
"""An observation, serialized with `reward` and `done` at its top as OpenEnv hands it over, or as it is."""


def render(observation: Shown) -> str:
    """Return the observation's circuit as SVG that brings its style along, and so can stand in any HTML."""
    circuit = _circuit(_fields(observation))
    return draw_svg(circuit, columns=columns_within(_WIDTH, circuit.num_qubits))


def actions(observation: Shown) -> list[tuple[str, dict[str, Any]]]:
    """Return legal actions with their labels: every reduction, then the first swaps; none after the end."""
    fields = _fields(observation)
    if fields["done"]:
        return []
    legal = list(_legal(_circuit(fields)))
    reductions = [action for action in legal if RULES[action.action_type].removes]
    swaps = [action for action in legal if not RULES[action.action_type].removes]
    return [(action.text, action._asdict()) for action in reductions + swaps[:SWAPS_OFFERED]]


def _fields(observation: Shown) -> Mapping[str, Any]:
    return observation if isinstance(observation, Mapping) else vars(observation)


def _circuit(fields: Mapping[str, Any]) -> Circuit:
    return Circuit.from_records(fields["circuit"], num_qubits=fields["num_qubits"])


def _legal(circuit: Circuit) -> Iterator[Action]:
    for index, mask in enumerate(Position(circuit).masks()):
        for rule in RULES.values():
            if mask & rule.bit:
                yield Action(index, rule.action_type)
