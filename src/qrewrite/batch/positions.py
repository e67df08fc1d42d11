"""Circuits under rewriting, many at once, with what is legal on each."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from qrewrite.batch.blocks import reduced, with_exchanged
from qrewrite.batch.codes import Array, Codes, codes_for
from qrewrite.batch.matchers import Block, list_matches, wire_matches
from qrewrite.circuits import Circuit
from qrewrite.rules import CANCEL, RULES

_MARGIN: Final = 2
"""Empty places before and after each list, so that the window around any gate is inside the array."""
_CHUNK: Final = 800_000
"""Gates times qubits that are matched at a time, which bounds the memory for it; more is no faster."""


def _legality_words() -> Array:
    """Return for each mask of legal actions its four truth values side by side, as one 32-bit number."""
    masks = np.arange(1 << len(RULES), dtype=np.uint8)
    values = np.stack([(masks & rule.bit) != 0 for rule in RULES.values()], axis=1)
    return np.ascontiguousarray(values).view(np.uint32).ravel()


_WORDS: Final = _legality_words()


class Positions:
    """A number of circuits as arrays of gate codes, with their legal actions kept up to date.

    Attributes:
        codes: what the gate codes mean.
        capacity: most gates that a circuit of these can have.
        counts: gates of each circuit, shape (circuits,), int16.
        reducible: whether some rule that shortens it can be applied, at once or after swaps, (circuits,).
        num_qubits: wires of each circuit, shape (circuits,), uint8.
    """

    def __init__(self, circuits: int, *, num_qubits: int, capacity: int) -> None:
        self.codes: Final[Codes] = codes_for(num_qubits)
        self.capacity: Final = capacity
        self._width: Final = capacity + 2 * _MARGIN
        self.counts: Final[Array] = np.zeros(circuits, np.int16)
        self.reducible: Final[Array] = np.zeros(circuits, np.bool_)
        self.num_qubits: Final[Array] = np.full(circuits, num_qubits, np.uint8)
        self._lists: Final[Array] = np.full((circuits, self._width), self.codes.none, self.codes.dtype)
        self._words: Final[Array] = np.zeros((circuits, self._width), np.uint32)

    @classmethod
    def of(cls, circuits: Sequence[Circuit]) -> "Positions":
        """Return the positions of at least one circuit."""
        num_qubits = max(circuit.num_qubits for circuit in circuits)
        made = cls(len(circuits), num_qubits=num_qubits, capacity=max(1, *map(len, circuits)))
        for row, circuit in enumerate(circuits):
            made._lists[row, _MARGIN : _MARGIN + len(circuit)] = made.codes.encode(circuit)
        made.counts[:] = [len(circuit) for circuit in circuits]
        made.num_qubits[:] = [circuit.num_qubits for circuit in circuits]
        for rows in made._chunks(np.arange(len(circuits))):
            made._match(rows, np.ascontiguousarray(made._lists[rows].T))
        return made

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def lists(self) -> Array:
        """Code of each gate, shape (circuits, capacity), `codes.none` behind the last; a read-only view."""
        return _read_only(self._lists[:, _MARGIN:-_MARGIN])

    @property
    def legal(self) -> Array:
        """Whether action type t+1 is legal on gate i, at [circuit, i, t]; a read-only view.

        Shape (circuits, capacity, 4), bool; it follows all later changes.
        """
        words = self._words[:, _MARGIN:-_MARGIN]
        values = words.view(np.bool_).reshape(len(self), self.capacity, len(RULES))
        return _read_only(values)

    def circuit(self, row: int) -> Circuit:
        """Return one of the circuits as a value."""
        return self.codes.decode(self.lists[row, : self.counts[row]], int(self.num_qubits[row]))

    def is_legal(self, indices: Array, action_types: Array) -> Array:
        """Say for each circuit whether an action is legal on it; the indices must be in 0..capacity-1."""
        return self._values().take(len(RULES) * self._places(slice(None), indices) + action_types - 1)

    def copy(self, rows: Array, source: "Positions", picks: Array) -> None:
        """Put circuits of another value of the same shape, `picks`, in the place of those at `rows`."""
        for mine, theirs in (
            (self._lists, source._lists),
            (self._words, source._words),
            (self.counts, source.counts),
            (self.reducible, source.reducible),
            (self.num_qubits, source.num_qubits),
        ):
            mine[rows] = theirs[picks]

    def exchange(self, rows: Array, indices: Array) -> None:
        """Exchange the gates at `indices` and behind them, where that is legal."""
        # Lists and words change from two places before the gates on; to match there, two more are looked at.
        window = self._places(rows, indices) + np.arange(-_MARGIN, 2 + _MARGIN)[:, None]
        changed = window[:-2]
        block = with_exchanged(self._lists.ravel().take(window))
        cancels = with_exchanged(self._values().take(len(RULES) * changed + CANCEL.action_type - 1))
        bits = list_matches(Block.of(block, self.codes), self.codes)
        bits |= cancels.view(np.uint8) * np.uint8(CANCEL.bit)
        self._lists.ravel()[window[2:4]] = block[2:4]
        self._words.ravel()[changed] = _WORDS.take(bits)

    def reduce(self, rows: Array, indices: Array, action_types: Array) -> None:
        """Apply rules that remove two gates at `indices`, where that is legal."""
        for chosen in self._chunks(np.arange(len(rows))):
            block = np.ascontiguousarray(self._lists[rows[chosen]].T)
            block = reduced(block, indices[chosen] + _MARGIN, action_types[chosen], self.codes)
            self.counts[rows[chosen]] -= 2
            self._lists[rows[chosen]] = block.T
            self._match(rows[chosen], block)

    def _match(self, rows: Array, block: Array) -> None:
        """Ask all matchers about the circuits at `rows`, whose lists are the columns of `block`."""
        looked_up = Block.of(block, self.codes)
        bits, reducible = wire_matches(looked_up.places(_MARGIN, -_MARGIN), self.codes)
        bits |= list_matches(looked_up.places(_MARGIN, None), self.codes)
        self.reducible[rows] = reducible
        words = np.zeros((len(rows), self._width), np.uint32)
        words[:, _MARGIN:-_MARGIN] = _WORDS.take(bits.T)
        self._words[rows] = words

    def _chunks(self, rows: Array) -> list[Array]:
        size = max(1, _CHUNK // (self._width * self.codes.num_qubits))
        return [rows[start : start + size] for start in range(0, len(rows), size)]

    def _places(self, rows: Any, indices: Array) -> Array:
        """Return where in the flat arrays the gates at `indices` of some circuits are."""
        places: Array = np.arange(len(self))[rows] * self._width + _MARGIN + indices
        return places

    def _values(self) -> Array:
        """Truth values of legality, flat: four a place."""
        values: Array = self._words.view(np.bool_).ravel()
        return values


def _read_only(view: Array) -> Array:
    view.flags.writeable = False
    return view
