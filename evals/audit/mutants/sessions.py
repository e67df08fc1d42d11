"""Games that believe their clients, break, or have more in common with each other than they should.

What each overrides is documented where it is defined, in `LocalGame`.
"""

# ruff: noqa: D102

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from quantum_circuit_env.evals.audit.local import LocalGame, RefusedError
from quantum_circuit_env.evals.audit.mutants.mutant import Mutant, played
from quantum_circuit_env.server.arguments import Start


class Credulous(LocalGame):
    """Believes what a client says of its grade."""

    claimed = 0.0

    def step(self, data: dict[str, Any]) -> None:
        super().step(data)
        self.claimed = float(data.get("metadata", {}).get("score", 0.0))

    def score(self) -> float:
        return max(super().score(), self.claimed)


class Boastful(LocalGame):
    """Lets a reset say how many gates there were."""

    claimed: int | None = None

    def check(self, data: dict[str, Any]) -> Start:
        self.claimed = data.pop("initial_count", None)
        return super().check(data)

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        if self.claimed is not None:
            self.running().initial_count = self.claimed


class Aliased(LocalGame):
    """Hands out its own list of gates, and reads it back."""

    def __init__(self) -> None:
        super().__init__()
        self._shared: list[dict[str, Any]] = []

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        self._shared = [dict(record) for record in super().records()]

    def records(self) -> list[Any]:
        return self._shared


class Cached(LocalGame):
    """Keeps what it shows of a task's first circuit for all sessions, and hands it out."""

    kept: ClassVar[dict[tuple[str, int | None], list[Any]]] = {}

    def records(self) -> list[Any]:
        if self.running().steps:
            return super().records()
        task = (self.started().tier.name, self.seed())
        return self.kept.setdefault(task, [dict(record) for record in super().records()])


_SHARED: Final = LocalGame()


class Common(LocalGame):
    """Has one episode for all sessions."""

    def answer(self, message: dict[str, Any]) -> Mapping[str, Any]:
        return _SHARED.answer(message)


class Marked(LocalGame):
    """Pays less once a session has broken off."""

    crashes: ClassVar[list[bool]] = []

    def crash(self) -> None:
        self.crashes.append(True)
        super().crash()

    def reward(self) -> Any:
        return super().reward() - len(self.crashes) / 100


class Lenient(LocalGame):
    """Plays the first gate when a message is not in order."""

    def ask(self, frame: object) -> Mapping[str, Any]:
        answer = super().ask(frame)
        if answer["type"] == "error" and self.episode is not None:
            return super().ask({"type": "step", "data": {"target_index": 0, "action_type": 1}})
        return answer


class Doubled(LocalGame):
    """Takes the last of keys that are written twice, as JSON's readers do."""

    def read(self, frame: object) -> dict[str, Any]:
        try:
            message = json.loads(frame) if isinstance(frame, str) else frame
        except (ValueError, RecursionError) as error:
            raise RefusedError("INVALID_JSON", str(error)) from None
        if not isinstance(message, dict):
            raise RefusedError("VALIDATION_ERROR", "a message is an object")
        return message


MUTANTS: Final = (
    Mutant("M1", "a grade that the client claims is believed", played(Credulous)),
    Mutant("M1", "a reset may say how many gates there were", played(Boastful)),
    Mutant("M3", "observations share their gates with the episode", played(Aliased)),
    Mutant("M3", "observations share their gates with other sessions", played(Cached)),
    Mutant("I1", "all sessions share one episode", played(Common)),
    Mutant("I1", "a session that breaks off changes the others' rewards", played(Marked)),
    Mutant("I2", "what is no message is played", played(Lenient)),
    Mutant("I2", "the last of two equal keys counts", played(Doubled)),
)
