"""The frozen table of optima: whole, of the circuits that there are, and what the solver says."""

from collections import Counter
from random import Random

import pytest

from qrewrite.circuits import TaskError
from qrewrite.game import STEP_LIMIT, Episode
from qrewrite.tasks import SPLITS, TIERS, generate, tier_of
from quantum_circuit_env.evals import optima
from quantum_circuit_env.evals.optima import best_known, rows, solved, table, tasks
from quantum_circuit_env.evals.oracle import best_plan
from quantum_circuit_env.server.graders import score

SAMPLE = [
    (tier, seed)
    for tier in TIERS
    for seed in Random(tier).sample([seed for name, seed in tasks() if name == tier], 5)
]


def test_the_table_holds_each_task_of_its_splits_once() -> None:
    assert list(table()) == list(tasks())
    assert Counter(tier for tier, _ in table()) == dict.fromkeys(TIERS, 400)


def test_the_table_fits_the_circuits() -> None:
    for (tier, seed), known in table().items():
        assert known.initial == len(generate(tier, seed)) == TIERS[tier].gate_count
        assert 0 <= known.left <= TIERS[tier].par < known.initial
        assert (known.initial - known.left) % 2 == 0


def test_each_optimum_of_the_table_is_proved() -> None:
    assert {(known.proved, known.method) for known in table().values()} == {(True, "exact")}


@pytest.mark.parametrize("bonus", [False, True])
def test_the_best_score_is_at_least_what_the_optimum_earns_and_at_most_with_the_bonus(bonus: bool) -> None:
    for (tier, _), known in table().items():
        reached = score(TIERS[tier].scoring, known.initial, known.left, bonus)
        assert known.best_score <= reached if bonus else known.best_score >= reached


@pytest.mark.parametrize(("tier", "seed"), SAMPLE)
def test_the_solver_says_the_same(tier: str, seed: int) -> None:
    assert table()[tier, seed] == solved(tier, seed)


@pytest.mark.parametrize(("tier", "seed"), SAMPLE[::5])
def test_the_best_score_can_be_played(tier: str, seed: int) -> None:
    circuit = generate(tier, seed)
    episode = Episode(circuit, par=TIERS[tier].par)
    for action in best_plan(tier, circuit)[0].actions:
        episode.play(action.action_type, action.target_index)
    grade = score(
        TIERS[tier].scoring, episode.initial_count, episode.gate_count, episode.used_advanced_actions
    )
    assert episode.steps <= STEP_LIMIT
    assert grade == best_known(tier, seed).best_score


def test_a_row_is_what_the_command_writes() -> None:
    first = next(tasks())
    assert list(rows([first])) == optima._text().splitlines()[:2]


def test_tasks_of_the_table_are_not_solved_and_others_are_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def counted(tier: str, seed: int) -> optima.Optimum:
        asked.append((tier, seed))
        return solved(tier, seed)

    optima._solved.cache_clear()
    monkeypatch.setattr(optima, "solved", counted)
    best_known("easy", SPLITS["test"].first)
    assert asked == []
    assert best_known("easy", 42) == best_known("easy", 42)
    assert asked == [("easy", 42)]


def test_random_is_the_tier_that_the_seed_chooses() -> None:
    seed = SPLITS["test"].first
    assert best_known("random", seed) == best_known(tier_of("random", seed).name, seed)


@pytest.mark.parametrize(("tier", "seed"), [("extreme", 1), ("easy", -1), ("easy", True), ("hard", 2**32)])
def test_there_is_no_optimum_of_what_is_no_task(tier: str, seed: int) -> None:
    with pytest.raises(TaskError):
        best_known(tier, seed)
