"""What swaps can and cannot do, by searching everything that they reach (docs/theory.md, a and b)."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, product
from random import Random

import pytest

from qrewrite.circuits import Circuit
from qrewrite.game import Episode
from support import naive_rules, naive_traces
from support.circuits import alphabet, from_plain, plain, random_circuit
from support.naive_rules import Gate, Gates

Family = Callable[[], Iterator[Gates]]

H2, X2 = ("H", (2,)), ("X", (2,))
C, D, SWAP01 = ("CNOT", (0, 1)), ("CNOT", (1, 0)), ("SWAP", (0, 1))


def all_on_two_wires() -> Iterator[Gates]:
    """All circuits of up to 4 gates on 2 qubits."""
    letters = [(gate.name, gate.qubits) for gate in alphabet(2)]
    for size in range(5):
        yield from map(list, product(letters, repeat=size))


def all_of_triples_beside_a_wire() -> Iterator[Gates]:
    """All circuits of up to 6 gates in which CNOT triples and H·X·H stand on different wires."""
    letters: list[Gate] = [C, D, H2, X2]
    for size in range(7):
        yield from map(list, product(letters, repeat=size))


def samples_on_three_wires() -> Iterator[Gates]:
    """Random circuits of 5 gates on 3 qubits, and longer ones of few different gates."""
    rng = Random("three wires")
    for _ in range(2000):
        yield plain(random_circuit(rng, 3, 5))
    letters: list[Gate] = [C, D, SWAP01, H2, X2, ("Z", (2,)), ("CNOT", (1, 2))]
    for _ in range(300):
        yield rng.choices(letters, weights=[5, 4, 1, 5, 3, 1, 1], k=8)


families = pytest.mark.parametrize(
    "family",
    [all_on_two_wires, all_of_triples_beside_a_wire, samples_on_three_wires],
    ids=lambda family: family.__name__,
)


@cache
def classes(family: Family) -> list[tuple[list[Gates], list[naive_traces.Order]]]:
    """Each class of circuits that swaps turn into one another, once: its circuits, and their orders."""
    seen: set[tuple[Gate, ...]] = set()
    found = []
    for gates in family():
        if tuple(gates) not in seen:
            orders = list(naive_traces.swap_class(gates))
            members = [naive_traces.in_order(gates, order) for order in orders]
            seen.update(map(tuple, members))
            found.append((members, orders))
    return found


def width(gates: Gates) -> int:
    return 1 + max((max(qubits) for _, qubits in gates), default=1)


def done(gates: Gates) -> bool:
    return Episode(from_plain(gates, width(gates))).done


@families
def test_done_is_true_exactly_when_swaps_reach_no_reduction(family: Family) -> None:
    verdicts = set()
    for members, _ in classes(family):
        legal = chain.from_iterable(map(naive_rules.legal_actions, members))
        reachable = any(action_type != 2 for action_type, _ in legal)
        for gates in members:
            assert done(gates) == (not reachable)
        verdicts.add(reachable)
    assert verdicts == {True, False}


@families
def test_swaps_reach_exactly_the_circuits_with_the_same_wires(family: Family) -> None:
    """Circuits are determined up to swaps by the sequences of gates on their wires."""
    owner: dict[naive_traces.Trace, int] = {}
    for number, (members, _) in enumerate(classes(family)):
        for gates in members:
            assert owner.setdefault(naive_traces.trace(gates), number) == number


@families
def test_swaps_never_enable_or_disable_a_cancellation(family: Family) -> None:
    cancellable = 0
    for members, orders in classes(family):
        found = {
            frozenset(
                (order[index], order[naive_rules.next_sharing(gates, index) or 0])
                for index in range(len(gates))
                if naive_rules.may_cancel(gates, index)
            )
            for gates, order in zip(members, orders, strict=True)
        }
        assert len(found) == 1
        cancellable += len(found.pop())
    assert cancellable > 0


def gathered(gates: Gates, order: naive_traces.Order) -> Iterator[tuple[int, ...]]:
    """The triples, as indices into `gates`, that are list neighbours in this order."""
    listed = naive_traces.in_order(gates, order)
    for index in range(len(listed) - 2):
        if naive_rules.triple_product(listed[index : index + 3]) is not None:
            yield order[index : index + 3]


@families
def test_a_triple_is_gathered_in_as_many_swaps_as_it_has_foreign_gates_inside(family: Family) -> None:
    """Swaps can gather exactly the triples that are consecutive on their wires; the search is by levels."""
    swaps_needed = set()
    for gates in family():
        fewest: dict[tuple[int, ...], int] = {}
        for order, swaps in naive_traces.swap_class(gates).items():
            for triple in gathered(gates, order):
                fewest.setdefault(triple, swaps)
        assert fewest == {triple: triple[2] - triple[0] - 2 for triple in naive_traces.wire_triples(gates)}
        swaps_needed |= set(fewest.values())
    assert {0, 1} <= swaps_needed


def test_the_gathering_test_has_seen_triples_with_several_foreign_gates() -> None:
    foreign = {
        last - first - 2
        for gates in all_of_triples_beside_a_wire()
        for first, _, last in naive_traces.wire_triples(gates)
    }
    assert foreign == {0, 1, 2, 3}


@pytest.mark.parametrize("text", ["CNOT 0 1; H 2; CNOT 1 0; Z 2; CNOT 0 1", "H 0; Y 1; CNOT 1 2; X 0; H 0"])
def test_a_triple_apart_in_the_list_is_no_end_of_the_episode(text: str) -> None:
    episode = Episode(Circuit.parse(text, num_qubits=3))
    assert not episode.done
    assert not any(mask & 0b1101 for mask in episode.position.masks())
