"""A model's service of the tests' own: answers as scripted, then plays well, on 127.0.0.1."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from qrewrite.circuits import Circuit
from qrewrite.game import Position
from qrewrite.policies import cancel_first


@dataclass(frozen=True)
class Answer:
    """One scripted response.

    Attributes:
        wait: seconds before it is sent.
        drip: seconds over which single bytes are sent before it is.
        hang_up: whether the connection is closed instead.
        before: called first.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    drip: float = 0.0
    hang_up: bool = False
    before: Callable[[], None] | None = None


@dataclass(frozen=True)
class Request:
    """One request as it arrived; `at` is on the monotonic clock."""

    at: float
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """Text of the last message."""
        return str(self.body["messages"][-1]["content"])


class ScriptedLlm:
    """Answers in the order of the script; for a None and after its end it plays well by itself."""

    def __init__(self, url: str, script: Sequence[Answer | None]) -> None:
        self.url = url
        self.requests: list[Request] = []
        self.closed = threading.Event()
        self._script = iter(script)
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Answer:
        """Note a request and return the answer to it."""
        with self._lock:
            self.requests.append(request)
            scripted = next(self._script, None)
        return scripted or says(best_move(request.prompt))

    @property
    def sent(self) -> list[dict[str, Any]]:
        """What was sent beside the messages, for each request."""
        return [{k: v for k, v in each.body.items() if k != "messages"} for each in self.requests]


def says(content: object, finish_reason: str = "stop", **message: object) -> Answer:
    """Return the answer of a model that says this."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return json_answer(whole)


def json_answer(body: object, status: int = 200, **headers: str) -> Answer:
    """Return an answer with a JSON body."""
    return Answer(status, json.dumps(body).encode(), {"content-type": "application/json", **headers})


def fails(
    status: int, message: str = "scripted", *, headers: Mapping[str, str] | None = None, **error: str
) -> Answer:
    """Return an error as services of this kind send it."""
    return json_answer({"error": {"message": message, **error}}, status, **(headers or {}))


def action(index: int, kind: int) -> str:
    """Return an action as the reply that it is asked for."""
    return json.dumps({"target_index": index, "action_type": kind})


def circuit_in(prompt: str) -> Circuit:
    """Return the circuit that a prompt shows."""
    qubits = int(prompt.partition("Qubits: ")[2].partition(".")[0])
    listing = prompt.partition("Circuit (index")[2].partition("\n")[2].partition("\n\n")[0]
    gates = "\n".join(line.partition(": ")[2] for line in listing.splitlines())
    return Circuit.parse(gates, num_qubits=qubits)


def best_move(prompt: str) -> str:
    """Return what a player does who reads the circuit in the prompt and cancels first."""
    index, kind = cancel_first(Position(circuit_in(prompt)), Random(0))[0]
    return action(index, kind)


@contextmanager
def scripted_llm(*script: Answer | None) -> Iterator[ScriptedLlm]:
    """Run a service with this script and yield it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = llm.answer(Request(time.monotonic(), self.path, headers, body))
            if answer.before is not None:
                answer.before()
            llm.closed.wait(answer.wait)
            try:
                self._send(answer)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client no longer waits

        def _send(self, answer: Answer) -> None:
            if answer.hang_up:
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            until = time.monotonic() + answer.drip
            while time.monotonic() < until and not llm.closed.wait(0.1):
                self.wfile.write(b" ")
            self.wfile.write(answer.body)

        def log_message(self, *_args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    llm = ScriptedLlm(f"http://127.0.0.1:{server.server_address[1]}/v1", script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield llm
    finally:
        llm.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
