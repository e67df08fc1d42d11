"""Frames of `/ws` and `/mcp`: what the front layer answers to bad ones, and what its answers tell."""

import json
import re
from typing import Any, Final

from openenv.core.env_server.mcp_types import JsonRpcErrorCode
from openenv.core.env_server.types import WSErrorCode
from starlette.types import Message

from quantum_circuit_env.server.limits import Limits
from quantum_circuit_env.server.messages import answer_frame, error_frame
from quantum_circuit_env.server.rpc import answer_rpc, rpc_error

MCP: Final = "/mcp"
"""Path of the sockets that speak JSON-RPC."""
LARGE: Final = 2**16
"""Size above which a check would hold up the other sessions."""

_BINARY: Final = "binary frames are not read: send JSON in a text frame"
_ERROR: Final = re.compile(r'\{"type": ?"error", ?"data": ?\{')


def answer_event(path: str, event: Message, limits: Limits) -> str | None:
    """Answer a frame; None means that it is in order and goes on to OpenEnv's route."""
    return _answer_rpc_frame(event, limits) if path == MCP else _answer_ws_frame(event, limits)


def session_error(path: str, message: str) -> str:
    """Return the frame that tells why a session ends."""
    if path == MCP:
        return json.dumps(rpc_error(JsonRpcErrorCode.SERVER_ERROR, message))
    return error_frame(WSErrorCode.SESSION_ERROR, message)


def error_of(path: str, text: str) -> tuple[str, bool] | None:
    """Return of a frame that tells of an error its code, and whether it says that there is no room."""
    if path != MCP and _ERROR.match(text) is None:
        return None
    error = json.loads(text).get("error" if path == MCP else "data")
    if error is None:
        return None
    return str(error["code"]), "active_sessions" in (error.get("data") or error)


def _answer_ws_frame(event: Message, limits: Limits) -> str | None:
    text = event.get("text")
    if text is None:
        return error_frame(WSErrorCode.INVALID_JSON, _BINARY)
    if limits.exceeded_by(text):
        return error_frame(WSErrorCode.VALIDATION_ERROR, limits.too_large)
    return answer_frame(text, limits)


def _answer_rpc_frame(event: Message, limits: Limits) -> str | None:
    text = event.get("text")
    if text is None:
        refusal: dict[str, Any] | None = rpc_error(JsonRpcErrorCode.PARSE_ERROR, _BINARY)
    elif limits.exceeded_by(text):
        refusal = rpc_error(JsonRpcErrorCode.INVALID_REQUEST, limits.too_large)
    else:
        refusal = answer_rpc(text)
    return None if refusal is None else json.dumps(refusal)
