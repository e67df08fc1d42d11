"""JSON-RPC requests to `/mcp`: what the front layer refuses of them."""

from typing import Any, Final

from openenv.core.env_server.mcp_types import JsonRpcErrorCode, JsonRpcResponse

from quantum_circuit_env.server.strict_json import MalformedError, loads

_CREATE: Final = "openenv/session/create"


def answer_rpc(text: str | bytes) -> dict[str, Any] | None:
    """Answer a request as text; None means that it is in order."""
    try:
        document = loads(text)
    except MalformedError as error:
        return rpc_error(JsonRpcErrorCode.PARSE_ERROR, str(error))
    if not isinstance(document, dict):
        return rpc_error(JsonRpcErrorCode.INVALID_REQUEST, "a request is one JSON-RPC 2.0 object")
    return refuse_rpc(document)


def refuse_rpc(request: dict[str, Any]) -> dict[str, Any] | None:
    """Refuse what OpenEnv's routes should not get; None means that the request is in order.

    A session that is handed out would take a slot that nobody frees, or share that of a socket; and sessions
    are looked up by whatever `session_id` is.
    """
    request_id, params = request.get("id"), request.get("params")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        request_id = None
    if request.get("method") == _CREATE:
        return rpc_error(
            JsonRpcErrorCode.METHOD_NOT_FOUND,
            f"{_CREATE} is not offered: connect to /ws, which makes a session that ends with its connection",
            request_id,
        )
    if isinstance(params, dict) and not isinstance(params.get("session_id", ""), str):
        return rpc_error(JsonRpcErrorCode.INVALID_PARAMS, "session_id must be a string", request_id)
    return None


def rpc_error(code: JsonRpcErrorCode, message: str, request_id: str | int | None = None) -> dict[str, Any]:
    """Return a JSON-RPC 2.0 error."""
    return JsonRpcResponse.error_response(code, message, request_id=request_id).model_dump()
