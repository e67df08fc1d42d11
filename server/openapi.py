"""The OpenAPI document: OpenEnv's, set right where the front layer answers otherwise."""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from quantum_circuit_env.server.arguments import allowed
from quantum_circuit_env.server.bodies import StepBody
from quantum_circuit_env.server.limits import Limits

if TYPE_CHECKING:
    from fastapi import FastAPI

_DETAIL: Final = {
    "type": "object",
    "required": ["detail"],
    "properties": {"detail": {"type": "string"}},
}
_COMPLAINTS: Final = {"$ref": "#/components/schemas/HTTPValidationError"}

_RESET: Final = """
Start an episode and return its first observation, all arguments optional.

Every HTTP request has an environment of its own, so nothing can be played on from here: episodes are played
over the WebSocket `/ws`, whose reset takes the same arguments.
"""
_STEP: Final = """
Always refused, since every HTTP request has an environment of its own and so no episode to act on: episodes
are played over the WebSocket `/ws`. The body is checked as an action there is.
"""


def correct_openapi(app: "FastAPI", limits: Limits) -> None:
    """Have the application publish the corrected document, made at the first request for it."""
    published = app.openapi

    @cache
    def openapi() -> dict[str, Any]:
        return corrected(published(), limits)

    app.openapi = openapi  # type: ignore[method-assign]


def corrected(document: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """Return the document, in which reset, step and the task API say what they answer."""
    paths = document["paths"]
    reset, step = paths["/reset"]["post"], paths["/step"]["post"]
    reset["description"] = _RESET
    reset["requestBody"] = _body(_reset_arguments(limits), required=False)
    reset["responses"] = {
        "200": reset["responses"]["200"] | {"description": "The first observation, with reward 0.0"},
        **_refusals("an argument that is not allowed"),
    }
    reset["responses"]["200"]["content"]["application/json"].pop("example", None)
    schema = StepBody.model_json_schema(ref_template="#/components/schemas/{model}")
    document["components"]["schemas"] |= schema.pop("$defs")
    step["description"] = _STEP
    step["requestBody"] = _body(schema, required=True)
    step["responses"] = {
        "409": _answer("The action is in order, but there is no episode over HTTP", _DETAIL),
        **_refusals("an action that is none"),
    }
    for path, methods in paths.items():
        if path.startswith("/{env_name}/"):
            for operation in methods.values():
                operation["responses"]["404"] = _answer("No environment of that name", _DETAIL)
            if "post" in methods:
                unknown = _answer("Refused: an unknown split, or an index or a range outside it", _DETAIL)
                methods["post"]["responses"] |= {"400": unknown, **_refusals("a value of a wrong type")}
    return document


def _refusals(example: str) -> dict[str, Any]:
    return {
        "413": _answer("Refused: the body is too large", _DETAIL),
        "422": _answer(f"Refused: a body that is not JSON, or {example}", _COMPLAINTS),
    }


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _body(schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def _reset_arguments(limits: Limits) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {"description": text} for name, text in allowed(limits).items()},
        "examples": [{}, {"task": "easy", "seed": 42}, {"split": "test", "index": 0}],
    }
