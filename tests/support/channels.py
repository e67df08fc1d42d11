"""The front layer without a server: frames are handed in, what is sent is kept."""

import asyncio
import json
from collections import deque
from collections.abc import Iterable
from typing import Any

from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from quantum_circuit_env.server.frontdoor import FrontDoor
from quantum_circuit_env.server.service import Service

RESET = '{"type": "reset", "data": {"task": "easy", "seed": 42}}'


def step(target_index: int, action_type: int) -> str:
    """Return an ordinary step's frame."""
    return json.dumps({"type": "step", "data": {"target_index": target_index, "action_type": action_type}})


class Client:
    """A client of one socket, as the ASGI server would know it."""

    def __init__(self, frames: Iterable[str] = ()) -> None:
        self._arrived: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._arrived.put_nowait({"type": "websocket.connect"})
        self.sent: deque[dict[str, Any]] = deque()
        for frame in frames:
            self.say(frame)

    def say(self, frame: str) -> None:
        """Send a frame."""
        self._arrived.put_nowait({"type": "websocket.receive", "text": frame})

    def leave(self, event: dict[str, Any]) -> None:
        """Be gone."""
        self._arrived.put_nowait({"type": "websocket.disconnect", **event})

    async def receive(self) -> dict[str, Any]:
        return await self._arrived.get()

    async def send(self, event: Any) -> None:
        self.sent.append(dict(event))

    def heard(self) -> list[dict[str, Any]]:
        """Frames that came, as JSON."""
        return [json.loads(event["text"]) for event in self.sent if event["type"] == "websocket.send"]

    @property
    def closed(self) -> tuple[int, str] | None:
        """Code and reason of the close frame, if there is one."""
        last = self.sent[-1]
        return (last["code"], last.get("reason", "")) if last["type"] == "websocket.close" else None


async def route(_scope: Any, receive: Any, send: Any) -> None:
    """Stand for OpenEnv's: resets, and closes when the client is gone."""
    environment = QuantumCircuitEnvironment()
    await receive()
    await send({"type": "websocket.accept"})
    try:
        while (event := await receive())["type"] == "websocket.receive":
            message = json.loads(event["text"])
            if message["type"] == "close":
                break
            await environment.reset_async(**message["data"])
            await send({"type": "websocket.send", "text": '{"type":"observation","data":{}}'})
    finally:
        await send({"type": "websocket.close", "code": 1000})


async def served(service: Service, client: Client, path: str = "/ws") -> None:
    """Serve one socket to its end."""
    scope = {"type": "websocket", "path": path, "client": ("192.0.2.1", 5)}
    await asyncio.wait_for(FrontDoor(route, service)(scope, client.receive, client.send), 60)
