"""The table of words that trap greedy play, computed again on plain strings."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from qrewrite.circuits import Circuit, same_action
from qrewrite.tasks.word_table import compute, vanishing
from qrewrite.tasks.words import LETTERS, Word, gates_of, table

TRIPLES = {"wire": {"HXH": "Z"}, "pair": {"cdc": "S", "dcd": "S"}}
LENGTHS = (2, 4, 6, 8, 10)
QUBITS = {"wire": (1,), "pair": (0, 1)}


def shorter(kind: str, word: str) -> Iterator[tuple[bool, str]]:
    for index in range(len(word) - 1):
        if word[index] == word[index + 1]:
            yield False, word[:index] + word[index + 2 :]
        elif word[index : index + 3] in TRIPLES[kind]:
            yield True, word[:index] + TRIPLES[kind][word[index : index + 3]] + word[index + 3 :]


def appraiser(kind: str) -> Callable[[str], Word]:
    @cache
    def stranding(word: str) -> float:
        found = list(shorter(kind, word))
        if not found:
            return float(bool(word))
        return sum(stranding(left) for _, left in found) / len(found)

    def left(word: str, first: bool) -> int:
        while found := sorted(shorter(kind, word), key=lambda step: step[0] != first):
            word = found[0][1]
        return len(word)

    return lambda word: Word(kind, word, round(100 * stranding(word)), left(word, False), left(word, True))


@cache
def words(kind: str, length: int) -> frozenset[str]:
    """All words of that length that some order reduces to nothing, by undoing a reduction in every way."""
    if not length:
        return frozenset({""})
    found = set()
    for word in words(kind, length - 2):
        for index in range(len(word) + 1):
            found |= {word[:index] + 2 * letter + word[index:] for letter in LETTERS[kind]}
            found |= {
                word[:index] + triple + word[index + 1 :]
                for triple, product in TRIPLES[kind].items()
                if word[index : index + 1] == product
            }
    return frozenset(found)


@pytest.mark.parametrize("kind", LETTERS)
@pytest.mark.parametrize("length", LENGTHS)
def test_the_table_holds_every_word_that_defeats_both_policies(kind: str, length: int) -> None:
    appraise = appraiser(kind)
    rows = (appraise(word) for word in sorted(words(kind, length)))
    assert table(kind, length) == tuple(
        row for row in rows if row.left_by_cancel_first and row.left_by_identity_first
    )


@pytest.mark.parametrize("kind", LETTERS)
def test_the_command_computes_the_table(kind: str) -> None:
    for length, found in zip(LENGTHS[:4], vanishing(kind), strict=False):
        assert tuple(compute(kind, found)) == table(kind, length)


@pytest.mark.parametrize("kind", LETTERS)
def test_every_word_acts_as_the_identity(kind: str) -> None:
    nothing = Circuit(2, ())
    rows = [row for length in LENGTHS for row in table(kind, length)]
    assert len(rows) > 100
    for row in rows:
        assert same_action(Circuit.of(2, gates_of(kind, row.letters, QUBITS[kind])), nothing), row
