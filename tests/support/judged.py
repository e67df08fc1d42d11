"""What a frame of `/ws` must be answered with, judged a second time in plain Python."""

import json
from typing import Any, Final, NoReturn

from qrewrite.circuits import GATES, MAX_GATES, MAX_QUBITS
from qrewrite.game import STEP_LIMIT
from qrewrite.rules import RULES
from qrewrite.tasks import SPLITS, TIERS

_MAX_DEPTH: Final = 32
_MAX_DIGITS: Final = 1_000
_SWITCHES: Final = ("hints", "plans")
_RESET_KEYS: Final = {"seed", "episode_id", "task", "circuit", "num_qubits", "split", "index", *_SWITCHES}


def verdict(frame: str | bytes) -> str:
    """Return `step`, `reset`, `state`, `close` or `mcp` for a frame that is in order, else `error`."""
    document = _read(frame)
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        return "error"
    kind, data = document["type"], document.get("data", {})
    if kind in ("state", "close"):
        return kind if document.keys() == {"type"} else "error"
    if not document.keys() <= {"type", "data"} or not isinstance(data, dict):
        return "error"
    if kind == "reset":
        return kind if _is_reset(data) else "error"
    if kind == "step":
        return kind if "data" in document and _is_action(data) else "error"
    return kind if kind == "mcp" and "data" in document else "error"


def _read(frame: str | bytes) -> Any:
    """Return what the frame says, or None if it is not the JSON that is read."""
    if isinstance(frame, bytes):
        return None
    try:
        document = json.loads(frame, parse_constant=_refuse, object_pairs_hook=_object, parse_int=_integer)
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
        return document if _depth(document) <= _MAX_DEPTH else None
    except (ValueError, RecursionError):
        return None


def _refuse(_text: str) -> NoReturn:
    raise ValueError


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= _MAX_DIGITS else _refuse(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _refuse("")


def _depth(value: object) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inside is None else 1 + max(map(_depth, inside), default=0)


def _is_integer(value: object, low: int, high: float) -> bool:
    return type(value) is int and low <= value <= high


def _is_action(data: dict[str, Any]) -> bool:
    bare = {name: value for name, value in data.items() if name not in ("metadata", "then")}
    then = data.get("then", [])
    return (
        _is_bare_action(bare)
        and isinstance(data.get("metadata", {}), dict)
        and isinstance(then, list)
        and len(then) < STEP_LIMIT
        and all(map(_is_bare_action, then))
    )


def _is_bare_action(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"target_index", "action_type"}
        and _is_integer(value["target_index"], 0, float("inf"))
        and _is_integer(value["action_type"], min(RULES), max(RULES))
    )


def _is_reset(data: dict[str, Any]) -> bool:
    given = {name: value for name, value in data.items() if value is not None}
    task, episode_id = given.get("task"), given.get("episode_id", "")
    if not (
        data.keys() <= _RESET_KEYS
        and all(isinstance(data.get(switch, False), bool) for switch in _SWITCHES)
        and isinstance(episode_id, str)
        and len(episode_id) <= 255
        and (task is None or task in (*TIERS, "random"))
        and ("seed" not in given or _is_integer(given["seed"], 0, 2**32 - 1))
    ):
        return False
    asked = given.keys() - {*_SWITCHES, "episode_id"}
    if "split" in asked or "index" in asked:
        return asked == {"split", "index"} and _is_listed(given["split"], given["index"])
    if "circuit" in asked:
        return asked <= {"circuit", "num_qubits", "task"} and task != "random" and _is_circuit(given)
    return "num_qubits" not in asked


def _is_listed(split: object, index: object) -> bool:
    return isinstance(split, str) and split in SPLITS and _is_integer(index, 0, len(SPLITS[split]) - 1)


def _is_circuit(given: dict[str, Any]) -> bool:
    circuit, qubits = given["circuit"], given.get("num_qubits")
    return (
        _is_integer(qubits, 1, MAX_QUBITS)
        and isinstance(circuit, list)
        and len(circuit) <= MAX_GATES
        and all(_is_gate(gate, given["num_qubits"]) for gate in circuit)
    )


def _is_gate(gate: object, num_qubits: int) -> bool:
    if not isinstance(gate, dict) or gate.keys() != {"name", "target_qubits"}:
        return False
    name, qubits = gate["name"], gate["target_qubits"]
    return (
        isinstance(name, str)
        and name in GATES
        and isinstance(qubits, list)
        and all(_is_integer(qubit, 0, num_qubits - 1) for qubit in qubits)
        and len(qubits) == len(set(qubits)) == GATES[name].arity
    )
