"""Whether the order of reductions matters, by trying every order (docs/theory.md, c to e)."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from qrewrite.game import Episode
from support import naive_traces
from support.circuits import alphabet, from_plain, plain, random_circuit
from support.naive_rules import Gate

ONE_WIRE: dict[str, Gate] = {name: (name, (0,)) for name in "HXYZ"}
ONE_PAIR: dict[str, Gate] = {"c": ("CNOT", (0, 1)), "d": ("CNOT", (1, 0)), "S": ("SWAP", (0, 1))}
CANCEL_ONLY = (1,)


def spell(word: str, letters: dict[str, Gate]) -> tuple[Gate, ...]:
    return tuple(letters[letter] for letter in word)


def words(letters: dict[str, Gate], *lengths: int) -> Iterator[str]:
    for length in lengths:
        yield from map("".join, product(letters, repeat=length))


def small_circuits() -> Iterator[tuple[Gate, ...]]:
    """All circuits of up to 4 gates on 2 qubits."""
    letters = [(gate.name, gate.qubits) for gate in alphabet(2)]
    for size in range(5):
        yield from product(letters, repeat=size)


def test_every_order_of_cancelling_ends_in_the_same_circuit() -> None:
    rng = Random("confluence")
    drawn = [tuple(plain(random_circuit(rng, rng.randint(1, 3), 12))) for _ in range(300)]
    repeated = [tuple(rng.choices(plain(random_circuit(rng, 3, 3)), k=10)) for _ in range(300)]
    one_wire = [spell(word, ONE_WIRE) for word in words(ONE_WIRE, *range(8))]
    for gates in (*small_circuits(), *one_wire, *drawn, *repeated):
        assert len(naive_traces.ends(gates, CANCEL_ONLY)) == 1


def test_every_reduction_removes_two_gates() -> None:
    for gates in small_circuits():
        for action_type, first in naive_traces.reductions(list(gates)):
            assert len(naive_traces.reduced(list(gates), action_type, first)) == len(gates) - 2


def ambiguous(letters: dict[str, Gate], *lengths: int) -> set[str]:
    """Words that different orders of all reductions bring to different ends."""
    return {word for word in words(letters, *lengths) if len(naive_traces.ends(spell(word, letters))) > 1}


def test_the_smallest_words_in_which_the_order_matters() -> None:
    assert ambiguous(ONE_WIRE, 0, 1, 2, 3, 4) == {"HHXH", "HXHH"}
    assert ambiguous(ONE_PAIR, 0, 1, 2, 3, 4) == {"ccdc", "cdcc", "ddcd", "dcdd", "cdcd", "dcdc"}


def test_no_other_circuit_of_up_to_four_gates_on_two_wires_has_an_order_that_matters() -> None:
    found = {gates for gates in small_circuits() if len(naive_traces.ends(gates)) > 1}
    on_pair = {spell(word, ONE_PAIR) for word in ("ccdc", "cdcc", "ddcd", "dcdd", "cdcd", "dcdc")}
    on_wires = {tuple((name, (wire,)) for name in word) for word in ("HHXH", "HXHH") for wire in (0, 1)}
    assert found == on_pair | on_wires


def uneven(letters: dict[str, Gate], *lengths: int) -> set[str]:
    """Words that different orders of all reductions bring to different numbers of gates."""
    spelt = ((word, spell(word, letters)) for word in words(letters, *lengths))
    return {word for word, gates in spelt if len(naive_traces.best_returns(gates)) > 1}


def test_the_smallest_words_in_which_the_number_of_gates_left_depends_on_the_order() -> None:
    assert uneven(ONE_WIRE, 0, 1, 2, 3, 4) == uneven(ONE_PAIR, 0, 1, 2, 3, 4) == set()
    assert uneven(ONE_WIRE, 5) == {"HHXHH", "HHXHZ", "HXHHX", "XHHXH", "ZHXHH"}
    pair = uneven(ONE_PAIR, 5)
    assert "cdcdS" in pair
    assert len(pair) == 18


def test_return_and_score_disagree_on_no_shorter_word_than_these() -> None:
    """Words whose best return is not had where the fewest gates are left."""
    disagree = {}
    for word in words(ONE_PAIR, *range(10)):
        best = naive_traces.best_returns(spell(word, ONE_PAIR))
        if best[min(best)] < max(best.values()):
            disagree[word] = best
    assert set(disagree) == {"cddcdSccS", "dccdcSddS", "SccSdcddc", "SddScdccd"}
    assert all(best == {1: 4, 3: 5} for best in disagree.values())


@pytest.mark.parametrize(
    ("actions", "paid", "left"),
    [
        (((1, 1), (1, 0), (1, 2), (1, 1)), 4.0, "d"),
        (((4, 2), (1, 2), (4, 0)), 5.0, "ScS"),
    ],
)
def test_the_two_ends_of_the_word_on_which_they_disagree(
    actions: tuple[tuple[int, int], ...], paid: float, left: str
) -> None:
    episode = Episode(from_plain(spell("cddcdSccS", ONE_PAIR), 2), par=1)
    assert sum(episode.play(*action) for action in actions) == paid
    assert tuple(plain(episode.circuit())) == spell(left, ONE_PAIR)
    assert episode.termination == ("optimized" if len(left) == 1 else "dead_end")
