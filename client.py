"""The typed client: plays episodes over a session's WebSocket."""

from collections.abc import Mapping
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from quantum_circuit_env.models import QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState

__all__ = ["QuantumCircuitAction", "QuantumCircuitEnv", "QuantumCircuitObservation", "QuantumCircuitState"]

_LOCAL_APP = "quantum_circuit_env.server.app:app"


class QuantumCircuitEnv(EnvClient[QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState]):
    """A session with a server; async as it stands, blocking through `.sync()`.

    Everything that a reply should hold must be there: a missing or wrong field raises a ValueError.
    """

    @classmethod
    def from_env(cls, repo_id: str, *, use_docker: bool = True, **options: Any) -> Any:
        """Start a server for `repo_id` and return a handle to await, or to call `.sync()` on."""
        if not use_docker and options.get("provider") is None:
            # OpenEnv's own default, server.app:app, is found in the package's folder only.
            options.setdefault("app", _LOCAL_APP)
        return super().from_env(repo_id, use_docker=use_docker, **options)

    def _step_payload(self, action: QuantumCircuitAction) -> dict[str, Any]:
        return {"target_index": action.target_index, "action_type": action.action_type}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[QuantumCircuitObservation]:
        fields = _required(payload, "observation")
        if not isinstance(fields, Mapping):
            raise ValueError(f"the reply's observation must be an object, got {type(fields).__name__}")
        whole = {**fields, "reward": _required(payload, "reward"), "done": _required(payload, "done")}
        if "metadata" not in fields:
            # OpenEnv sends it beside the observation too, and one day perhaps only there.
            whole["metadata"] = _required(payload, "metadata")
        observation = QuantumCircuitObservation.model_validate(whole)
        return StepResult(observation=observation, reward=observation.reward, done=observation.done)

    def _parse_state(self, payload: dict[str, Any]) -> QuantumCircuitState:
        return QuantumCircuitState.model_validate(payload)


def _required(payload: Mapping[str, Any], field: str) -> Any:
    if field not in payload:
        raise ValueError(f"the server's reply lacks {field!r}; it has {', '.join(payload) or 'nothing'}")
    return payload[field]
