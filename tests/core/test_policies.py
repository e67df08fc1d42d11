"""Policies against what their names promise, on the rules as plain lists have them."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given

from qrewrite.circuits import Circuit
from qrewrite.game import Action, Episode, Position
from qrewrite.game.gather import actions_for, swaps_needed
from qrewrite.policies import (
    Policy,
    beam_search,
    best_of,
    best_order,
    cancel_first,
    identity_first,
    optimal,
    play,
    random_legal,
    random_order,
    uniform,
)
from qrewrite.solver import solve
from qrewrite.tasks import TIERS, generate
from support.circuits import circuits, plain
from support.naive_rules import legal_actions, masks

DETERMINED: dict[str, Policy] = {
    "cancel-first": cancel_first,
    "identity-first": identity_first,
    "optimal": optimal,
    "beam": beam_search(4),
}
ALL = DETERMINED | {
    "best order": best_order(3),
    "random order": random_order,
    "random legal": random_legal,
    "uniform": uniform,
}


def answer(policy: Policy, text: str, *, qubits: int = 3, seed: int = 0) -> tuple[Action, ...]:
    return policy(Position(Circuit.parse(text, num_qubits=qubits)), Random(seed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X 0; Y 1; Y 1; X 0", [(0, 1)]),  # the lowest index of two
        ("H 0; X 0; H 0; Z 1; Z 1", [(3, 1)]),  # cancellations come before triples
        ("H 0; X 0; Z 1; H 0; CNOT 1 2; CNOT 2 1; CNOT 1 2", [(4, 4)]),  # no swap rather than one
        ("H 0; H 1; X 0; X 1; H 0; H 1", [(0, 2), (3, 2), (1, 3)]),  # the lower of two that need two swaps
        ("X 0; Y 0", []),
    ],
)
def test_cancel_first(text: str, expected: list[tuple[int, int]]) -> None:
    assert list(answer(cancel_first, text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X 1; X 1; H 0; X 0; H 0", [(2, 3)]),
        ("X 1; X 1; Y 0", [(0, 1)]),
        ("H 0; X 0; Z 1; H 0; Z 1", [(2, 2), (0, 3)]),
    ],
)
def test_identity_first(text: str, expected: list[tuple[int, int]]) -> None:
    assert list(answer(identity_first, text)) == expected


@given(circuits())
def test_all_actions_but_the_uniform_ones_are_legal_and_carry_out_one_reduction(circuit: Circuit) -> None:
    for rule, index in Position(circuit).reductions():
        episode = Episode(circuit)
        actions = actions_for(episode.position, rule, index)
        assert len(actions) == 1 + swaps_needed(episode.position, rule, index)
        for action in actions:
            assert (action.action_type, action.target_index) in set(legal_actions(plain(episode.circuit())))
            episode.play(action.action_type, action.target_index)
        assert episode.gate_count == len(circuit) - 2


@given(circuits())
def test_random_legal_draws_from_all_legal_actions(circuit: Circuit) -> None:
    legal = {Action(index, action_type) for action_type, index in legal_actions(plain(circuit))}
    rng = Random(1)
    drawn = {action for _ in range(20 * len(legal) + 1) for action in random_legal(Position(circuit), rng)}
    assert drawn <= legal
    assert len(drawn) > len(legal) / 2 or not legal


def test_random_legal_is_uniform() -> None:
    position = Position(Circuit.parse("X 0; X 1; X 0; X 1", num_qubits=2))
    legal = sum(mask.bit_count() for mask in masks(plain(position.wired.circuit())))
    rng, draws = Random(2), 5_000
    counts = Counter(random_legal(position, rng)[0] for _ in range(draws))
    assert len(counts) == legal == 5
    # Five standard deviations of a binomial share of 1/5.
    assert all(abs(count - draws / 5) < 5 * (draws * 0.2 * 0.8) ** 0.5 for count in counts.values())


def test_uniform_draws_index_and_type_legal_or_not() -> None:
    position, rng = Position(Circuit.parse("X 0; Y 0", num_qubits=1)), Random(3)
    drawn = {uniform(position, rng)[0] for _ in range(400)}
    assert drawn == {Action(index, action_type) for index in (0, 1) for action_type in (1, 2, 3, 4)}


def test_random_order_reaches_every_reduction() -> None:
    position = Position(Circuit.parse("H 0; H 0; X 0; H 0; CNOT 1 2; CNOT 1 2", num_qubits=3))
    rng = Random(4)
    drawn = {random_order(position, rng)[-1] for _ in range(200)}
    assert drawn == {Action(0, 1), Action(1, 3), Action(4, 1)}


@pytest.mark.parametrize("task", TIERS)
@pytest.mark.parametrize("name", ALL)
def test_a_play_ends_and_repeats(task: str, name: str) -> None:
    circuit = generate(task, 5)
    plays = []
    for _ in range(2):
        episode = Episode(circuit, par=TIERS[task].par)
        plays.append(play(episode, ALL[name], Random(6)))
        assert episode.done
        assert episode.steps == len(plays[-1])
    assert plays[0] == plays[1]


@pytest.mark.parametrize("name", ALL)
def test_a_finished_circuit_is_left_alone(name: str) -> None:
    episode = Episode(Circuit.parse("X 0; Y 0", num_qubits=1))
    assert play(episode, ALL[name], Random(0)) == []


def test_a_play_stops_after_its_steps() -> None:
    episode = Episode(generate("hard", 1))
    assert len(play(episode, random_legal, Random(0), max_steps=7)) == episode.steps == 7


def test_best_of_keeps_the_shortest_play() -> None:
    circuit, rng = generate("medium", 3), Random(7)
    singles = [best_of(1, circuit, random_order, rng).gate_count for _ in range(10)]
    assert best_of(10, circuit, random_order, Random(7)).gate_count == min(singles)


def test_samples_of_one_circuit_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []

    def counting(circuit: Circuit) -> object:
        solved.append(circuit)
        return solve(circuit)

    monkeypatch.setattr("qrewrite.policies.lookahead.solve", counting)
    position = Position(generate("easy", 4_000_000_001))
    plans = {optimal(position, Random(sample)) for sample in range(5)}
    assert len(plans) == len(solved) == 1


@pytest.mark.parametrize("task", TIERS)
def test_optimal_reaches_the_optimum_and_the_beam_never_beats_it(task: str) -> None:
    for seed in range(5):
        circuit = generate(task, seed)
        optimum = solve(circuit).left
        lefts = {}
        for name in ("optimal", "beam", "cancel-first"):
            episode = Episode(circuit)
            play(episode, ALL[name], Random(0))
            lefts[name] = episode.gate_count
        assert lefts["optimal"] == optimum <= min(lefts.values())
