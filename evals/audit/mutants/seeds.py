"""Games whose circuits, or what they say of them, are not the seed's.

What each overrides is documented where it is defined, in `LocalGame`.
"""

# ruff: noqa: D102

from itertools import count
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.rules import ActionResult
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.mutants.mutant import Mutant, played
from quantum_circuit_env.server.arguments import Start


class Unsolvable(LocalGame):
    """Serves circuits in which nothing can be reduced."""

    tiers = tuple(TIERS)

    def circuit(self, start: Start) -> Circuit:
        if start.own is not None or start.tier.name not in self.tiers:
            return super().circuit(start)
        word = "; ".join("XYZ"[place % 3] + " 0" for place in range(start.tier.par))
        return Circuit.parse(word, num_qubits=start.tier.num_qubits)


class UnsolvableMedium(Unsolvable):
    """Serves circuits of medium in which nothing can be reduced."""

    tiers = ("medium",)


class Seeded(LocalGame):
    """Serves the circuit of another seed, or of another tier."""

    def circuit(self, start: Start) -> Circuit:
        if start.own is not None or start.seed is None:
            return super().circuit(start)
        return generate(*self.instead(start.tier.name, start.seed))

    def instead(self, tier: str, seed: int) -> tuple[str, int]:
        """Return which task is served in the place of this one."""
        return tier, seed


class UpsideDown(Seeded):
    """Serves the circuits of hard as easy, and those of easy as hard."""

    def instead(self, tier: str, seed: int) -> tuple[str, int]:
        names = tuple(TIERS)
        return names[-1 - names.index(tier)], seed


class Shifted(Seeded):
    """Serves the circuits of the next seed, as another version of the generator might."""

    def instead(self, tier: str, seed: int) -> tuple[str, int]:
        return tier, seed ^ 1


class Folded(Seeded):
    """Keeps sixteen bits of a seed."""

    def instead(self, tier: str, seed: int) -> tuple[str, int]:
        return tier, seed % 2**16


class Numbered(LocalGame):
    """Knows how many sessions there were before it."""

    sessions = count()

    def __init__(self) -> None:
        super().__init__()
        self.number = next(self.sessions)


class Salted(Numbered, Seeded):
    """Serves each session other circuits."""

    def instead(self, tier: str, seed: int) -> tuple[str, int]:
        return tier, seed + 1 + self.number


class Noisy(Numbered):
    """Pays each session more than the one before."""

    def reward(self) -> Any:
        return super().reward() + self.number / 1000


class Counting(Numbered):
    """Tells in the prompt how many sessions there were."""

    def prompt(self) -> str:
        return f"{super().prompt()}\nThis is session {self.number}."


class Repriced(LocalGame):
    """Charges another price for swaps, as another version of the rules might."""

    def reward(self) -> Any:
        return -0.06 if self.running().action_result is ActionResult.SWAPPED else super().reward()


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


class WrongSeed(LocalGame):
    """Reports the seed that comes after a drawn one."""

    drawn = False

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        self.drawn = "seed" not in data

    def seed(self) -> int | None:
        seed = super().seed()
        return None if seed is None else seed ^ self.drawn


MUTANTS: Final = (
    Mutant("O3", "nothing can be removed from any circuit", played(Unsolvable)),
    Mutant("O3", "nothing can be removed from circuits of medium", played(UnsolvableMedium)),
    Mutant("D1", "circuits depend on the session", played(Salted)),
    Mutant("D1", "circuits are another seed's", played(Shifted)),
    Mutant("D1", "a swap has another price", played(Repriced)),
    Mutant("D2", "anything is a seed", played(AnySeed)),
    Mutant("D2", "sixteen bits of a seed count", played(Folded)),
    Mutant("D3", "a reset without a seed reports the last one", played(StaleSeed)),
    Mutant("D3", "the seed that is reported is not the one that was drawn", played(WrongSeed)),
    Mutant("D4", "rewards depend on the session", played(Noisy)),
    Mutant("D4", "prompts depend on the session", played(Counting)),
    Mutant("D6", "circuits are not those of the other Pythons", played(Shifted)),
    Mutant("D6", "rewards are not those of the other Pythons", played(Repriced)),
    Mutant("S1", "hard is easy and easy is hard", played(UpsideDown)),
)
