"""Evaluators as they are shipped: the environment in process, and a running server."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from socket import SHUT_RDWR
from typing import Any, Final
from urllib.request import ProxyHandler, Request, build_opener

from qrewrite.tasks import SPLITS
from quantum_circuit_env.evals.audit.evaluator import Evaluator
from quantum_circuit_env.evals.audit.play import Session
from quantum_circuit_env.evals.audit.probe import AuditError

ENV_NAME: Final = "quantum_circuit_env"
"""By which OpenEnv's task routes are found."""

PATIENCE: Final = 60.0
"""Seconds within which a server answers."""


class SocketSession:
    """A session of a running server, over its WebSocket."""

    def __init__(self, url: str) -> None:
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        self._opened = ExitStack()
        self._faults = (WebSocketException, OSError)
        address = url.rstrip("/").replace("http", "ws", 1) + "/ws"
        try:
            self._connection = self._opened.enter_context(
                connect(address, proxy=None, compression=None, max_size=None, open_timeout=PATIENCE)
            )
        except self._faults as error:
            raise AuditError(f"no session at {address}: {error}") from error

    def ask(self, frame: object) -> Mapping[str, Any]:
        """Send a message and return the answer; AuditError when there is none."""
        try:
            self._connection.send(frame if isinstance(frame, str) else json.dumps(frame))
            answer = json.loads(self._connection.recv(timeout=PATIENCE))
        except (*self._faults, ValueError) as error:
            raise AuditError(f"{str(frame)[:80]} has no answer: {type(error).__name__}: {error}") from error
        if not isinstance(answer, dict):
            raise AuditError(f"{str(frame)[:80]} is answered with no object")
        return answer

    def close(self) -> None:
        """Close the connection."""
        with suppress(*self._faults):
            self._opened.close()

    def crash(self) -> None:
        """Break the connection off under the protocol's feet."""
        with suppress(*self._faults):
            self._connection.socket.shutdown(SHUT_RDWR)
        self.close()

    def parts(self) -> Mapping[str, float] | None:
        """Return None: rubrics stay in the server."""
        return None


class EnvironmentSession:
    """A session of the environment's own class, behind the checks of the server's front layer."""

    def __init__(self, environment: Any, refusal: Callable[[str], str | None], action: Any) -> None:
        self._environment = environment
        self._refusal = refusal
        self._action = action

    def ask(self, frame: object) -> Mapping[str, Any]:
        """Answer a message with the environment's own objects."""
        text = frame if isinstance(frame, str) else json.dumps(frame)
        refused = self._refusal(text)
        if refused is not None:
            answer: Mapping[str, Any] = json.loads(refused)
            return answer
        message = json.loads(text)
        if message["type"] == "state":
            return {"type": "state", "data": self._environment.state.model_dump(mode="json")}
        try:
            observation = self._observed(message["type"], message.get("data", {}))
        except RuntimeError as error:  # a step before the first reset, as the server has it
            return {"type": "error", "data": {"message": str(error), "code": "EXECUTION_ERROR"}}
        shown = {name: getattr(observation, name) for name in type(observation).model_fields}
        outer = {name: shown.pop(name) for name in ("reward", "done")}
        return {"type": "observation", "data": {"observation": shown, **outer}}

    def _observed(self, kind: str, data: dict[str, Any]) -> Any:
        if kind == "reset":
            return self._environment.reset(**data)
        return self._environment.step(self._action.model_validate(data))

    def close(self) -> None:
        """Leave the environment to be collected."""

    def crash(self) -> None:
        """Leave the environment to be collected."""

    def parts(self) -> Mapping[str, float] | None:
        """Return what each part of the rubric says of the last step."""
        rubric = self._environment.rubric
        return {name: part.last_score for name, part in rubric.named_children()}


def in_process() -> Evaluator:
    """Return the shipped environment; imports OpenEnv, which takes some seconds."""
    from quantum_circuit_env.models import (
        QuantumCircuitAction,
        QuantumCircuitObservation,
        QuantumCircuitState,
    )
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
    from quantum_circuit_env.server.messages import answer_frame

    def opened() -> Session:
        return EnvironmentSession(QuantumCircuitEnvironment(), answer_frame, QuantumCircuitAction)

    def pages() -> Mapping[str, str]:
        environment = QuantumCircuitEnvironment()
        types = (QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState)
        schemas = {f"schema of {one.__name__}": json.dumps(one.model_json_schema()) for one in types}
        tasks = {
            f"tasks of {split}": json.dumps({"tasks": environment.list_tasks(split)}) for split in SPLITS
        }
        return schemas | tasks

    return Evaluator("the environment in process", opened, pages=pages)


def at(url: str, log: Path | None = None) -> Evaluator:
    """Return the server at an address.

    Args:
        url: its address.
        log: file that holds what it logs, if it is at hand.
    """
    return Evaluator(
        url,
        lambda: SocketSession(url),
        in_process=False,
        pages=lambda: _pages(url.rstrip("/")),
        log=None if log is None else partial(_logged, log),
    )


_READ: Final = ("/schema", "/openapi.json", "/docs", "/state")
"""Pages that a server tells without being asked for anything in particular."""


def _pages(url: str) -> dict[str, str]:
    """Return what the server tells over HTTP: its types, and each split's tasks by OpenEnv's task routes."""
    told = {path: _fetched(url + path) for path in _READ}
    for split in SPLITS:
        path = f"/{ENV_NAME}/tasks"
        told[f"{path} of {split}"] = _fetched(url + path, json.dumps({"split": split}).encode())
    return told


def _fetched(address: str, body: bytes | None = None) -> str:
    request = Request(address, body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=PATIENCE) as answer:
            text: str = answer.read().decode()
            return text
    except (OSError, UnicodeDecodeError) as error:
        raise AuditError(f"{address} cannot be read: {error}") from error


@contextmanager
def _logged(log: Path) -> Iterator[Callable[[], str]]:
    """Give what is written to the log from here on."""
    begun = log.stat().st_size

    def since() -> str:
        with log.open(encoding="utf-8", errors="replace") as opened:
            opened.seek(begun)
            return opened.read()

    yield since
