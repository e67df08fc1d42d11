"""What may be sent over `/ws`: pure checks, each with an answer for what it refuses.

An answer of None means that the message is in order and goes on to OpenEnv's routes.
"""

import json
import re
from functools import lru_cache
from typing import Any, Final, TypeAlias

from openenv.core.env_server.mcp_types import WSMCPMessage
from openenv.core.env_server.types import (
    WSCloseMessage,
    WSErrorCode,
    WSResetMessage,
    WSStateMessage,
    WSStepMessage,
)
from pydantic import BaseModel, ValidationError

from qrewrite.rules import RULES
from quantum_circuit_env.models import MAX_THEN, FurtherAction, QuantumCircuitAction, of_valid
from quantum_circuit_env.server.arguments import ArgumentError, check_reset
from quantum_circuit_env.server.limits import DEFAULT, Limits
from quantum_circuit_env.server.rpc import refuse_rpc
from quantum_circuit_env.server.strict_json import MalformedError, loads

Complaint: TypeAlias = dict[str, Any]
"""One thing that is wrong, in pydantic's form: `type`, `loc` and `msg`, without the input."""

ACTION_SHAPE: Final = (
    'an action is {"target_index": an integer from 0, "action_type": an integer, '
    f"{QuantumCircuitAction.model_fields['action_type'].description}}}; "
    f'after a reset with plans it may also have "then", a list of at most {MAX_THEN} further ones'
)
_MESSAGES: Final[dict[str, tuple[type[BaseModel], str]]] = {
    "reset": (WSResetMessage, 'a reset is {"type": "reset", "data": {arguments}}'),
    "step": (WSStepMessage, 'a step is {"type": "step", "data": {action}}'),
    "state": (WSStateMessage, 'asking for the state is {"type": "state"}'),
    "close": (WSCloseMessage, 'a goodbye is {"type": "close"}'),
    "mcp": (WSMCPMessage, 'an MCP message is {"type": "mcp", "data": {JSON-RPC 2.0 request}}'),
}
_TYPES: Final = ", ".join(_MESSAGES)

# Nearly every frame is a step as our client writes it, which is known to be in order at a glance.
_ACTION: Final = r'"target_index": ?(0|[1-9][0-9]{0,8}), ?"action_type": ?' f"({'|'.join(map(str, RULES))})"
_STEP: Final = r'\{"type": ?"step", ?"data": ?\{' + _ACTION
_ORDINARY_STEP: Final = re.compile(_STEP + r"\}\}")
_LONGEST_STEP: Final = len('{"type": "step", "data": {"target_index": 123456789, "action_type": 1}}')
_FURTHER: Final = re.compile(r"\{" + _ACTION + r"\}")
_ORDINARY_PLAN: Final = re.compile(
    rf'{_STEP}, ?"then": ?\[({_FURTHER.pattern}(?:, ?{_FURTHER.pattern}){{0,{MAX_THEN - 1}}})\]\}}\}}'
)


@lru_cache(maxsize=2**12)
def _short_step(text: str) -> QuantumCircuitAction | None:
    # The same few hundred frames come again and again. An action is for reading, so that it can be shared.
    found = _ORDINARY_STEP.fullmatch(text)
    return None if found is None else _action(found, ())


def ordinary_step(text: str) -> QuantumCircuitAction | None:
    """Return the action of a step as our client writes it; None for whatever else the frame is."""
    if len(text) <= _LONGEST_STEP and (action := _short_step(text)) is not None:
        return action
    found = _ORDINARY_PLAN.fullmatch(text)
    if found is None:
        return None
    return _action(
        found,
        tuple(
            of_valid(FurtherAction, {"target_index": int(index), "action_type": int(kind)})
            for index, kind in _FURTHER.findall(found[3])
        ),
    )


def _action(found: re.Match[str], then: tuple[FurtherAction, ...]) -> QuantumCircuitAction:
    return of_valid(
        QuantumCircuitAction,
        {"metadata": {}, "target_index": int(found[1]), "action_type": int(found[2]), "then": then},
    )


def answer_frame(text: str, limits: Limits = DEFAULT) -> str | None:
    """Answer a text frame of `/ws`."""
    try:
        document = loads(text)
    except MalformedError as error:
        return error_frame(WSErrorCode.INVALID_JSON, str(error))
    if not isinstance(document, dict):
        return error_frame(
            WSErrorCode.VALIDATION_ERROR, f'a message is a JSON object with a "type", one of {_TYPES}'
        )
    kind = document.get("type")
    if not isinstance(kind, str) or kind not in _MESSAGES:
        said = f"unknown message type {kind[:40]!r}" if isinstance(kind, str) else "type must be a string"
        return error_frame(WSErrorCode.UNKNOWN_TYPE, f"{said}; the message types are {_TYPES}")
    return _answer_message(kind, document, limits)


def error_frame(code: WSErrorCode, message: str, complaints: list[Complaint] | None = None) -> str:
    """Return an error frame of OpenEnv's form."""
    data: dict[str, Any] = {"message": message, "code": code.value}
    if complaints is not None:
        data["errors"] = complaints
    return json.dumps({"type": "error", "data": data})


def _answer_message(kind: str, document: dict[str, Any], limits: Limits) -> str | None:
    model, shape = _MESSAGES[kind]
    try:
        model.model_validate(document)
        data = document.get("data", {})
        if kind == "step":
            shape = ACTION_SHAPE
            QuantumCircuitAction.model_validate(data)
        elif kind == "reset":
            check_reset(data, limits=limits)
        elif kind == "mcp" and (refusal := refuse_rpc(data)):
            return json.dumps({"type": "mcp", "data": refusal})
    except ValidationError as error:
        complaints = explain(error)
        return error_frame(WSErrorCode.VALIDATION_ERROR, summary(complaints, shape), complaints)
    except ArgumentError as error:
        return error_frame(WSErrorCode.VALIDATION_ERROR, str(error), [complain(error)])
    return None


def explain(error: ValidationError, *prefix: str) -> list[Complaint]:
    """Return at most five complaints of pydantic's, without inputs, so that they stay short."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[:5]
    return [
        {
            "type": one["type"],
            "loc": [*prefix, *(part[:40] if isinstance(part, str) else part for part in one["loc"])],
            "msg": one["msg"],
        }
        for one in found
    ]


def complain(error: ArgumentError, *prefix: str) -> Complaint:
    """Return a reset argument's error as a complaint."""
    return {"type": "reset_argument", "loc": [*prefix, error.argument[:40]], "msg": str(error)}


def summary(complaints: list[Complaint], shape: str) -> str:
    """Return one line that says what is wrong and what is allowed."""
    wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in complaints)
    return f"{wrong}; {shape}"
