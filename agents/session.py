"""A session with a server: snapshots of the game, and one error for all that can fail."""

from typing import Any, Final, NamedTuple

from qrewrite.circuits import Circuit
from qrewrite.game import Action, Termination
from qrewrite.rules import ActionResult
from quantum_circuit_env.agents.hosting import Host, HostError

_NO_STEP: Final = frozenset({ActionResult.RESET, ActionResult.EPISODE_OVER})


class SessionError(Exception):
    """Raised when the server is not there, refuses, or answers with nonsense."""


class Snapshot(NamedTuple):
    """What the server says after a reset or a step.

    Attributes:
        circuit: the circuit as it stands.
        reward: reward of the step, 0.0 after a reset.
        done: whether the episode has ended.
        initial_count: gates at the start.
        steps: steps played so far.
        used_advanced_actions: whether an action of type 3 or 4 has succeeded.
        result: what became of the action.
        termination: why the episode has ended, if it has.
        score: the grade so far, the server's own.
        game_version: version of the game that the server plays.
    """

    circuit: Circuit
    reward: float
    done: bool
    initial_count: int
    steps: int
    used_advanced_actions: bool
    result: ActionResult
    termination: Termination | None
    score: float
    game_version: str


class Session:
    """Plays episodes one after another over one connection, which is opened when it is first needed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._client: Any = None

    def reset(self, *, task: str, seed: int) -> Snapshot:
        """Begin the episode of (task, seed), or raise a SessionError."""
        if self._client is None:
            try:
                self._client = self._host.client()
            except HostError as error:
                raise SessionError(str(error)) from error
        return self._asked("reset", task=task, seed=seed)

    def step(self, action: Action) -> Snapshot:
        """Play one action, or raise a SessionError."""
        from quantum_circuit_env.models import QuantumCircuitAction

        played = self._asked("step", QuantumCircuitAction(**action._asdict()))
        if played.result in _NO_STEP:
            raise SessionError(
                f"step: the server answers {played.result.value}, which is the result of no step"
            )
        return played

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            try:
                self._client.close()
            except (OSError, RuntimeError):
                # It is closed or it cannot be closed; there is nothing to lose any more.
                return

    def _asked(self, method: str, *args: Any, **kwargs: Any) -> Snapshot:
        from websockets.exceptions import WebSocketException

        try:
            return _snapshot(getattr(self._client, method)(*args, **kwargs).observation)
        # The client reports the server's refusals as RuntimeError and malformed replies as ValueError. Over
        # JSON of another shape than OpenEnv's it stumbles, with the last three.
        except (
            OSError,
            RuntimeError,
            ValueError,
            WebSocketException,
            AttributeError,
            LookupError,
            TypeError,
        ) as error:
            raise SessionError(f"{method}: {type(error).__name__}: {error}") from error


def _snapshot(observation: Any) -> Snapshot:
    metadata = observation.metadata
    return Snapshot(
        circuit=Circuit.from_records(observation.circuit, num_qubits=observation.num_qubits),
        reward=observation.reward,
        done=observation.done,
        initial_count=metadata["initial_count"],
        steps=metadata["step"],
        used_advanced_actions=metadata["used_advanced_actions"],
        result=ActionResult(metadata["action_result"]),
        termination=metadata["termination"] and Termination(metadata["termination"]),
        score=metadata["score"],
        game_version=metadata["game_version"],
    )
