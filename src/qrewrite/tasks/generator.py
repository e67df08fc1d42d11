"""Circuits by inverse rewriting: an irreducible core grows by moves that the rules can undo.

Each move adds two gates, so undoing all of them is a solution and the size of the core a bound on the
optimum. Only `random()` of one `random.Random` is drawn from, the method whose sequence Python promises to
keep.
"""

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Final, TypeVar

from qrewrite.circuits import GATES, Circuit, Gate, TaskError
from qrewrite.game.position import Position
from qrewrite.tasks.tiers import MAX_SEED, TIERS, Dials, Gadget, Tier, check_seed, tier_of
from qrewrite.tasks.words import LETTERS, draw, gates_of

_T = TypeVar("_T")
_PATIENCE: Final = 500
"""Cores that are drawn, about, before the dials are held to ask for what there is not."""
_ONE_QUBIT: Final = tuple(name for name, spec in GATES.items() if spec.arity == 1)


def generate(task: str, seed: int) -> Circuit:
    """Return the circuit of (task, seed); TaskError for an unknown task or a seed outside 0..MAX_SEED."""
    tier = tier_of(task, check_seed(seed))
    # Streams of different tiers start from different numbers, so equal seeds do not give related circuits.
    stream = (1 + list(TIERS).index(tier.name)) * (MAX_SEED + 1) + seed
    return grow(tier, Random(stream))


def grow(tier: Tier, rng: Random) -> Circuit:
    """Return a circuit of the tier, which may have dials of the caller's own.

    TaskError for a gadget that no word fits, and for a core that could not be drawn.
    """
    growth = _Growth(tier, rng)
    dials = tier.dials
    for name, count in dials.expansions:
        for _ in range(count):
            growth.expand_core(name)
    for _ in range(tier.pairs - dials.moves):
        growth.insert_pair()
    for gadget in dials.gadgets:
        growth.insert_gadget(gadget)
    return Circuit.of(tier.num_qubits, _linear_extension(growth.gates, dials.splitting, rng))


class _Growth:
    """A circuit that grows: its gates, and for each the number of the move that brought it (0: core)."""

    def __init__(self, tier: Tier, rng: Random) -> None:
        self._tier, self._dials, self._rng = tier, tier.dials, rng
        self.gates = _core(tier, tier.dials, rng)
        self._moves = [0] * len(self.gates)
        self._count = 0

    def expand_core(self, name: str) -> None:
        """Replace a gate of the core by the three gates that an identity makes it of."""
        places = [
            place for place, gate in enumerate(self.gates) if gate.name == name and not self._moves[place]
        ]
        place = _pick(places, self._rng)
        qubits = self.gates[place].qubits
        if len(qubits) == 2 and self._rng.random() < 0.5:
            qubits = qubits[::-1]
        del self.gates[place], self._moves[place]
        self._insert(place, _triple(qubits))

    def insert_pair(self) -> None:
        """Insert two equal gates."""
        gate = _any_gate(self._tier, self._dials, self._rng)
        self._insert(self._place(gate.qubits), [gate, gate])

    def insert_gadget(self, gadget: Gadget) -> None:
        """Insert a word that vanishes."""
        qubits = _qubits(2 if gadget.kind == "pair" else 1, self._tier, self._rng)
        if gadget.strength:
            letters = draw(gadget.kind, gadget.length, gadget.strength, self._rng)
            gates = gates_of(gadget.kind, letters, qubits)
        else:
            gates = _vanishing(gadget, qubits, self._rng)
        self._insert(self._place(qubits), gates)

    def _insert(self, place: int, gates: list[Gate]) -> None:
        self._count += 1
        self.gates[place:place] = gates
        self._moves[place:place] = [self._count] * len(gates)

    def _place(self, qubits: Sequence[int]) -> int:
        """Return where to insert gates on these qubits: amid an earlier move that they block, or anywhere."""
        if self._rng.random() < self._dials.nesting:
            gaps = self._gaps(qubits)
            if gaps:
                low, high = _pick(gaps, self._rng)
                return low + 1 + _below(high - low, self._rng)
        return _below(len(self.gates) + 1, self._rng)

    def _gaps(self, qubits: Sequence[int]) -> list[tuple[int, int]]:
        """Return the places of neighbours that the same move brought, both of them on some of these qubits.

        The outer quarters of a move's neighbours are left out: near its ends, little of it would be blocked.
        """
        brought: dict[int, list[int]] = {}
        for place, (gate, move) in enumerate(zip(self.gates, self._moves, strict=True)):
            if move and not set(qubits).isdisjoint(gate.qubits):
                brought.setdefault(move, []).append(place)
        gaps = []
        for places in brought.values():
            between = list(pairwise(places))
            outer = len(between) // 4
            gaps += between[outer : len(between) - outer]
        return gaps


def _core(tier: Tier, dials: Dials, rng: Random) -> list[Gate]:
    """Return `noise` random gates in which nothing can be reduced, with enough gates to expand among them."""
    gates: list[Gate] = []
    for _ in range(_PATIENCE * (1 + tier.noise)):
        names = [gate.name for gate in gates]
        if len(gates) < tier.noise:
            longer = [*gates, _any_gate(tier, dials, rng)]
            if not Position(Circuit.of(tier.num_qubits, longer)).reducible:
                gates = longer
        elif all(names.count(name) >= count for name, count in dials.expansions):
            return gates
        else:
            gates = []
    wanted = ", ".join(f"{count} {name}" for name, count in dials.expansions) or "no gate in particular"
    raise TaskError(
        f"{tier.name}: no irreducible core of {tier.noise} gates with {wanted} to expand was found"
    )


def _any_gate(tier: Tier, dials: Dials, rng: Random) -> Gate:
    names = _ONE_QUBIT
    if rng.random() < dials.two_qubit_share:
        names = tier.two_qubit_gates
    name = _pick(names, rng)
    return Gate(name, _qubits(GATES[name].arity, tier, rng))


def _qubits(arity: int, tier: Tier, rng: Random) -> tuple[int, ...]:
    """Return one qubit or two distinct ones, in any order, each choice equally likely."""
    first = _below(tier.num_qubits, rng)
    if arity == 1:
        return (first,)
    return first, (first + 1 + _below(tier.num_qubits - 1, rng)) % tier.num_qubits


def _triple(qubits: Sequence[int]) -> list[Gate]:
    """Return the three gates that an identity makes the Z or the SWAP on these qubits of."""
    kind, letters = ("wire", "HXH") if len(qubits) == 1 else ("pair", "cdc")
    return gates_of(kind, letters, qubits)


def _vanishing(gadget: Gadget, qubits: Sequence[int], rng: Random) -> list[Gate]:
    """Return a word grown by random inverse moves, three in four of them expansions where possible."""
    word: list[Gate] = []
    while len(word) < gadget.length:
        products = [place for place, gate in enumerate(word) if gate.name in ("Z", "SWAP")]
        if products and rng.random() < 0.75:
            place = _pick(products, rng)
            word[place : place + 1] = _triple(qubits)
        else:
            place = _below(len(word) + 1, rng)
            word[place:place] = 2 * gates_of(gadget.kind, _pick(LETTERS[gadget.kind], rng), qubits)
    return word


def _linear_extension(gates: Sequence[Gate], splitting: float, rng: Random) -> list[Gate]:
    """Return the gates in another order that swaps alone can reach.

    With probability `splitting`, the next gate is one that shares no qubit with the last one, if there is
    one: that keeps triples apart. Otherwise any gate that may come next does.
    """
    followers: list[list[int]] = [[] for _ in gates]
    waiting = [0] * len(gates)
    last: dict[int, int] = {}
    for node, gate in enumerate(gates):
        for qubit in gate.qubits:
            if qubit in last:
                followers[last[qubit]].append(node)
                waiting[node] += 1
            last[qubit] = node
    ready = [node for node in range(len(gates)) if not waiting[node]]
    order: list[Gate] = []
    while ready:
        elsewhere = [node for node in ready if not gates[node].mask & order[-1].mask] if order else []
        split = rng.random() < splitting
        node = _pick(elsewhere if split and elsewhere else ready, rng)
        ready.remove(node)
        order.append(gates[node])
        for follower in followers[node]:
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)
    return order


def _below(bound: int, rng: Random) -> int:
    """Return a uniform integer in 0..bound-1."""
    return int(rng.random() * bound)


def _pick(items: Sequence[_T], rng: Random) -> _T:
    return items[_below(len(items), rng)]
