"""The typed client: plays episodes over a session's WebSocket."""

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from openenv.core.client_types import StepResult
from openenv.core.containers.runtime import UVProvider
from openenv.core.env_client import EnvClient

from quantum_circuit_env.models import QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState

__all__ = ["QuantumCircuitAction", "QuantumCircuitEnv", "QuantumCircuitObservation", "QuantumCircuitState"]

# OpenEnv's own default, server.app:app, is found in the package's folder only; its 60 seconds are too few to
# install and import everything for the first time; and nobody but this client has to reach the server.
_LOCAL: Final[dict[str, Any]] = {
    "app": "quantum_circuit_env.server.app:app",
    "host": "127.0.0.1",
    "context_timeout_s": 300.0,
}
_STARTING: Final = ("port", "env_vars", "workers")


class QuantumCircuitEnv(EnvClient[QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState]):
    """A session with a server; async as it stands, blocking through `.sync()`.

    Everything that a reply should hold must be there: a missing or wrong field raises a ValueError.
    """

    @classmethod
    def from_env(cls, repo_id: str, *, use_docker: bool = True, provider: Any = None, **options: Any) -> Any:
        """Start a server and return a handle to await, or to call `.sync()` on.

        Args:
            repo_id: a Space as `owner/name`; any text when a project_path or a local provider is given.
            use_docker: whether to run the Space's image; otherwise `uv run` serves its sources.
            provider: what starts the server instead of Docker or uv, as OpenEnv has it.
            options: OpenEnv's. Without Docker: `project_path`, the folder of a clone or `git+` and a URL, in
                place of the Space; `context_timeout_s`, seconds until the server must answer, 300 by default.

        Raises:
            ValueError: there can be no such server.
        """
        if use_docker:
            if "project_path" in options:
                raise ValueError("project_path goes with use_docker=False; Docker runs the Space's own image")
            _check_space(repo_id)
        elif provider is None:
            starting: dict[str, Any] = {name: options.pop(name) for name in _STARTING if name in options}
            provider, options = _local_server(repo_id, **options), starting
        return super().from_env(repo_id, use_docker=use_docker, provider=provider, **options)

    def _step_payload(self, action: QuantumCircuitAction) -> dict[str, Any]:
        return action.model_dump(mode="json", exclude={"metadata"}, exclude_defaults=True)

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[QuantumCircuitObservation]:
        fields = _required(payload, "observation")
        if not isinstance(fields, Mapping):
            raise ValueError(f"the reply's observation must be an object, got {type(fields).__name__}")
        whole = {**fields, "reward": _required(payload, "reward"), "done": _required(payload, "done")}
        if "metadata" not in fields:
            # OpenEnv sends it beside the observation too, and one day perhaps only there.
            if "metadata" not in payload:
                raise ValueError(
                    "the server's reply lacks 'metadata', which servers with OpenEnv before 0.10 do not send"
                )
            whole["metadata"] = payload["metadata"]
        observation = QuantumCircuitObservation.model_validate(whole)
        return StepResult(observation=observation, reward=observation.reward, done=observation.done)

    def _parse_state(self, payload: dict[str, Any]) -> QuantumCircuitState:
        return QuantumCircuitState.model_validate(payload)


class _LocalServer(UVProvider):
    """OpenEnv's `uv run`, of which it is noticed when it ends without serving."""

    def wait_for_ready(self, timeout_s: float | None = None) -> None:
        """Return when the server answers.

        Raises:
            RuntimeError: it has ended.
            TimeoutError: it is late.
        """
        patience = self.context_timeout_s if timeout_s is None else timeout_s
        deadline = time.monotonic() + patience
        while True:
            try:
                # OpenEnv looks only at the beginning whether there is still a process.
                super().wait_for_ready(timeout_s=max(0.0, min(2.0, deadline - time.monotonic())))
            except TimeoutError as error:
                if time.monotonic() >= deadline:
                    # OpenEnv's timeout_s is what the start has left of context_timeout_s.
                    raise TimeoutError(
                        f"the server of {self.project_path} does not answer within "
                        f"{self.context_timeout_s:g} seconds; context_timeout_s gives it more"
                    ) from error
            else:
                return


def _local_server(
    repo_id: str, *, project_path: str | os.PathLike[str] | None = None, **options: Any
) -> _LocalServer:
    if project_path is None:
        _check_space(repo_id)
        project_path = f"git+https://huggingface.co/spaces/{repo_id}"
    project = os.fspath(project_path)
    if not project.startswith("git+") and not (Path(project) / "pyproject.toml").is_file():
        raise ValueError(
            f"project_path must be the folder of a clone, with its pyproject.toml; got {project!r}"
        )
    return _LocalServer(project_path=project, **_LOCAL | options)


def _check_space(repo_id: str) -> None:
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo_id):
        raise ValueError(
            f"repo_id must be a Space as owner/name, got {repo_id!r}; to serve a clone's files give "
            "use_docker=False and project_path, to play on a server that runs QuantumCircuitEnv(base_url=…)"
        )


def _required(payload: Mapping[str, Any], field: str) -> Any:
    if field not in payload:
        raise ValueError(f"the server's reply lacks {field!r}; it has {', '.join(payload) or 'nothing'}")
    return payload[field]
