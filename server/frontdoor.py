"""The front layer: a thin ASGI layer before OpenEnv's routes, for what cannot be mended behind them.

Frames and bodies that would destroy a session, be coerced or take a slot for ever are answered here;
everything else passes through as it came.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from openenv.core.env_server.mcp_types import JsonRpcErrorCode
from openenv.core.env_server.types import WSErrorCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quantum_circuit_env.server.bodies import HttpAnswer, answer_body
from quantum_circuit_env.server.messages import answer_frame, error_frame, ordinary_step
from quantum_circuit_env.server.older import TELLS_METADATA
from quantum_circuit_env.server.rpc import answer_rpc, rpc_error
from quantum_circuit_env.server.sockets import SOCKET, Socket

MAX_SIZE: Final = 2**21
"""Largest frame in characters and largest body in bytes: room for the largest circuit, generously spaced."""
_LARGE: Final = 2**16
"""Size above which a check would hold up the other sessions."""

_TOO_LARGE: Final = f"too large: a message may have at most {MAX_SIZE} characters"
_BINARY: Final = "binary frames are not read: send JSON in a text frame"


class FrontDoor:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        send = _forgiving(send)
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] == "websocket":
            if path == "/mcp":
                receive = _checked(receive, send, _answer_rpc_frame)
            else:
                # Frames written here are full of metadata.
                played = _played(receive, send) if TELLS_METADATA else receive
                receive = _checked(played, send, _answer_ws_frame)
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "POST":
            await self._serve_body(path, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve_body(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        if body is None:
            return
        if len(body) > MAX_SIZE:
            await _respond(send, HttpAnswer(413, {"detail": _TOO_LARGE}))
            return
        body = body.strip() or b"{}"
        large = len(body) > _LARGE
        answer = await asyncio.to_thread(answer_body, path, body) if large else answer_body(path, body)
        if answer is None:
            await self._app(_as_json(scope), _replayed(body, receive), send)
        else:
            await _respond(send, answer)


def _checked(receive: Receive, send: Send, answer: Callable[[Message], str | None]) -> Receive:
    """Return a `receive` that answers bad frames itself and goes on to the next."""

    async def receive_checked() -> Message:
        while True:
            event = await receive()
            if event["type"] != "websocket.receive":
                return event
            large = len(event.get("text") or "") > _LARGE
            refusal = await asyncio.to_thread(answer, event) if large else answer(event)
            if refusal is None:
                return event
            await send({"type": "websocket.send", "text": refusal})

    return receive_checked


def _played(receive: Receive, send: Send) -> Receive:
    """Return a `receive` that plays ordinary steps itself from the first reset on, and passes on all else.

    OpenEnv would check each action and serialise each observation twice over, at several times the cost of
    the step. Its own count of a session's steps, which no route tells, stays behind.
    """
    socket = Socket()
    SOCKET.set(socket)

    async def receive_played() -> Message:
        while True:
            event = await receive()
            if socket.environment is None or event["type"] != "websocket.receive":
                return event
            action = ordinary_step(event.get("text") or "")
            if action is None:
                return event
            await send({"type": "websocket.send", "text": await socket.environment.answer(action)})

    return receive_played


def _answer_ws_frame(event: Message) -> str | None:
    text = event.get("text")
    if text is None:
        return error_frame(WSErrorCode.INVALID_JSON, _BINARY)
    if len(text) > MAX_SIZE:
        return error_frame(WSErrorCode.VALIDATION_ERROR, _TOO_LARGE)
    return answer_frame(text)


def _answer_rpc_frame(event: Message) -> str | None:
    text = event.get("text")
    if text is None:
        refusal: dict[str, Any] | None = rpc_error(JsonRpcErrorCode.PARSE_ERROR, _BINARY)
    elif len(text) > MAX_SIZE:
        refusal = rpc_error(JsonRpcErrorCode.INVALID_REQUEST, _TOO_LARGE)
    else:
        refusal = answer_rpc(text)
    return None if refusal is None else json.dumps(refusal)


def _forgiving(send: Send) -> Send:
    """Return a `send` that does not mind when the client is gone: the next event ends the session."""

    async def send_or_drop(event: Message) -> None:
        with suppress(OSError):
            await send(event)

    return send_or_drop


async def _read(receive: Receive) -> bytes | None:
    """Return the whole body, or the first part of it that is too large, or None when the client is gone."""
    body = bytearray()
    while len(body) <= MAX_SIZE:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        body += event.get("body", b"")
        if not event.get("more_body", False):
            break
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body that has been read, and then whatever comes."""
    events: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return events.pop() if events else await receive()

    return receive_again


def _as_json(scope: Scope) -> Scope:
    """Return the scope with the content type that the body has, whatever the client called it."""
    named = (b"content-type", b"content-length")
    headers = [(name, value) for name, value in scope["headers"] if name not in named]
    return {**scope, "headers": [*headers, (b"content-type", b"application/json")]}


async def _respond(send: Send, answer: HttpAnswer) -> None:
    body = json.dumps(answer.body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if answer.status == 413:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
