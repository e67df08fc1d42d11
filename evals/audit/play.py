"""What probes play with: a session's messages as resets, steps and states, and as a game for agents."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from qrewrite.circuits import Circuit, CircuitError
from qrewrite.game import Action, Termination
from qrewrite.rules import ActionResult
from quantum_circuit_env.agents.session import SessionError, Snapshot
from quantum_circuit_env.evals.audit.probe import AuditError


class Session(Protocol):
    """One session with an evaluator, in process or not."""

    def ask(self, frame: object) -> Mapping[str, Any]:
        """Send one message, text as it is and anything else as JSON, and return the answer."""

    def close(self) -> None:
        """End the session."""

    def crash(self) -> None:
        """End the session without a goodbye, as a client does that is killed."""

    def parts(self) -> Mapping[str, float] | None:
        """Return the parts of the last step's reward by name; None where a client cannot see them."""


class Shown(NamedTuple):
    """The data of an observation as it came, with names for what probes look at."""

    data: Mapping[str, Any]

    @property
    def observation(self) -> Mapping[str, Any]:
        """The observation."""
        inner: Mapping[str, Any] = self.data["observation"]
        return inner

    @property
    def facts(self) -> Mapping[str, Any]:
        """Its metadata."""
        facts: Mapping[str, Any] = self.observation["metadata"]
        return facts

    @property
    def gates(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Name and qubits of each gate, as values of their own."""
        records = self.observation["circuit"]
        return tuple((record["name"], tuple(record["target_qubits"])) for record in records)

    @property
    def circuit(self) -> Circuit:
        """The circuit as a value; AuditError if it is none."""
        try:
            return Circuit.from_records(
                self.observation["circuit"], num_qubits=self.observation["num_qubits"]
            )
        except CircuitError as error:
            raise AuditError(f"the circuit of an observation is none: {error}") from error

    @property
    def reward(self) -> Any:
        """The reward, whatever it is."""
        return self.data["reward"]

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.data["done"])

    @property
    def score(self) -> Any:
        """The grade so far, whatever it is."""
        return self.facts["score"]


class Play:
    """Resets and steps of one session; an answer of another kind is an AuditError."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def reset(self, **arguments: Any) -> Shown:
        """Begin an episode."""
        return Shown(self._asked({"type": "reset", "data": arguments}, "observation"))

    def step(self, target_index: int, action_type: int) -> Shown:
        """Play one action."""
        data = {"target_index": target_index, "action_type": action_type}
        return Shown(self._asked({"type": "step", "data": data}, "observation"))

    def state(self) -> Mapping[str, Any]:
        """Return the public state."""
        return self._asked({"type": "state"}, "state")

    def refused(self, frame: object) -> str | None:
        """Return the code with which a frame is refused, or None if it is not."""
        answer = self.session.ask(frame)
        return str(answer["data"]["code"]) if answer["type"] == "error" else None

    def _asked(self, frame: object, kind: str) -> Mapping[str, Any]:
        answer = self.session.ask(frame)
        if answer["type"] != kind:
            raise AuditError(f"{frame} is answered {str(answer)[:300]}")
        data: Mapping[str, Any] = answer["data"]
        return data


def gates_of(words: str) -> list[dict[str, Any]]:
    """Return a circuit that is written as `NAME qubit …;NAME qubit …`, as a reset takes it."""
    split = (word.split() for word in words.split(";"))
    return [{"name": name, "target_qubits": list(map(int, qubits))} for name, *qubits in split]


class SessionGame:
    """A session as agents play on it: see `agents.loop.Game`."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def reset(self, *, task: str, seed: int) -> Snapshot:
        """Begin the episode of (task, seed)."""
        return self._told("reset", task=task, seed=seed)

    def step(self, action: Action) -> Snapshot:
        """Play one action."""
        return self._told("step", target_index=action.target_index, action_type=action.action_type)

    def close(self) -> None:
        """Leave the session to whoever has opened it."""

    def _told(self, method: str, **arguments: Any) -> Snapshot:
        shown: Shown = getattr(self._play, method)(**arguments)
        facts = shown.facts
        try:
            return Snapshot(
                circuit=shown.circuit,
                reward=shown.reward,
                done=shown.done,
                initial_count=facts["initial_count"],
                steps=facts["step"],
                used_advanced_actions=facts["used_advanced_actions"],
                result=ActionResult(facts["action_result"]),
                termination=facts["termination"] and Termination(facts["termination"]),
                score=shown.score,
                game_version=facts["game_version"],
            )
        except ValueError as error:
            raise SessionError(f"{method}: {error}") from error
