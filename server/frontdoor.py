"""The front layer: a thin ASGI layer before OpenEnv's routes, for what cannot be mended behind them.

Frames and bodies that would destroy a session, be coerced or take a slot for ever are answered here;
everything else passes through as it came.
"""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quantum_circuit_env.server.bodies import HttpAnswer, answer_body
from quantum_circuit_env.server.channel import Channel
from quantum_circuit_env.server.draining import drain_on_signals
from quantum_circuit_env.server.frames import LARGE
from quantum_circuit_env.server.logs import LOGGER
from quantum_circuit_env.server.service import Service
from quantum_circuit_env.server.sockets import SOCKET, Socket

_log: Final = logging.getLogger(LOGGER)


class FrontDoor:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, service: Service | None = None) -> None:
        self._app = app
        self._service = Service() if service is None else service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] == "websocket":
            await Channel(self._service, path, scope, receive, send).serve(self._app, scope)
        elif scope["type"] == "http":
            await self._serve_request(path, scope, receive, self._counted(send))
        else:
            await self._app(scope, receive, self._started(send))

    async def _serve_request(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif path == "/reset":
            socket = Socket()
            SOCKET.set(socket)
            await self._serve_body(path, scope, receive, send)
            if socket.environment is not None and (session := socket.environment.session) is not None:
                self._service.tally.reset(session.start.tier.name, "http")
        else:
            await self._serve_body(path, scope, receive, send)

    async def _serve_body(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        limits = self._service.limits
        body = await _read(receive, limits.message_bytes)
        if body is None:
            return
        if len(body) > limits.message_bytes:
            await _respond(send, HttpAnswer(413, {"detail": limits.too_large}))
            return
        body = body.strip() or b"{}"
        if len(body) > LARGE:
            answer = await asyncio.to_thread(answer_body, path, body, limits)
        else:
            answer = answer_body(path, body, limits)
        if answer is None:
            await self._app(_as_json(scope), _replayed(body, receive), send)
        else:
            await _respond(send, answer)

    def _counted(self, send: Send) -> Send:
        """Return a `send` that counts refusals, and does not mind when the client is gone."""

        async def send_counted(event: Message) -> None:
            if event["type"] == "http.response.start" and event["status"] >= 400:
                self._service.tally.error("http", str(event["status"]))
            with suppress(OSError):
                await send(event)

        return send_counted

    def _started(self, send: Send) -> Send:
        """Return a `send` for the application's own events that sees it start."""

        async def send_started(event: Message) -> None:
            if event["type"] == "lifespan.startup.complete":
                drain_on_signals(self._service)
                _log.info("server started", extra=dict(self._service.told))
            await send(event)

        return send_started


async def _read(receive: Receive, most: int) -> bytes | None:
    """Return the whole body, or the first part of it that is too large, or None when the client is gone."""
    body = bytearray()
    while len(body) <= most:
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
