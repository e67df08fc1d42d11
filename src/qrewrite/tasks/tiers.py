"""The tiers: the only place with their numbers."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from qrewrite.circuits import TaskError
from qrewrite.game.scoring import Scoring

GAME_VERSION: Final = "1.0.0"
"""Version of circuits, rules, rewards and graders: raised when any of them changes, not for a refactoring."""

MAX_SEED: Final = 2**32 - 1
"""Largest seed; the smallest is 0."""

RANDOM: Final = "random"
"""Name that lets the seed choose the tier."""


@dataclass(frozen=True, slots=True)
class Tier:
    """A level of difficulty: the shape of its circuits and how they are graded.

    Attributes:
        num_qubits: wires of a circuit.
        pairs: inverse moves of two gates each by which a circuit has grown.
        noise: gates of the irreducible core.
        two_qubit_gates: names of the two-qubit gates that occur.
        scoring: how an episode is graded.
    """

    name: str
    num_qubits: int
    pairs: int
    noise: int
    two_qubit_gates: tuple[str, ...] = ()
    scoring: Scoring = field(default_factory=Scoring)

    @property
    def gate_count(self) -> int:
        """Gates at the start."""
        return self.noise + 2 * self.pairs

    @property
    def par(self) -> int:
        """Published bound on the gates that must remain: undoing the generator's moves reaches it."""
        return self.noise


TIERS: Final[dict[str, Tier]] = {
    tier.name: tier
    for tier in (
        Tier("easy", num_qubits=2, pairs=8, noise=4),
        Tier(
            "medium",
            num_qubits=4,
            pairs=12,
            noise=8,
            two_qubit_gates=("CNOT", "SWAP", "CZ"),
            scoring=Scoring(bonus=0.15),
        ),
        Tier(
            "hard",
            num_qubits=6,
            pairs=25,
            noise=20,
            two_qubit_gates=("CNOT", "SWAP", "CZ"),
            scoring=Scoring(gate=0.05),
        ),
    )
}


def check_seed(seed: object) -> int:
    """Return the seed, or raise a TaskError that says what is allowed."""
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise TaskError(f"seed must be an integer in 0..{MAX_SEED}, got {_shown(seed)}")
    return seed


def tier_of(task: object, seed: int) -> Tier:
    """Return the tier of that name; `random` lets the seed choose, each tier for a third of all seeds."""
    if task == RANDOM:
        # The seed picks through its own stream, so that a tier's circuits do not depend on how it was chosen.
        return tuple(TIERS.values())[int(Random(f"tier/{seed}").random() * len(TIERS))]
    if not isinstance(task, str) or task not in TIERS:
        raise TaskError(f"unknown task {_shown(task)}; the tasks are {', '.join(TIERS)} and {RANDOM}")
    return TIERS[task]


def _shown(value: object) -> str:
    """Return a value for an error message, cut so that a huge one stays one line."""
    text = f"{value!r}" if not isinstance(value, int) or abs(value) < 10**20 else "a larger number"
    return text if len(text) <= 60 else f"{text[:60]}…"
