"""The tiers: the only place with their numbers."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from qrewrite.circuits import GATES, MAX_GATES, MAX_QUBITS, TaskError
from qrewrite.circuits.errors import shown
from qrewrite.game.scoring import Scoring
from qrewrite.tasks.words import LETTERS

GAME_VERSION: Final = "1.0.0"
"""Version of circuits, rules, rewards and graders: raised when any of them changes, not for a refactoring."""

MAX_SEED: Final = 2**32 - 1
"""Largest seed; the smallest is 0."""

RANDOM: Final = "random"
"""Name that lets the seed choose the tier."""


MAX_STRENGTH: Final = 16
"""Largest strength of a gadget; the words of the greatest trap are all but certain long before."""

_EXPANDABLE: Final = ("Z", "SWAP")


def _integer(what: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise TaskError(f"{what} must be an integer in {low}..{high}, got {shown(value)}")


def _probability(what: str, value: object) -> None:
    if type(value) not in (int, float) or not 0 <= value <= 1:  # type: ignore[operator]
        raise TaskError(f"{what} must be a number in 0..1, got {shown(value)}")


@dataclass(frozen=True, slots=True)
class Gadget:
    """A word that vanishes completely when it is reduced well; TaskError for any other.

    Attributes:
        kind: `wire` for a word over H, X, Z on one wire, `pair` for one over CNOTs and SWAP on two.
        length: number of its gates, even; with a strength, one that the table of words has (else `grow`
            raises).
        strength: 0 for any word of that length; above, a word that defeats both cancel-first and
            identity-first, drawn with probability proportional to its trap to the power of `strength`.
    """

    kind: str
    length: int
    strength: int = 0

    def __post_init__(self) -> None:
        if self.kind not in LETTERS:
            raise TaskError(f"a gadget's kind must be one of {', '.join(LETTERS)}, got {shown(self.kind)}")
        _integer("a gadget's length", self.length, 2, MAX_GATES)
        if self.length % 2:
            raise TaskError(f"a gadget's length must be even, got {self.length}")
        _integer("a gadget's strength", self.strength, 0, MAX_STRENGTH)


@dataclass(frozen=True, slots=True)
class Dials:
    """How deep the generated circuits of a tier are; TaskError for values outside their ranges.

    Attributes:
        expansions: for Z and SWAP, each named at most once, how many gates of the core are expanded into
            their triple.
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

    def __post_init__(self) -> None:
        names = [name for name, _ in self.expansions]
        if not set(names) <= set(_EXPANDABLE) or len(set(names)) < len(names):
            allowed = " and ".join(_EXPANDABLE)
            raise TaskError(f"expansions must name {allowed}, each once at most, got {shown(names)}")
        for name, count in self.expansions:
            _integer(f"expansions of {name}", count, 0, MAX_GATES)
        for dial in ("nesting", "splitting", "two_qubit_share"):
            _probability(dial, getattr(self, dial))

    @property
    def moves(self) -> int:
        """Inverse moves that expansions and gadgets take."""
        return sum(count for _, count in self.expansions) + sum(gadget.length // 2 for gadget in self.gadgets)


@dataclass(frozen=True, slots=True)
class Tier:
    """A level of difficulty: the shape of its circuits and how they are graded; TaskError if it has none.

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

    def __post_init__(self) -> None:
        names = self.two_qubit_gates
        if any(name not in GATES or GATES[name].arity != 2 for name in names):
            raise TaskError(f"{self.name}: two_qubit_gates must name such gates, got {shown(names)}")
        paired = self.dials.two_qubit_share > 0 or any(gadget.kind == "pair" for gadget in self.dials.gadgets)
        _integer("num_qubits", self.num_qubits, 2 if paired else 1, MAX_QUBITS)
        _integer("noise", self.noise, 0, MAX_GATES)
        _integer("pairs", self.pairs, 0, (MAX_GATES - self.noise) // 2)
        if self.dials.two_qubit_share and not names:
            raise TaskError(f"{self.name}: a share of two-qubit gates needs two_qubit_gates to draw from")
        if self.dials.moves > self.pairs:
            raise TaskError(
                f"the dials of {self.name} take {self.dials.moves} moves; its circuits grow by {self.pairs}"
            )

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
    """Return the tier of that name; `random` lets the seed choose, each tier for a third of all seeds.

    TaskError for an unknown task, and for a seed outside 0..MAX_SEED where it has to choose.
    """
    if task == RANDOM:
        # A stream of its own: the circuit of (tier, seed) does not depend on how the tier was chosen.
        return tuple(TIERS.values())[int(Random(check_seed(seed)).random() * len(TIERS))]
    if not isinstance(task, str) or task not in TIERS:
        raise TaskError(f"unknown task {shown(task)}; the tasks are {', '.join(TIERS)} and {RANDOM}")
    return TIERS[task]
