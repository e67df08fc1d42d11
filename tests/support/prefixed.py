"""The server as an ASGI application behind a proxy that has put it under a path of its own."""

from typing import Final

from starlette.types import Receive, Scope, Send

from quantum_circuit_env.server.app import app as _app

PREFIX: Final = "/spaces/someone/circuits"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Hand on what comes under PREFIX, without it."""
    path = scope.get("path", "")
    if scope["type"] != "lifespan":
        if not path.startswith(f"{PREFIX}/"):
            raise ValueError(f"the browser has left the prefix: {path}")
        scope = {**scope, "path": path.removeprefix(PREFIX), "raw_path": None}
    await _app(scope, receive, send)
