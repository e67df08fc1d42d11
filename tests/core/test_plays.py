"""Random plays over every tier and over drawn circuits: exact at every step, and no loop that pays."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import Circuit, same_action
from qrewrite.game import Episode
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS, generate
from support.circuits import circuits, grown_circuit
from support.lockstep import Lockstep
from support.unitary import same_unitary

circuit_of = cache(generate)
every_task = pytest.mark.parametrize("task", TIERS)


@given(circuit=circuits(max_qubits=5, max_words=10), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_no_play_changes_what_the_circuit_does(circuit: Circuit, seed: int) -> None:
    rng, game = Random(seed), Lockstep(circuit)
    while not game.episode.done and game.episode.steps < 40:
        before = game.episode.circuit()
        if game.play(*game.random_action(rng)):
            assert same_action(before, game.episode.circuit())
            assert same_unitary(before, game.episode.circuit())


@every_task
@given(seed=st.integers(0, 2**32 - 1), choices=st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_no_play_of_a_task_changes_what_its_circuit_does(task: str, seed: int, choices: int) -> None:
    start = generate(task, seed)
    rng, game = Random(choices), Lockstep(start, par=TIERS[task].par)
    while not game.episode.done:
        if game.play(*game.random_action(rng)):
            assert same_action(start, game.episode.circuit())
    assert same_unitary(start, game.episode.circuit())


def legal_play(episode: Episode, rng: Random, *, reductions: float) -> None:
    """Play to the end: with this probability a reduction if one is legal, else any legal action."""
    while not episode.done:
        masks = episode.position.masks()
        legal = [(t, i) for i, mask in enumerate(masks) for t, rule in RULES.items() if mask & rule.bit]
        shortening = [action for action in legal if action[0] != 2]
        pool = shortening if shortening and rng.random() < reductions else legal
        episode.play(*rng.choice(pool))


@every_task
@pytest.mark.parametrize("reductions", [0.0, 0.3, 0.9])
def test_hundreds_of_legal_plays_of_each_task_end_in_a_circuit_that_does_the_same(
    task: str, reductions: float
) -> None:
    rng = Random(f"{task}/{reductions}")
    for seed in range(60):
        start = circuit_of(task, seed)
        episode = Episode(start, par=TIERS[task].par)
        legal_play(episode, rng, reductions=reductions)
        assert same_action(start, episode.circuit())
        assert seed % 10 or same_unitary(start, episode.circuit())
        assert episode.done


def test_thousands_of_legal_plays_of_small_circuits_end_in_a_circuit_that_does_the_same() -> None:
    rng, shortened = Random("small plays"), 0
    for _ in range(2000):
        start = grown_circuit(rng, rng.randint(1, 4), rng.randint(2, 8))
        episode = Episode(start)
        legal_play(episode, rng, reductions=0.5)
        assert same_action(start, episode.circuit())
        assert same_unitary(start, episode.circuit())
        shortened += episode.gate_count < len(start)
    assert shortened > 1500


@given(circuit=circuits(max_words=10), seed=st.integers(0, 2**32 - 1))
def test_a_return_is_at_most_one_for_each_removed_gate(circuit: Circuit, seed: int) -> None:
    rng, game = Random(seed), Lockstep(circuit)
    while not game.episode.done and game.episode.steps < 60:
        game.play(*game.random_action(rng))
        removed = len(circuit) - game.episode.gate_count
        assert round(sum(game.rewards), 6) <= removed
        assert removed % 2 == 0


@given(circuit=circuits(max_words=10), seed=st.integers(0, 2**32 - 1))
def test_every_loop_costs(circuit: Circuit, seed: int) -> None:
    """Between two times that a play shows the same circuit, every single action has a negative reward."""
    rng, episode = Random(seed), Episode(circuit)
    last_seen = {circuit: 0}
    rewards: list[float] = []
    loops = 0
    while not episode.done:
        rewards.append(episode.play(rng.choice((1, 2, 2, 2, 3, 4)), rng.randrange(episode.gate_count + 1)))
        now = episode.circuit()
        if now in last_seen:
            loops += 1
            assert max(rewards[last_seen[now] :]) < 0
        last_seen[now] = len(rewards)
    assert loops or episode.steps < 150
