"""One episode: what is paid, what is counted, how it ends and what is left alone."""

from itertools import product

import pytest

import support.profiles  # noqa: F401
from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Action, Episode, Termination
from qrewrite.rules import RULES


def episode_of(text: str, num_qubits: int = 3, par: int | None = None) -> Episode:
    return Episode(Circuit.parse(text, num_qubits=num_qubits), par=par)


def everything(episode: Episode) -> dict[str, object]:
    shown = {name: getattr(episode, name) for name in Episode.__slots__ if name != "position"}
    position = episode.position
    reductions = [(rule.action_type, index) for rule, index in position.reductions()]
    return shown | {"circuit": episode.circuit(), "masks": position.masks(), "reductions": reductions}


def test_a_new_episode_has_nothing_played() -> None:
    episode = episode_of("H 0; H 0; X 1", par=1)
    assert (episode.steps, episode.reward, episode.initial_count, episode.gate_count) == (0, 0.0, 3, 3)
    assert (episode.action_result, episode.termination, episode.done) == ("reset", None, False)
    assert not episode.used_advanced_actions
    assert episode.par == 1


@pytest.mark.parametrize(
    ("text", "action", "reward", "result", "left"),
    [
        ("H 0; X 1; H 0; Z 2", (1, 0), 1.0, "cancelled", "X 1; Z 2"),
        ("CZ 0 1; H 2; CZ 1 0; Z 2", (1, 0), 1.0, "cancelled", "H 2; Z 2"),
        ("H 0; X 1; H 0; Z 2", (2, 0), -0.05, "swapped", "X 1; H 0; H 0; Z 2"),
        ("Z 1; H 0; X 0; H 0", (3, 1), 2.0, "collapsed_hxh", "Z 1; Z 0"),
        ("CNOT 2 0; CNOT 0 2; CNOT 2 0; H 1", (4, 0), 2.0, "compressed_cnots", "SWAP 0 2; H 1"),
        ("H 0; H 0", (1, 2), -0.1, "invalid_index", "H 0; H 0"),
        ("H 0; H 0", (2, 10**30), -0.1, "invalid_index", "H 0; H 0"),
        ("H 0; H 0", (3, -2), -0.1, "invalid_index", "H 0; H 0"),
        ("H 0; H 0", (1, -2), -0.1, "invalid_index", "H 0; H 0"),
        ("H 0; H 0; X 0", (1, 2), -0.1, "not_cancellable", "H 0; H 0; X 0"),
        ("CNOT 0 1; CNOT 1 0; H 2; H 2", (1, 0), -0.1, "not_cancellable", "CNOT 0 1; CNOT 1 0; H 2; H 2"),
        ("CNOT 0 1; H 1; CNOT 0 1; H 2; H 2", (1, 0), -0.1, "not_cancellable", None),
        ("H 0; H 0; X 1", (2, 2), -0.1, "not_commuting", "H 0; H 0; X 1"),
        ("H 0; H 0", (2, 0), -0.1, "not_commuting", "H 0; H 0"),
        ("CNOT 0 1; X 1; X 1", (2, 0), -0.1, "not_commuting", None),
        ("H 0; X 1; X 0; H 0", (3, 0), -0.1, "no_hxh", "H 0; X 1; X 0; H 0"),
        ("H 0; X 0; H 1; H 1", (3, 0), -0.1, "no_hxh", None),
        ("X 1; H 0; X 0; H 0", (3, 2), -0.1, "no_hxh", None),
        ("CNOT 0 1; CNOT 1 0; H 2; CNOT 0 1", (4, 0), -0.1, "no_cnot_triple", None),
        ("CNOT 0 1; CNOT 0 1; CNOT 1 0", (4, 0), -0.1, "no_cnot_triple", None),
        ("CNOT 0 1; CNOT 1 2; CNOT 0 1; H 2; H 2", (4, 0), -0.1, "no_cnot_triple", None),
    ],
)
def test_an_action_is_paid_and_answered_as_the_table_says(
    text: str, action: tuple[int, int], reward: float, result: str, left: str | None
) -> None:
    episode = episode_of(text)
    assert episode.play(*action) == reward == episode.reward
    assert episode.action_result == result
    assert episode.steps == 1
    assert episode.circuit() == Circuit.parse(text if left is None else left, num_qubits=3)
    assert episode.used_advanced_actions == (result in ("collapsed_hxh", "compressed_cnots"))


def test_a_refused_action_changes_nothing_but_steps_reward_and_result() -> None:
    episode = episode_of("H 0; X 1; X 0; H 0; CNOT 1 2", par=2)
    before = everything(episode)
    refused = 0
    for action_type, index in product(RULES, range(7)):
        if index < 5 and episode.position.masks()[index] & RULES[action_type].bit:
            continue
        refused += 1
        episode.play(action_type, index)
        assert everything(episode) == before | {
            "steps": refused,
            "reward": -0.1,
            "action_result": episode.action_result,
        }
    assert refused > 20


@pytest.mark.parametrize(
    ("text", "par", "termination"),
    [
        ("", None, "optimized"),
        ("", 0, "optimized"),
        ("H 0; X 0", None, "optimized"),
        ("H 0; X 0", 2, "optimized"),
        ("H 0; X 0", 1, "dead_end"),
        ("H 0; X 0; X 1; H 0", 4, None),
        ("H 0; X 1; H 0", 9, None),
    ],
)
def test_a_circuit_in_which_nothing_can_be_reduced_is_done_at_once(
    text: str, par: int | None, termination: str | None
) -> None:
    episode = episode_of(text, par=par)
    assert episode.termination == termination
    assert episode.done == (termination is not None)
    assert (episode.action_result, episode.steps, episode.reward) == ("reset", 0, 0.0)


@pytest.mark.parametrize(("par", "termination"), [(None, "optimized"), (2, "optimized"), (1, "dead_end")])
def test_the_last_reduction_ends_the_episode(par: int | None, termination: str) -> None:
    episode = episode_of("H 0; X 1; X 0; H 0", par=par)
    for action in (Action(0, 2), Action(1, 3)):
        assert not episode.done
        episode.play(action.action_type, action.target_index)
    assert episode.termination == termination
    assert episode.reward == 2.0


def test_fewer_gates_than_par_are_optimized() -> None:
    episode = episode_of("H 0; H 0", par=1)
    episode.play(1, 0)
    assert (episode.gate_count, episode.termination) == (0, "optimized")


def test_step_150_is_the_last() -> None:
    episode = episode_of("H 0; H 0", par=0)
    for step in range(1, STEP_LIMIT + 1):
        assert not episode.done
        episode.play(2, 0)
        assert episode.steps == step
    assert (STEP_LIMIT, episode.termination) == (150, Termination.STEP_LIMIT)
    assert (episode.reward, episode.action_result) == (-0.1, "not_commuting")


@pytest.mark.parametrize(
    ("text", "par", "termination"),
    [
        ("H 0; H 0; X 1", 1, "optimized"),
        ("H 0; H 0; X 1", None, "optimized"),
        ("H 0; H 0; X 1", 0, "dead_end"),
        ("H 0; H 0; X 1; X 1", 0, "step_limit"),
    ],
)
def test_a_step_150_that_also_finishes_ends_as_finished(text: str, par: int | None, termination: str) -> None:
    episode = episode_of(text, par=par)
    for _ in range(STEP_LIMIT - 1):
        episode.play(2, 99)
    assert episode.play(1, 0) == 1.0
    assert (episode.steps, episode.termination) == (150, termination)


@pytest.mark.parametrize("text", ["H 0; H 0; X 1; X 1; X 1", "X 0; H 0"])
def test_actions_after_the_end_change_nothing(text: str) -> None:
    episode = episode_of(text, par=1)
    while not episode.done:
        rule, index = next(episode.position.reductions())
        episode.play(rule.action_type, index)
    before = everything(episode)
    for action_type, index in product(RULES, (0, 1, 10**9)):
        assert episode.play(action_type, index) == 0.0
        assert everything(episode) == before | {"reward": 0.0, "action_result": "episode_over"}


def test_the_flag_rises_with_the_first_identity_and_stays() -> None:
    episode = episode_of("Y 2; Y 2; H 0; X 0; H 0; Z 0")
    seen = []
    for action in ((3, 0), (4, 0), (3, 3), (1, 0), (2, 0), (3, 0), (3, 0), (1, 0)):
        episode.play(*action)
        seen.append(episode.used_advanced_actions)
    assert seen == [False] * 5 + [True] * 3
    assert (episode.gate_count, episode.termination) == (0, "optimized")


def test_the_starting_circuit_is_left_alone() -> None:
    circuit = Circuit.parse("H 0; H 0; X 0", num_qubits=1)
    first, second = Episode(circuit), Episode(circuit)
    first.play(1, 0)
    assert str(circuit) == "H 0\nH 0\nX 0"
    assert second.circuit() == circuit
    assert second.steps == 0
