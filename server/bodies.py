"""What may be posted over HTTP: pure checks, each with an answer for what it refuses.

An answer of None means that the body is in order and goes on to OpenEnv's routes.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, ValidationError

from qrewrite.circuits import SplitError
from qrewrite.tasks import split_named
from quantum_circuit_env.models import QuantumCircuitAction
from quantum_circuit_env.server.about import NAME
from quantum_circuit_env.server.arguments import ArgumentError, check_reset
from quantum_circuit_env.server.limits import DEFAULT, Limits
from quantum_circuit_env.server.messages import ACTION_SHAPE, Complaint, complain, explain
from quantum_circuit_env.server.rpc import answer_rpc
from quantum_circuit_env.server.strict_json import MalformedError, loads
from quantum_circuit_env.server.task_api import TaskApi, range_of

MAX_RANGE: Final = 1_000
"""Most tasks that are sent at a time: writing the 30,000 of train would hold up the sessions for a third of a
second."""

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


class SplitBody(BaseModel):
    """Body of a question about a split, as OpenEnv declares it, with strict types."""

    model_config = ConfigDict(extra="forbid")

    split: StrictStr


class TaskBody(SplitBody):
    """Body of a question about one task."""

    index: StrictInt


class RangeBody(SplitBody):
    """Body of a question about some tasks."""

    start: StrictInt | None = None
    stop: StrictInt | None = None


class HttpAnswer(NamedTuple):
    """Status and JSON body."""

    status: int
    body: dict[str, Any]


def answer_body(path: str, body: bytes, limits: Limits = DEFAULT) -> HttpAnswer | None:
    """Answer a body posted to `path`."""
    if path == "/mcp":
        refusal = answer_rpc(body)
        return None if refusal is None else HttpAnswer(200, refusal)
    try:
        document = loads(body)
    except MalformedError as error:
        return _refused("json_invalid", str(error))
    check = _check_of(path, limits)
    if check is None:
        return None
    if not isinstance(document, dict):
        return _refused("dict_type", f"the body of {path} is a JSON object")
    return check(document)


def _answer_reset(document: dict[str, Any], limits: Limits) -> HttpAnswer | None:
    try:
        check_reset(document, limits=limits)
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


def _question(
    model: type[SplitBody], ask: Callable[..., object]
) -> Callable[[dict[str, Any]], HttpAnswer | None]:
    """Return the check of a question to the task API: OpenEnv's route would not tell what was wrong."""

    def answer(document: dict[str, Any]) -> HttpAnswer | None:
        try:
            ask(**model.model_validate(document).model_dump())
        except ValidationError as error:
            return HttpAnswer(422, {"detail": explain(error, "body")})
        except SplitError as error:
            return HttpAnswer(400, {"detail": str(error)})
        return None

    return answer


def _check_range(split: str, start: int | None, stop: int | None) -> None:
    found = range_of(split_named(split), start, stop)
    if len(found) > MAX_RANGE:
        raise SplitError(
            f"at most {MAX_RANGE} tasks are sent at a time, got start {found.start} and stop {found.stop}: "
            "ask for parts"
        )


_TASKS: Final = TaskApi()
_QUESTIONS: Final = {
    "tasks": _question(SplitBody, _TASKS.num_tasks),
    "num_tasks": _question(SplitBody, _TASKS.num_tasks),
    "task": _question(TaskBody, _TASKS.get_task),
    "task_range": _question(RangeBody, _check_range),
}
"""Last part of a path of the task API → check of its body."""


def _check_of(path: str, limits: Limits) -> Callable[[dict[str, Any]], HttpAnswer | None] | None:
    if path == "/reset":
        return partial(_answer_reset, limits=limits)
    if path == "/step":
        return _answer_step
    environment, _, question = path[1:].partition("/")
    return _QUESTIONS.get(question) if environment.lower() == NAME else None
