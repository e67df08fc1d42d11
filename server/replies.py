"""Replies to steps, written as JSON to the letter as OpenEnv writes them, at a fraction of the cost."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import NoneType
from typing import Any, Final

from qrewrite.game import Termination
from qrewrite.rules import ActionResult


def observation_frame(fields: Mapping[str, Any], gates: Iterable[str]) -> str:
    """Return the frame with which OpenEnv answers a step.

    Args:
        fields: the observation's fields.
        gates: the circuit's gates, as `Gate.text` has them.
    """
    metadata, circuit = _object(fields["metadata"]), ",".join(map(_gate, gates))
    done = "true" if fields["done"] else "false"
    return (
        f'{{"type":"observation","data":{{"observation":{{"metadata":{metadata},"circuit":[{circuit}],'
        f'"gate_count":{fields["gate_count"]},"num_qubits":{fields["num_qubits"]},'
        f'"prompt":{_string(fields["prompt"])}}},'
        f'"reward":{fields["reward"]!r},"done":{done},"metadata":{metadata}}}}}'
    )


def _object(fields: Mapping[str, Any]) -> str:
    return "{" + ",".join([f'"{name}":{_WRITE[type(value)](value)}' for name, value in fields.items()]) + "}"


@lru_cache(maxsize=2**16)
def _gate(text: str) -> str:
    name, *qubits = text.split()
    return f'{{"name":"{name}","target_qubits":[{",".join(qubits)}]}}'


def _string(text: str) -> str:
    # Looking for what JSON cannot hold as it is costs far less than an encoder that looks at each character.
    # Of control characters there are none in what we write but the end of a line.
    if '"' in text or "\\" in text:
        return _encode(text)
    return '"' + text.replace("\n", "\\n") + '"'


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_WRITE: Final[Mapping[type, Callable[[Any], str]]] = {
    str: _string,
    ActionResult: _string,
    Termination: _string,
    int: repr,
    float: repr,
    bool: {False: "false", True: "true"}.__getitem__,
    NoneType: {None: "null"}.__getitem__,
    list: _encode,
}
"""Type of a value in an observation's metadata → what writes it as JSON."""
