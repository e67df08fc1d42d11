"""Gates, circuits and the exact question of whether two circuits act alike."""

from qrewrite.circuits.circuit import MAX_GATES, Circuit
from qrewrite.circuits.clifford import Tableau, same_action
from qrewrite.circuits.errors import CircuitError, GameError, TaskError
from qrewrite.circuits.gates import GATES, MAX_QUBITS, Gate, GateRecord, GateSpec
from qrewrite.circuits.wires import WiredCircuit

__all__ = [
    "GATES",
    "MAX_GATES",
    "MAX_QUBITS",
    "Circuit",
    "CircuitError",
    "GameError",
    "Gate",
    "GateRecord",
    "GateSpec",
    "Tableau",
    "TaskError",
    "WiredCircuit",
    "same_action",
]
