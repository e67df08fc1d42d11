"""Circuits read from JSON, in the form in which they are sent and observed."""

import json
from typing import Any

from qrewrite.circuits.circuit import Circuit
from qrewrite.circuits.errors import CircuitError, shown


def circuit_from_json(text: str | bytes, *, num_qubits: int | None = None) -> Circuit:
    """Read a circuit, or raise a CircuitError that says what is wrong.

    That is an object with `num_qubits` and `circuit`, whose other keys are not looked at, so that a saved
    observation is one; or the list of gates alone, which needs the argument `num_qubits`.

    >>> gate = '{"name": "CNOT", "target_qubits": [0, 1]}'
    >>> circuit_from_json('{"num_qubits": 2, "circuit": [%s]}' % gate)
    Circuit(num_qubits=2, gates=(Gate('CNOT', (0, 1)),))
    """
    try:
        found = json.loads(text)
    except UnicodeDecodeError:
        raise CircuitError("a circuit's JSON must be UTF-8") from None
    except (ValueError, RecursionError) as error:
        what = "nested too deep" if isinstance(error, RecursionError) else error
        raise CircuitError(f"a circuit must be JSON: {what}") from None
    gates, width = _parts(found, num_qubits)
    if not isinstance(gates, list):
        raise CircuitError(f"a circuit's gates must be a list, got {shown(gates)}")
    return Circuit.from_records(gates, num_qubits=width)


def _parts(found: Any, num_qubits: int | None) -> tuple[Any, Any]:
    """Return the gates and the number of qubits, unchecked."""
    if isinstance(found, list):
        if num_qubits is None:
            raise CircuitError("a list of gates needs its number of qubits beside it")
        return found, num_qubits
    if not isinstance(found, dict) or not {"num_qubits", "circuit"} <= found.keys():
        raise CircuitError(
            f"a circuit is an object with num_qubits and circuit, or a list of gates, got {shown(found)}"
        )
    width = found["num_qubits"]
    if num_qubits not in (None, width):
        raise CircuitError(f"num_qubits is {shown(width)} in the JSON and {num_qubits} beside it")
    return found["circuit"], width
