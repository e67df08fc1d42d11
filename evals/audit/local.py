"""The game in process behind the messages of `/ws`, without OpenEnv; the zoo's mutants change its parts."""

import json
from collections.abc import Mapping
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.game import Episode
from qrewrite.game.view import circuit_records, legality, prompt
from qrewrite.rules import RULES
from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.server.arguments import ArgumentError, Start, check_reset
from quantum_circuit_env.server.graders import score
from quantum_circuit_env.server.strict_json import MalformedError, loads

# Written down here and not taken from the server's models: the probes hold what is served against what they
# know, and a list that both share would agree with itself.
_KEYS: Final = {"target_index", "action_type"}
_STATE: Final = (
    "episode_id",
    "step_count",
    "task",
    "seed",
    "gate_count",
    "initial_count",
    "used_advanced_actions",
    "score",
    "game_version",
)


class RefusedError(Exception):
    """Raised for a message that is answered with an error of this code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LocalGame:
    """One session; everything that it does can be overridden piece by piece."""

    def __init__(self) -> None:
        self.start: Start | None = None
        self.episode: Episode | None = None

    def ask(self, frame: object) -> Mapping[str, Any]:
        """Answer one message."""
        try:
            return self.answer(self.read(frame))
        except RefusedError as error:
            return {"type": "error", "data": {"message": str(error), "code": error.code}}

    def close(self) -> None:
        """Forget the episode."""
        self.episode = None

    def crash(self) -> None:
        """Forget the episode."""
        self.close()

    def parts(self) -> Mapping[str, float] | None:
        """Return the parts of the last reward, of which there is one."""
        return {"reward": self.running().reward}

    def read(self, frame: object) -> dict[str, Any]:
        """Return a frame's message."""
        try:
            message = loads(frame if isinstance(frame, str) else json.dumps(frame))
        except MalformedError as error:
            raise RefusedError("INVALID_JSON", str(error)) from None
        if not isinstance(message, dict):
            raise RefusedError("VALIDATION_ERROR", "a message is an object")
        return message

    def answer(self, message: dict[str, Any]) -> Mapping[str, Any]:
        """Answer a message that is an object."""
        kind, data = message.get("type"), message.get("data", {})
        if not isinstance(kind, str) or kind not in ("reset", "step", "state"):
            raise RefusedError("UNKNOWN_TYPE", f"no message is of type {kind!r}")
        if set(message) - {"type", "data"} or not isinstance(data, dict) or (kind == "state" and data):
            raise RefusedError("VALIDATION_ERROR", "a message has a type and perhaps data, an object")
        if kind == "state":
            return {"type": "state", "data": self.state()}
        if kind == "reset":
            self.reset(data)
        else:
            self.step(data)
        return {"type": "observation", "data": self.observation()}

    def check(self, data: dict[str, Any]) -> Start:
        """Return what a reset with this data starts."""
        try:
            return check_reset(data)
        except ArgumentError as error:
            raise RefusedError("VALIDATION_ERROR", str(error)) from None

    def circuit(self, start: Start) -> Circuit:
        """Return the circuit that an episode begins with."""
        return start.circuit()

    def reset(self, data: dict[str, Any]) -> None:
        """Begin an episode."""
        start = self.check(data)
        self.episode = Episode(self.circuit(start), par=start.par)
        self.start = start

    def running(self) -> Episode:
        """Return the episode; a refusal if there is none yet."""
        if self.episode is None:
            raise RefusedError("EXECUTION_ERROR", "there is no episode yet")
        return self.episode

    def action(self, data: dict[str, Any]) -> tuple[int, int]:
        """Return index and type of an action."""
        metadata = data.get("metadata", {})
        index, kind = data.get("target_index"), data.get("action_type")
        keys = set(data) - {"metadata"}
        if keys != _KEYS or not isinstance(metadata, dict) or type(index) is not int or type(kind) is not int:
            raise RefusedError("VALIDATION_ERROR", "an action has two integers")
        if index < 0 or kind not in RULES:
            raise RefusedError("VALIDATION_ERROR", "an action is out of range")
        return index, kind

    def step(self, data: dict[str, Any]) -> None:
        """Play an action."""
        index, kind = self.action(data)
        self.play(self.running(), index, kind)

    def play(self, episode: Episode, index: int, kind: int) -> None:
        """Play an action that is in order."""
        episode.play(kind, index)

    def started(self) -> Start:
        """Return what the episode was started with; a refusal if there is none."""
        if self.start is None:
            raise RefusedError("EXECUTION_ERROR", "there is no episode yet")
        return self.start

    def score(self) -> float:
        """Return the grade so far."""
        episode = self.running()
        scoring, advanced = self.started().tier.scoring, episode.used_advanced_actions
        return score(scoring, episode.initial_count, episode.gate_count, advanced)

    def reward(self) -> Any:
        """Return the reward of the last action."""
        return self.running().reward

    def records(self) -> list[Any]:
        """Return the gates as an observation shows them."""
        return list(circuit_records(self.running()))

    def prompt(self) -> str:
        """Return the prompt."""
        return prompt(self.running(), self.started().tier.scoring)

    def seed(self) -> int | None:
        """Return the seed that is reported."""
        return self.started().seed

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of an observation."""
        episode, start = self.running(), self.started()
        return {
            "task": start.tier.name,
            "initial_count": episode.initial_count,
            "step": episode.steps,
            "seed": self.seed(),
            "used_advanced_actions": episode.used_advanced_actions,
            "action_result": episode.action_result.value,
            "termination": episode.termination and episode.termination.value,
            "score": self.score(),
            "par": episode.par,
            "game_version": GAME_VERSION,
            "legality": legality(episode) if start.hints else None,
        }

    def observation(self) -> dict[str, Any]:
        """Return the data of an observation."""
        episode = self.running()
        inner = {
            "circuit": self.records(),
            "gate_count": episode.gate_count,
            "num_qubits": episode.position.wired.num_qubits,
            "prompt": self.prompt(),
            "metadata": self.metadata(),
        }
        return {"observation": inner, "reward": self.reward(), "done": episode.done}

    def state(self) -> dict[str, Any]:
        """Return the public state."""
        episode, start = self.episode, self.start
        if episode is None or start is None:
            return dict.fromkeys(_STATE) | {"step_count": 0}
        values = (
            start.episode_id,
            episode.steps,
            start.tier.name,
            self.seed(),
            episode.gate_count,
            episode.initial_count,
            episode.used_advanced_actions,
            self.score(),
            GAME_VERSION,
        )
        return dict(zip(_STATE, values, strict=True))
