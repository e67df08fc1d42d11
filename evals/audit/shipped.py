"""Evaluators as they are shipped: the environment in process, and a running server."""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, Final

from quantum_circuit_env.evals.audit.play import Session
from quantum_circuit_env.evals.audit.probe import AuditError
from quantum_circuit_env.evals.audit.subject import Evaluator

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


def in_process() -> Evaluator:
    """Return the shipped environment; imports OpenEnv, which takes some seconds."""
    from quantum_circuit_env.models import QuantumCircuitAction
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
    from quantum_circuit_env.server.messages import answer_frame

    def opened() -> Session:
        return EnvironmentSession(QuantumCircuitEnvironment(), answer_frame, QuantumCircuitAction)

    return Evaluator("the environment in process", opened)


def at(url: str) -> Evaluator:
    """Return the server at an address."""
    return Evaluator(url, lambda: SocketSession(url), in_process=False)
