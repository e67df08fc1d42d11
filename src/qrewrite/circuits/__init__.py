"""Gates, circuits, their drawings, and the exact question of whether two circuits act alike."""

from qrewrite.circuits.circuit import MAX_GATES, Circuit
from qrewrite.circuits.clifford import Tableau, same_action
from qrewrite.circuits.columns import Layout, PlacedGate, layout
from qrewrite.circuits.drawing import MIN_WIDTH, draw_text
from qrewrite.circuits.errors import CircuitError, DrawingError, GameError, SplitError, TaskError
from qrewrite.circuits.gates import GATES, MAX_QUBITS, Gate, GateRecord, GateSpec
from qrewrite.circuits.reading import circuit_from_json
from qrewrite.circuits.svg import Panel, draw_panels, draw_svg
from qrewrite.circuits.wires import LARGE, UNKNOWN, WiredCircuit

__all__ = [
    "GATES",
    "LARGE",
    "MAX_GATES",
    "MAX_QUBITS",
    "MIN_WIDTH",
    "UNKNOWN",
    "Circuit",
    "CircuitError",
    "DrawingError",
    "GameError",
    "Gate",
    "GateRecord",
    "GateSpec",
    "Layout",
    "Panel",
    "PlacedGate",
    "SplitError",
    "Tableau",
    "TaskError",
    "WiredCircuit",
    "circuit_from_json",
    "draw_panels",
    "draw_svg",
    "draw_text",
    "layout",
    "same_action",
]
