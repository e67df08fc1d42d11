"""Words that vanish completely when they are reduced well and strand gates when they are reduced at first sight.

A word is a circuit on one wire over H, X, Z, or on one pair of wires over its two CNOTs c, d and its SWAP S. The
table `words.tsv` holds every word of up to 10 letters that can be reduced to nothing and that defeats both
cancel-first and identity-first. `python -m qrewrite.tasks.words` computes it again.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import accumulate
from random import Random
from typing import Final, NamedTuple

from qrewrite.circuits import Circuit, Gate
from qrewrite.game.position import Position
from qrewrite.rules import IDENTITIES, Rule

MAX_LENGTH: Final = 10
LETTERS: Final = {"wire": "HXZ", "pair": "cdS"}


class Word(NamedTuple):
    """One word of the table.

    Attributes:
        kind: `wire` or `pair`.
        letters: its gates, first one first.
        stranding: percent of the random reduction orders (each step uniform) that do not reach the empty word.
        left_by_cancel_first, left_by_identity_first: letters that these two policies leave.
    """

    kind: str
    letters: str
    stranding: int
    left_by_cancel_first: int
    left_by_identity_first: int

    @property
    def trap(self) -> int:
        """How much the word costs who reduces at first sight: stranding percent × letters left by both policies."""
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
    """Return the table's words of this kind and length; empty where no word of that length defeats both policies."""
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
        raise ValueError(f"no word of kind {kind!r} and length {length} defeats both policies")
    mark = int(rng.random() * weights[-1])
    return next(word.letters for word, total in zip(table(kind, length), weights, strict=True) if mark < total)


def vanishing(kind: str) -> Iterator[set[str]]:
    """Yield the words of 2, 4, … letters that can be reduced to nothing, grown by inverse reductions."""
    triples = _triples(kind)
    words = {""}
    while True:
        grown = {word[:i] + 2 * x + word[i:] for word in words for i in range(len(word) + 1) for x in LETTERS[kind]}
        for triple, product in triples.items():
            grown |= {
                word[:i] + triple + word[i + 1 :]
                for word in words
                for i, letter in enumerate(word)
                if letter == product
            }
        words = grown
        yield words


def _triples(kind: str) -> dict[str, str]:
    """Return the words of three letters that an identity makes one letter, with that letter."""
    gates = {letter: gates_of(kind, letter, (0,) if kind == "wire" else (0, 1))[0] for letter in LETTERS[kind]}
    letters = {gate: letter for letter, gate in gates.items()}
    return {
        f"{outer}{letters[identity.middle]}{outer}": letters[identity.product]
        for outer, gate in gates.items()
        if (identity := IDENTITIES[gate]) is not None
    }


class _Appraisal:
    """What becomes of the words of one kind, as the game's own rules have it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.qubits = (0,) if kind == "wire" else (0, 1)
        names = {gate: letter for letter in LETTERS[kind] for gate in gates_of(kind, letter, self.qubits)}
        self._letter = names.__getitem__
        self._known: dict[str, list[tuple[Rule, str]]] = {}
        self._stranding: dict[str, Fraction] = {"": Fraction(0)}

    def successors(self, letters: str) -> list[tuple[Rule, str]]:
        """Return the possible reductions by ascending index, each with what it leaves."""
        if letters not in self._known:
            gates = gates_of(self.kind, letters, self.qubits)
            circuit = Circuit.of(2, gates)
            found = []
            for rule, index in Position(circuit).reductions():
                position = Position(circuit)
                position.play(rule, index)
                found.append((rule, "".join(map(self._letter, position.wired.listed()))))
            self._known[letters] = found
        return self._known[letters]

    def stranding(self, letters: str) -> Fraction:
        """Return the probability that a random order does not reach the empty word."""
        if letters not in self._stranding:
            found = self.successors(letters)
            total = sum((self.stranding(left) for _, left in found), Fraction(0))
            self._stranding[letters] = total / len(found) if found else Fraction(1)
        return self._stranding[letters]

    def left(self, letters: str, *, advanced_first: bool) -> int:
        """Return how many letters are left by the policy that prefers identities, or cancellations."""
        while found := self.successors(letters):
            letters = min(found, key=lambda step: step[0].advanced != advanced_first)[1]
        return len(letters)


def compute(kind: str, length: int, words: set[str]) -> Iterator[Word]:
    """Yield those words that defeat both policies, in alphabetical order."""
    appraisal = _Appraisal(kind)
    for letters in sorted(words):
        left = appraisal.left(letters, advanced_first=False), appraisal.left(letters, advanced_first=True)
        if all(left) and len(letters) == length:
            yield Word(kind, letters, round(100 * appraisal.stranding(letters)), *left)


def main() -> None:
    """Print the table."""
    print("kind", "letters", "stranding", "cancel_first", "identity_first", sep="\t")  # noqa: T201
    for kind in LETTERS:
        for length, words in zip(range(2, MAX_LENGTH + 1, 2), vanishing(kind), strict=False):
            for word in compute(kind, length, words):
                print(*word, sep="\t")  # noqa: T201


if __name__ == "__main__":
    main()
