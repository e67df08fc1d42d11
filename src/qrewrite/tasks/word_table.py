"""Computes the table of words that trap greedy play.

python -m qrewrite.tasks.word_table > src/qrewrite/tasks/words.tsv
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Final

from qrewrite.circuits import Circuit
from qrewrite.game.position import Position
from qrewrite.rules import IDENTITIES, Rule
from qrewrite.tasks.words import LETTERS, Word, gates_of

MAX_LENGTH: Final = 10


def vanishing(kind: str) -> Iterator[set[str]]:
    """Yield the words of 2, 4, … letters that can be reduced to nothing, grown by inverse reductions."""
    triples = _triples(kind)
    words = {""}
    while True:
        grown = {
            word[:i] + 2 * x + word[i:] for word in words for i in range(len(word) + 1) for x in LETTERS[kind]
        }
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
    gates = {
        letter: gates_of(kind, letter, (0,) if kind == "wire" else (0, 1))[0] for letter in LETTERS[kind]
    }
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


def compute(kind: str, words: set[str]) -> Iterator[Word]:
    """Yield those words that defeat both policies, in alphabetical order."""
    appraisal = _Appraisal(kind)
    for letters in sorted(words):
        left = appraisal.left(letters, advanced_first=False), appraisal.left(letters, advanced_first=True)
        if all(left):
            yield Word(kind, letters, round(100 * appraisal.stranding(letters)), *left)


def main() -> None:
    """Print the table."""
    print("kind", "letters", "stranding", "cancel_first", "identity_first", sep="\t")  # noqa: T201
    for kind in LETTERS:
        for words in islice(vanishing(kind), MAX_LENGTH // 2):
            for word in compute(kind, words):
                print(*word, sep="\t")  # noqa: T201


if __name__ == "__main__":
    main()
