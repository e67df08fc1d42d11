"""Words that vanish completely when they are reduced well and strand gates when they are reduced at first
sight.

A word is a circuit on one wire over H, X, Z, or on one pair of wires over its two CNOTs c, d and its SWAP S.
The table `words.tsv` holds every word of up to 10 letters that can be reduced to nothing and that defeats
both cancel-first and identity-first. `python -m qrewrite.tasks.word_table` computes it again.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from random import Random
from typing import Final, NamedTuple

from qrewrite.circuits import Gate, TaskError

LETTERS: Final = {"wire": "HXZ", "pair": "cdS"}


class Word(NamedTuple):
    """One word of the table.

    Attributes:
        kind: `wire` or `pair`.
        letters: its gates, first one first.
        stranding: percent of the random reduction orders (each step uniform) that do not reach the empty
            word.
        left_by_cancel_first, left_by_identity_first: letters that these two policies leave.
    """

    kind: str
    letters: str
    stranding: int
    left_by_cancel_first: int
    left_by_identity_first: int

    @property
    def trap(self) -> int:
        """What reducing at first sight costs: stranding percent × letters left by both policies."""
        return self.stranding * (self.left_by_cancel_first + self.left_by_identity_first)


def gates_of(kind: str, letters: str, qubits: Sequence[int]) -> list[Gate]:
    """Return the word as gates on the given qubits: one for a wire, two for a pair."""
    if kind == "wire":
        alphabet = {letter: Gate(letter, qubits) for letter in LETTERS[kind]}
    else:
        alphabet = {
            "c": Gate("CNOT", qubits),
            "d": Gate("CNOT", qubits[::-1]),
            "S": Gate("SWAP", qubits),
        }
    return [alphabet[letter] for letter in letters]


@cache
def table(kind: str, length: int) -> tuple[Word, ...]:
    """Return the words of this kind and length; empty where none of that length defeats both policies."""
    return _read()[kind, length]


@cache
def _read() -> defaultdict[tuple[str, int], tuple[Word, ...]]:
    rows: defaultdict[tuple[str, int], list[Word]] = defaultdict(list)
    for line in (files(__package__) / "words.tsv").read_text("ascii").splitlines()[1:]:
        kind, letters, *numbers = line.split("\t")
        rows[kind, len(letters)].append(Word(kind, letters, *map(int, numbers)))
    return defaultdict(tuple, {key: tuple(words) for key, words in rows.items()})


@cache
def _weights(kind: str, length: int, strength: int) -> tuple[int, ...]:
    return tuple(accumulate(word.trap**strength for word in table(kind, length)))


def draw(kind: str, length: int, strength: int, rng: Random) -> str:
    """Draw a word of the table with probability proportional to trap ** strength.

    Weights are integers, so that the draw is the same on every platform.
    """
    weights = _weights(kind, length, strength)
    if not weights:
        raise TaskError(f"no word of kind {kind!r} and length {length} defeats both policies")
    mark = int(rng.random() * weights[-1])
    return next(
        word.letters for word, total in zip(table(kind, length), weights, strict=True) if mark < total
    )
