"""The solver against brute force over lists, which knows nothing of traces, parts or memories."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from random import Random

import pytest

from qrewrite.circuits import Circuit, Gate
from qrewrite.solver import reachable_without_swaps, solve
from qrewrite.solver.search import ExactSearch, normal_form
from support.circuits import alphabet, from_plain, plain, random_circuit
from support.naive_rules import REWARDS, legal_actions, may_swap, rewrite, share_qubit, triple_product
from support.naive_rules import Gate as PlainGate

Gates = tuple[PlainGate, ...]
Results = frozenset[tuple[int, int]]
"""What no other result beats: (gates left, identities used)."""

IDENTITIES = (3, 4)


def unbeaten(results: Iterable[tuple[int, int]]) -> Results:
    found = set(results)
    return frozenset(
        (left, used)
        for left, used in found
        if not any((a, b) != (left, used) and a <= left and b >= used for a, b in found)
    )


def swap_class(gates: Gates) -> set[Gates]:
    """All lists that legal swaps reach."""
    found, todo = {gates}, [gates]
    while todo:
        here = todo.pop()
        for index in range(len(here) - 1):
            if may_swap(list(here), index):
                there = (*here[:index], here[index + 1], here[index], *here[index + 2 :])
                if there not in found:
                    found.add(there)
                    todo.append(there)
    return found


def reduced_lists(gates: Gates) -> Iterator[tuple[Gates, int]]:
    """The lists that one legal reduction makes, and whether it is an identity."""
    for action_type, index in legal_actions(list(gates)):
        if action_type != 2:
            yield tuple(rewrite(list(gates), action_type, index)), action_type in IDENTITIES


class BruteForce:
    """Results of lists, each class of lists under swaps searched once."""

    def __init__(self) -> None:
        self._known: dict[Gates, Results] = {}

    def results(self, gates: Gates) -> Results:
        if gates not in self._known:
            members = swap_class(gates)
            found = {(len(gates), 0)}
            for member in members:
                for shorter, advanced in reduced_lists(member):
                    found |= {(left, used + advanced) for left, used in self.results(shorter)}
            self._known |= dict.fromkeys(members, unbeaten(found))
        return self._known[gates]


def front_of(search: ExactSearch, circuit: Circuit) -> Results:
    front, _ = search.front(circuit.gates)
    return frozenset((point.left, point.identities) for point in front)


class NumberedBruteForce:
    """The same brute force on lists of numbers, its rules looked up in tables that the naive rules fill."""

    def __init__(self, letters: Sequence[PlainGate]) -> None:
        numbers = range(len(letters))
        self._shares = [[share_qubit(letters[a], letters[b]) for b in numbers] for a in numbers]
        products = {
            triple: triple_product([letters[a] for a in triple]) for triple in product(numbers, repeat=3)
        }
        self._product = {triple: letters.index(gate) for triple, gate in products.items() if gate is not None}
        self._known: dict[tuple[int, ...], Results] = {}

    def swap_class(self, gates: tuple[int, ...]) -> set[tuple[int, ...]]:
        found, todo = {gates}, [gates]
        while todo:
            here = todo.pop()
            for index in range(len(here) - 1):
                if not self._shares[here[index]][here[index + 1]]:
                    there = (*here[:index], here[index + 1], here[index], *here[index + 2 :])
                    if there not in found:
                        found.add(there)
                        todo.append(there)
        return found

    def _reduced(self, gates: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
        for index, gate in enumerate(gates):
            for later in range(index + 1, len(gates)):
                if self._shares[gate][gates[later]]:
                    if gates[later] == gate:
                        yield (*gates[:index], *gates[index + 1 : later], *gates[later + 1 :]), 0
                    break
            single = self._product.get(gates[index : index + 3])
            if single is not None:
                yield (*gates[:index], single, *gates[index + 3 :]), 1

    def results(self, gates: tuple[int, ...]) -> Results:
        if gates not in self._known:
            members = self.swap_class(gates)
            found = {(len(gates), 0)}
            for member in members:
                for shorter, advanced in self._reduced(member):
                    found |= {(left, used + advanced) for left, used in self.results(shorter)}
            self._known |= dict.fromkeys(members, unbeaten(found))
        return self._known[gates]


@pytest.mark.parametrize("size", range(6))
def test_all_circuits_of_up_to_five_gates_on_two_qubits(size: int) -> None:
    letters = alphabet(2)
    brute = NumberedBruteForce([(gate.name, gate.qubits) for gate in letters])
    mirror = [letters.index(Gate(gate.name, [1 - qubit for qubit in gate.qubits])) for gate in letters]
    search = ExactSearch(10**6)
    seen: set[tuple[int, ...]] = set()
    for numbers in product(range(len(letters)), repeat=size):
        # What holds for a circuit holds for it with its two qubits exchanged.
        if numbers in seen or numbers > tuple(mirror[number] for number in numbers):
            continue
        circuit = Circuit.of(2, (letters[number] for number in numbers))
        assert front_of(search, circuit) == brute.results(numbers), circuit
        seen |= brute.swap_class(numbers)


def test_lists_that_swaps_turn_into_each_other_have_one_normal_form() -> None:
    rng = Random("normal form")
    for _ in range(300):
        circuit = random_circuit(rng, 3, 6)
        members = swap_class(tuple(plain(circuit)))
        assert len({normal_form(from_plain(member, 3).gates)[0] for member in members}) == 1


@pytest.mark.parametrize("names", ["HXZ", "HXYZ", ("CNOT", "SWAP"), ("H", "X", "CNOT", "SWAP"), None])
@pytest.mark.parametrize(("num_qubits", "size", "count"), [(2, 7, 100), (3, 6, 60), (3, 7, 20)])
def test_random_small_circuits(names: tuple[str, ...] | None, num_qubits: int, size: int, count: int) -> None:
    rng = Random(f"{names}/{num_qubits}/{size}")
    brute, search = BruteForce(), ExactSearch(10**6)
    letters = [gate for gate in alphabet(num_qubits) if names is None or gate.name in names]
    for _ in range(count):
        circuit = Circuit.of(num_qubits, rng.choices(letters, k=size))
        assert front_of(search, circuit) == brute.results(tuple(plain(circuit))), circuit


def test_words_that_trap_greedy_play_are_solved() -> None:
    search = ExactSearch(10**6)
    one_wire = {name: (name, (0,)) for name in "HXZ"}
    brute = BruteForce()
    for word in ("HHXHZ", "HHXHH", "HHZZXHZH", "HHHXHZXHZH"):
        gates = tuple(one_wire[name] for name in word)
        assert front_of(search, from_plain(gates, 1)) == brute.results(gates)


@cache
def best_return(gates: Gates) -> float:
    """Largest sum of rewards of any play: over each class, the fewest swaps to each reduction."""
    distance, frontier, best = {gates: 0}, [gates], 0.0
    while frontier:
        ahead = []
        for here in frontier:
            for action_type, index in legal_actions(list(here)):
                after = tuple(rewrite(list(here), action_type, index))
                if action_type != 2:
                    value = REWARDS[action_type] + REWARDS[2] * distance[here] + best_return(after)
                    best = max(best, value)
                elif after not in distance:
                    distance[after] = distance[here] + 1
                    ahead.append(after)
        frontier = ahead
    return best


def test_best_return_is_attained_and_never_above_what_play_can_reach() -> None:
    rng = Random("returns")
    short = 0
    for _ in range(200):
        names = rng.choice(["HXZ", ("CNOT", "SWAP"), ("H", "X", "CNOT", "SWAP")])
        letters = [gate for gate in alphabet(3) if gate.name in names]
        circuit = Circuit.of(3, rng.choices(letters, k=6))
        truth = best_return(tuple(plain(circuit)))
        known = solve(circuit).best_return
        assert known <= truth + 1e-9, circuit
        short += known < truth - 1e-9
    assert short == 0


def test_whether_swaps_are_needed() -> None:
    rng = Random("swapless")
    answers = set()
    for _ in range(300):
        letters = [gate for gate in alphabet(2) if gate.name in "HXZ"]
        circuit = Circuit.of(2, rng.choices(letters, k=8))
        left = solve(circuit).left
        found, todo = False, [tuple(plain(circuit))]
        while todo and not found:
            gates = todo.pop()
            found = len(gates) <= left
            todo += (shorter for shorter, _ in reduced_lists(gates))
        assert reachable_without_swaps(circuit, left) is found, circuit
        answers.add(found)
    assert answers == {True, False}


def test_a_circuit_larger_than_the_search_gets_an_honest_bound() -> None:
    rng = Random("large")
    for _ in range(20):
        circuit = random_circuit(rng, 2, 24)
        optimum = solve(circuit)
        assert optimum.proved
        hasty = solve(circuit, max_effort=1)
        assert hasty.bound <= optimum.left <= hasty.left
