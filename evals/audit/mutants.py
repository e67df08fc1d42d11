"""Games with one defect each: what the zoo shows to the probes.

What each overrides is documented where it is defined, in `LocalGame`.
"""

# ruff: noqa: D102

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.game import Episode, Termination
from qrewrite.rules import CANCEL, SWAP, ActionResult
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.subject import solved
from quantum_circuit_env.server.arguments import Start


class Capped(LocalGame):
    """Grades nothing above 0.5."""

    def score(self) -> float:
        return min(super().score(), 0.5)


class Generous(LocalGame):
    """Shows fewer gates than are left."""

    def records(self) -> list[Any]:
        episode = self.running()
        return super().records()[: 1 if episode.gate_count < episode.initial_count else None]


class Unsolvable(LocalGame):
    """Serves circuits in which nothing can be reduced."""

    def circuit(self, start: Start) -> Circuit:
        word = "; ".join("XYZ"[place % 3] + " 0" for place in range(start.tier.par or 20))
        return Circuit.parse(word, num_qubits=start.tier.num_qubits) if start.own is None else start.own


class Participation(LocalGame):
    """Grades taking part with 0.1."""

    def score(self) -> float:
        return max(0.1, super().score())


class EarlyGrade(LocalGame):
    """Has a grade before the first reset."""

    def state(self) -> dict[str, Any]:
        return super().state() if self.episode else {**super().state(), "score": 0.5}


class PaidSwaps(LocalGame):
    """Grades each swap."""

    def score(self) -> float:
        episode = self.running()
        return max(super().score(), 0.2) if episode.steps and not self.paid_for_gates() else super().score()

    def paid_for_gates(self) -> bool:
        """Return whether gates have been removed."""
        episode = self.running()
        return episode.gate_count < episode.initial_count


class RewardedSwaps(LocalGame):
    """Pays for swaps."""

    def reward(self) -> Any:
        return 0.05 if self.running().action_result is ActionResult.SWAPPED else super().reward()


class Lucky(LocalGame):
    """Grades by effort."""

    def score(self) -> float:
        return min(0.99, super().score() + self.running().steps / 20)


class Inverted(LocalGame):
    """Grades the share of gates that are left."""

    def score(self) -> float:
        episode = self.running()
        removed = super().score()
        return 1 - removed if episode.gate_count < episode.initial_count else removed


class Hasty(LocalGame):
    """Takes off some of the grade for each step."""

    def score(self) -> float:
        return max(0.01, super().score() - self.running().steps / 1000)


class PaidWaste(LocalGame):
    """Pays for what does nothing and charges for reductions."""

    def reward(self) -> Any:
        return -super().reward()


class WrongRewrite(LocalGame):
    """Shows the first gate as another one once something has been swapped."""

    def records(self) -> list[Any]:
        records = super().records()
        if records and self.running().action_result is ActionResult.SWAPPED:
            records[0] = {"name": "Y", "target_qubits": records[0]["target_qubits"][:1]}
        return records


class CostlyRefusal(LocalGame):
    """Moves gates about when an action is refused."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        before = episode.gate_count
        super().play(episode, index, kind)
        refused = episode.reward < SWAP.reward and episode.gate_count == before
        if refused and not episode.done:
            any(episode.position.play(SWAP, place) for place in range(before))


class Literal(LocalGame):
    """Compares symmetric gates as they were written."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        gates = episode.circuit().gates
        if kind == CANCEL.action_type and index < len(gates) and gates[index].name in ("CZ", "SWAP"):
            episode.steps += 1
            episode.action_result, episode.reward = CANCEL.refused, -0.1
        else:
            super().play(episode, index, kind)


class Endless(LocalGame):
    """Plays on after the end."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        ended, episode.termination = episode.termination, None
        super().play(episode, index, kind)
        episode.termination = episode.termination or ended


class Resigned(LocalGame):
    """Takes an episode for over when nothing cancels."""

    def _resign(self) -> None:
        episode = self.running()
        if all(rule is not CANCEL for rule, _ in episode.position.reductions()) and not episode.done:
            episode.termination = Termination.DEAD_END

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        self._resign()

    def play(self, episode: Episode, index: int, kind: int) -> None:
        super().play(episode, index, kind)
        self._resign()


class Credulous(LocalGame):
    """Believes what a client says of its grade."""

    claimed = 0.0

    def step(self, data: dict[str, Any]) -> None:
        super().step(data)
        self.claimed = float(data.get("metadata", {}).get("score", 0.0))

    def score(self) -> float:
        return max(super().score(), self.claimed)


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


class AnySeed(LocalGame):
    """Makes a seed of anything."""

    def read(self, frame: object) -> dict[str, Any]:
        text = frame if isinstance(frame, str) else ""
        if '"seed": ' in text and "NaN" not in text and "1e400" not in text:
            return {"type": "reset", "data": {"task": "easy", "seed": 1}}
        return super().read(frame)


class StaleSeed(LocalGame):
    """Reports the seed of an earlier reset when none is given."""

    reported: int | None = 0

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        if "seed" in data:
            self.reported = data["seed"]

    def seed(self) -> int | None:
        return self.reported


class Numbered(LocalGame):
    """Knows how many sessions there were before it."""

    sessions = count()

    def __init__(self) -> None:
        super().__init__()
        self.number = next(self.sessions)


class Salted(Numbered):
    """Serves each session other circuits."""

    def circuit(self, start: Start) -> Circuit:
        if start.own is not None or start.seed is None:
            return super().circuit(start)
        return generate(start.tier.name, start.seed + 1 + self.number)


class Noisy(Numbered):
    """Pays each session more than the one before."""

    def reward(self) -> Any:
        return super().reward() + self.number / 1000


class Leaking(LocalGame):
    """Shows a plan in the metadata."""

    def metadata(self) -> dict[str, Any]:
        return super().metadata() | {"plan": solved(self.running().circuit()).best.actions}


class Telling(LocalGame):
    """Tells in the prompt how a circuit was made."""

    def prompt(self) -> str:
        return super().prompt() + ("" if self.started().own else "\nIts pairs are at 3 and 7.")


class Silent(LocalGame):
    """Keeps to itself how it grades."""

    def prompt(self) -> str:
        return "\n".join(line for line in super().prompt().splitlines() if not line.startswith("Grade"))


_SHARED: Final = LocalGame()


class Common(LocalGame):
    """Has one episode for all sessions."""

    def answer(self, message: dict[str, Any]) -> Mapping[str, Any]:
        return _SHARED.answer(message)


class Lenient(LocalGame):
    """Plays the first gate when a message is not in order."""

    def ask(self, frame: object) -> Mapping[str, Any]:
        answer = super().ask(frame)
        if answer["type"] == "error" and self.episode is not None:
            return super().ask({"type": "step", "data": {"target_index": 0, "action_type": 1}})
        return answer


class NotANumber(LocalGame):
    """Pays NaN after a few steps."""

    def reward(self) -> Any:
        return float("nan") if self.running().steps > 3 else super().reward()


class Unexplained(LocalGame):
    """Calls every action cancelled."""

    def metadata(self) -> dict[str, Any]:
        return super().metadata() | {"action_result": "cancelled"}


class UpsideDown(LocalGame):
    """Serves the circuits of hard as easy, and those of easy as hard."""

    def circuit(self, start: Start) -> Circuit:
        if start.own is not None or start.seed is None:
            return super().circuit(start)
        names = tuple(TIERS)
        return generate(names[-1 - names.index(start.tier.name)], start.seed)


class Arbitrary(LocalGame):
    """Grades every play the same."""

    def score(self) -> float:
        return 0.5 if self.running().steps else super().score()
