"""The tiers: the only place with their numbers."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from qrewrite.circuits.errors import TaskError, shown
from qrewrite.game.scoring import Scoring

GAME_VERSION: Final = "1.0.0"
"""Version of circuits, rules, rewards and graders: raised when any of them changes, not for a refactoring."""

MAX_SEED: Final = 2**32 - 1
"""Largest seed; the smallest is 0."""

RANDOM: Final = "random"
"""Name that lets the seed choose the tier."""


@dataclass(frozen=True, slots=True)
class Gadget:
    """A word that vanishes completely when it is reduced well.

    Attributes:
        kind: `wire` for a word over H, X, Z on one wire, `pair` for one over CNOTs and SWAP on two.
        length: number of its gates, even, at most 10.
        strength: 0 for any word of that length; above, a word that defeats both cancel-first and
            identity-first, drawn with probability proportional to its trap to the power of `strength`.
    """

    kind: str
    length: int
    strength: int = 0


@dataclass(frozen=True, slots=True)
class Dials:
    """How deep the generated circuits of a tier are.

    Attributes:
        expansions: for Z and SWAP, how many gates of the core are expanded into their triple.
        gadgets: the words to insert, in this order.
        nesting: probability that a gadget or pair goes inside one that is there already, where it blocks it.
        splitting: probability with which each next gate of the final list is taken from other wires than the
            last one, so that triples are apart and have to be brought together by swaps.
        two_qubit_share: share of two-qubit gates in the core and among the plain pairs.
    """

    expansions: tuple[tuple[str, int], ...]
    gadgets: tuple[Gadget, ...]
    nesting: float
    splitting: float
    two_qubit_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Tier:
    """A level of difficulty: the shape of its circuits and how they are graded.

    Attributes:
        num_qubits: wires of a circuit.
        pairs: inverse moves of two gates each by which a circuit has grown; those that the dials do not use
            insert plain pairs of equal gates.
        noise: gates of the irreducible core.
        dials: how deep its circuits are.
        two_qubit_gates: names of the two-qubit gates that occur.
        scoring: how an episode is graded.
    """

    name: str
    num_qubits: int
    pairs: int
    noise: int
    dials: Dials
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


_ENTANGLING: Final = ("CNOT", "SWAP", "CZ")

TIERS: Final[dict[str, Tier]] = {
    tier.name: tier
    for tier in (
        Tier(
            "easy",
            num_qubits=2,
            pairs=8,
            noise=4,
            dials=Dials(
                expansions=(("Z", 1),),
                gadgets=(Gadget("wire", 6), Gadget("wire", 6)),
                nesting=0.8,
                splitting=1.0,
            ),
        ),
        Tier(
            "medium",
            num_qubits=4,
            pairs=12,
            noise=8,
            dials=Dials(
                expansions=(("Z", 1), ("SWAP", 1)),
                gadgets=(Gadget("pair", 8, 2), Gadget("wire", 10, 2)),
                nesting=0.75,
                splitting=1.0,
                two_qubit_share=0.5,
            ),
            two_qubit_gates=_ENTANGLING,
            scoring=Scoring(bonus=0.15),
        ),
        Tier(
            "hard",
            num_qubits=6,
            pairs=25,
            noise=20,
            dials=Dials(
                expansions=(("Z", 1), ("SWAP", 1)),
                gadgets=(
                    Gadget("pair", 10, 4),
                    Gadget("pair", 10, 4),
                    Gadget("wire", 10, 4),
                    Gadget("pair", 8, 2),
                    Gadget("pair", 8, 2),
                ),
                nesting=1.0,
                splitting=1.0,
                two_qubit_share=0.6,
            ),
            two_qubit_gates=_ENTANGLING,
            scoring=Scoring(gate=0.05),
        ),
    )
}


def check_seed(seed: object) -> int:
    """Return the seed, or raise a TaskError that says what is allowed."""
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise TaskError(f"seed must be an integer in 0..{MAX_SEED}, got {shown(seed)}")
    return seed


def tier_of(task: object, seed: int) -> Tier:
    """Return the tier of that name; `random` lets the seed choose, each tier for a third of all seeds."""
    if task == RANDOM:
        # A stream of its own: the circuit of (tier, seed) does not depend on how the tier was chosen.
        return tuple(TIERS.values())[int(Random(seed).random() * len(TIERS))]
    if not isinstance(task, str) or task not in TIERS:
        raise TaskError(f"unknown task {shown(task)}; the tasks are {', '.join(TIERS)} and {RANDOM}")
    return TIERS[task]
