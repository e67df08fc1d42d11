"""What may be posted over HTTP: pure checks, each with an answer for what it refuses.

An answer of None means that the body is in order and goes on to OpenEnv's routes.
"""

from typing import Annotated, Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictStr, ValidationError

from quantum_circuit_env.models import QuantumCircuitAction
from quantum_circuit_env.server.arguments import ArgumentError, check_reset
from quantum_circuit_env.server.messages import ACTION_SHAPE, Complaint, complain, explain
from quantum_circuit_env.server.rpc import answer_rpc
from quantum_circuit_env.server.strict_json import MalformedError, loads

_NO_EPISODE: Final = (
    "a step over HTTP has no episode to act on, since every HTTP request has an environment of its own: "
    'connect to the WebSocket /ws, send {"type": "reset"} and then {"type": "step", "data": {action}}'
)


class StepBody(BaseModel):
    """Body of an HTTP step, as OpenEnv declares it, with strict types."""

    model_config = ConfigDict(extra="forbid")

    action: QuantumCircuitAction
    timeout_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] | None = None
    request_id: Annotated[StrictStr, Field(max_length=255)] | None = None


class HttpAnswer(NamedTuple):
    """Status and JSON body."""

    status: int
    body: dict[str, Any]


def answer_body(path: str, body: bytes) -> HttpAnswer | None:
    """Answer a body posted to `path`."""
    if path == "/mcp":
        refusal = answer_rpc(body)
        return None if refusal is None else HttpAnswer(200, refusal)
    try:
        document = loads(body)
    except MalformedError as error:
        return _refused("json_invalid", str(error))
    if path not in ("/reset", "/step"):
        return None
    if not isinstance(document, dict):
        return _refused("dict_type", f"the body of {path} is a JSON object")
    return _answer_reset(document) if path == "/reset" else _answer_step(document)


def _answer_reset(document: dict[str, Any]) -> HttpAnswer | None:
    try:
        check_reset(document)
    except ArgumentError as error:
        return HttpAnswer(422, {"detail": [complain(error, "body")]})
    return None


def _answer_step(document: dict[str, Any]) -> HttpAnswer:
    try:
        StepBody.model_validate(document)
    except ValidationError as error:
        complaints = explain(error, "body")
        allowed: Complaint = {
            "type": "allowed",
            "loc": ["body"],
            "msg": f'the body is {{"action": …}}, where {ACTION_SHAPE}',
        }
        return HttpAnswer(422, {"detail": [*complaints, allowed]})
    return HttpAnswer(409, {"detail": _NO_EPISODE})


def _refused(kind: str, message: str) -> HttpAnswer:
    return HttpAnswer(422, {"detail": [{"type": kind, "loc": ["body"], "msg": message}]})
