"""A session as a stranger would hold it: a bare WebSocket and JSON, nothing of our client."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect


class Session:
    """One WebSocket; `ask` sends a frame and returns the server's answer to it."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def ask(self, frame: object) -> dict[str, Any]:
        """Send text or bytes as they are and anything else as JSON; return the next frame."""
        self.tell(frame)
        return self.hear()

    def tell(self, frame: object) -> None:
        """Send text or bytes as they are and anything else as JSON."""
        self._connection.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))

    def hear(self) -> dict[str, Any]:
        """Return the next frame that the server sends."""
        answer = json.loads(self._connection.recv(timeout=60))
        assert isinstance(answer, dict)
        return answer

    def reset(self, **arguments: object) -> dict[str, Any]:
        """Reset and return the observation's data."""
        return self._data("observation", {"type": "reset", "data": arguments})

    def step(self, target_index: object, action_type: object, **more: object) -> dict[str, Any]:
        """Step and return the observation's data."""
        action = {"target_index": target_index, "action_type": action_type, **more}
        return self._data("observation", {"type": "step", "data": action})

    def state(self) -> dict[str, Any]:
        """Return the state."""
        return self._data("state", {"type": "state"})

    def refused(self, frame: object, code: str) -> str:
        """Send a frame that must be refused with this code; return the message."""
        answer = self.ask(frame)
        assert answer["type"] == "error", answer
        assert answer["data"]["code"] == code, answer
        message = answer["data"]["message"]
        assert isinstance(message, str)
        return message

    def _data(self, kind: str, frame: object) -> dict[str, Any]:
        answer = self.ask(frame)
        assert answer["type"] == kind, answer
        data = answer["data"]
        assert isinstance(data, dict)
        return data


@contextmanager
def session(server_url: str, path: str = "/ws") -> Iterator[Session]:
    """Open a session and close it in the ordinary way."""
    url = server_url.replace("http", "ws", 1) + path
    with connect(url, proxy=None, compression=None, max_size=None, open_timeout=60) as connection:
        yield Session(connection)


def opened_by_hand(server_url: str) -> socket.socket:
    """Return a socket on which a WebSocket handshake has been made, to be dropped without a close frame."""
    host, _, port = server_url.removeprefix("http://").partition(":")
    raw = socket.create_connection((host, int(port)), timeout=60)
    raw.sendall(
        f"GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert raw.recv(4096).startswith(b"HTTP/1.1 101")
    return raw
