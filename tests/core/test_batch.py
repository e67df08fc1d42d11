"""Batched episodes: the same game as one episode at a time, whatever is played and on whatever circuit."""

from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest

from qrewrite.batch import TERMINATIONS, Episodes, Positions, Starts, generated
from qrewrite.circuits import Circuit, GameError
from qrewrite.game import STEP_LIMIT, Episode
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.server import graders
from support.batch_lockstep import BatchLockstep, any_action, assert_same_position, legal_action
from support.circuits import alphabet, grown_circuit, random_circuit

SEEDS = range(100)
POLICIES = {
    "any action": any_action,
    "any legal action": legal_action,
    "reductions": partial(legal_action, reductions_only=True),
}


@pytest.mark.parametrize("task", TIERS)
@pytest.mark.parametrize("policy", POLICIES)
def test_every_step_is_the_one_of_the_scalar_game(task: str, policy: str) -> None:
    rng, size = np.random.default_rng(5), 80
    auto = (task, policy) != ("medium", "any legal action")
    grade = partial(graders.score, TIERS[task].scoring)
    episodes = Episodes(generated(task, SEEDS), size, rng, autoreset=auto, grade=grade)
    circuits = [generate(task, seed) for seed in SEEDS]
    both = BatchLockstep(episodes, circuits, TIERS[task].par, auto)
    for turn in range(STEP_LIMIT + 10):
        step = both.step(*POLICIES[policy](episodes, rng), look_at=slice(turn % 16, None, 16))
        facts = zip(step.gate_count.tolist(), step.used_advanced_actions.tolist(), strict=True)
        assert step.score is not None
        initial = TIERS[task].gate_count
        assert step.score.tolist() == [grade(initial, count, used) for count, used in facts]
    assert sum(both.ended.values()) >= size
    if not auto:
        assert (episodes.termination != 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_circuits_of_all_sizes_and_widths_are_played_beside_each_other(seed: int) -> None:
    draw, rng = Random(seed), np.random.default_rng(seed)
    circuits = [grown_circuit(draw, draw.randint(2, 5), draw.randint(0, 8)) for _ in range(40)]
    circuits += [random_circuit(draw, draw.randint(1, 7), draw.randint(0, 40)) for _ in range(40)]
    par = draw.choice([None, 0, 3])
    episodes = Episodes(Starts(circuits, par=par), 60, rng)
    both = BatchLockstep(episodes, circuits, par, auto=True)
    for _ in range(60):
        both.step(*(any_action if draw.random() < 0.2 else legal_action)(episodes, rng))
    assert sum(both.ended.values()) > 60


def test_all_short_circuits_are_matched_as_the_rules_match_them() -> None:
    words = [word for length in range(4) for word in product(alphabet(2), repeat=length)]
    circuits = [Circuit.of(2, word) for word in words]
    episodes = Episodes(Starts(circuits), len(circuits), np.random.default_rng(0))
    episodes.reset(starts=range(len(circuits)))
    for row, circuit in enumerate(circuits):
        assert_same_position(episodes, row, Episode(circuit))


@pytest.mark.parametrize(("num_qubits", "size"), [(8, 300), (9, 70), (16, 260), (33, 500), (64, 1000)])
def test_large_circuits_need_larger_numbers(num_qubits: int, size: int) -> None:
    rng = np.random.default_rng(2)
    circuits = [grown_circuit(Random(seed), num_qubits, size // 3) for seed in range(3)]
    assert max(map(len, circuits)) > size / 2
    episodes = Episodes(Starts(circuits), 4, rng)
    both = BatchLockstep(episodes, circuits, None, auto=True)
    for turn in range(6):
        both.step(*(legal_action(episodes, rng, reductions_only=turn % 3 > 0)))


def test_the_same_numbers_draw_the_same_episodes() -> None:
    def played() -> list[list[int]]:
        episodes = Episodes(generated("easy", SEEDS), 30, np.random.default_rng(3))
        rng = np.random.default_rng(4)
        for _ in range(60):
            episodes.step(*legal_action(episodes, rng))
        return [episodes.start.tolist(), episodes.steps.tolist(), episodes.positions.counts.tolist()]

    assert played() == played()


def test_a_reset_begins_the_chosen_episodes_anew_and_leaves_the_others() -> None:
    rng = np.random.default_rng(1)
    episodes = Episodes(generated("medium", SEEDS), 6, rng, autoreset=False)
    for _ in range(20):
        episodes.step(*legal_action(episodes, rng))
    before = [episodes.positions.circuit(row) for row in range(6)]
    episodes.reset([4, 1], [7, 99])
    for row, seed in ((4, 7), (1, 99)):
        assert_same_position(episodes, row, Episode(generate("medium", seed)))
    assert episodes.steps.tolist() == [20, 0, 20, 20, 0, 20]
    assert [episodes.positions.circuit(row) for row in (0, 2, 3, 5)] == [before[row] for row in (0, 2, 3, 5)]
    episodes.reset([], [])
    assert episodes.steps.tolist() == [20, 0, 20, 20, 0, 20]


def test_what_is_over_at_its_start_is_done() -> None:
    circuits = [Circuit.parse(text, num_qubits=2) for text in ("", "H 0; X 0")]
    episodes = Episodes(Starts(circuits, par=1), 2, np.random.default_rng(0), autoreset=False)
    episodes.reset(starts=[0, 1])
    assert [TERMINATIONS[number] for number in episodes.termination] == ["optimized", "dead_end"]
    step = episodes.step([0, 0], [2, 2])
    assert step.done.tolist() == [True, True]
    assert step.reward.tolist() == [0.0, 0.0]
    assert step.steps.tolist() == [0, 0]


def test_masks_and_lists_cannot_be_written_to() -> None:
    positions = Positions.of([generate("easy", 0)])
    for view in (positions.legal, positions.lists):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 0


def test_without_a_grader_there_is_no_score() -> None:
    episodes = Episodes(generated("easy", range(2)), 2, np.random.default_rng(0))
    assert episodes.score is None
    assert episodes.step([0, 0], [1, 1]).score is None


BAD_STEPS = {
    "too few indices": (
        [0],
        [1, 1],
        r"target_index must be integers of shape \(2,\), got int64 of shape \(1,\)",
    ),
    "a single index": (0, [1, 1], r"target_index must be integers of shape \(2,\)"),
    "indices in a column": ([[0], [0]], [1, 1], r"shape \(2, 1\)"),
    "indices as floats": ([0.0, 1.0], [1, 1], "got float64"),
    "indices as truth values": ([True, False], [1, 1], "got bool"),
    "indices as text": (["0", "1"], [1, 1], "target_index must be integers"),
    "indices that are too large for an integer": ([10**30, 0], [1, 1], "got object"),
    "too many types": ([0, 0], [1, 1, 1], r"action_type must be integers of shape \(2,\)"),
    "types as floats": ([0, 0], [1.0, 1.0], "got float64"),
    "type 0": ([0, 0], [1, 0], r"action_type must be in 1\.\.4, got 0 for episode 1"),
    "type 5": ([0, 0], [5, 0], r"action_type must be in 1\.\.4, got 5 for episode 0"),
    "a negative type": ([0, 0], [-1, 1], r"got -1 for episode 0"),
}


@pytest.mark.parametrize("case", BAD_STEPS)
def test_bad_actions_are_refused_and_nothing_is_played(case: str) -> None:
    indices, action_types, message = BAD_STEPS[case]
    episodes = Episodes(generated("easy", range(2)), 2, np.random.default_rng(0))
    before = [episodes.positions.circuit(row) for row in (0, 1)]
    with pytest.raises(GameError, match=message):
        episodes.step(indices, action_types)
    assert episodes.steps.tolist() == [0, 0]
    assert [episodes.positions.circuit(row) for row in (0, 1)] == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_integers_of_every_size_are_actions(dtype: type[np.integer]) -> None:
    rng = np.random.default_rng(0)
    circuits = [generate("easy", seed) for seed in range(2)]
    episodes = Episodes(Starts(circuits), 20, rng)
    both = BatchLockstep(episodes, circuits, None, auto=True)
    for _ in range(20):
        both.step(*(numbers.astype(dtype) for numbers in legal_action(episodes, rng)))
    extreme = np.full(20, np.iinfo(dtype).max, dtype)
    both.step(extreme, np.full(20, 1, dtype))


@pytest.mark.parametrize(
    ("rows", "starts", "message"),
    [
        ([2], None, r"rows must be in 0\.\.1, got 2\.\.2"),
        ([-1], None, r"rows must be in 0\.\.1"),
        ([0.5], None, "rows must be a list of integers, got float64"),
        ([True, False], None, "got bool"),
        (None, [0, 5], r"starts must be in 0\.\.4, got 0\.\.5"),
        (None, [0], "starts must be one for each of 2 episodes, got 1"),
        ([0], [[1]], "starts must be a list of integers"),
    ],
)
def test_resets_of_what_there_is_not_are_refused(
    rows: list[int] | None, starts: list[int] | None, message: str
) -> None:
    episodes = Episodes(generated("easy", range(5)), 2, np.random.default_rng(0))
    kept = episodes.start.tolist()
    with pytest.raises(GameError, match=message):
        episodes.reset(rows, starts)
    assert episodes.start.tolist() == kept


@pytest.mark.parametrize("task", ["random", "extreme", "EASY", 1, ["easy"]])
def test_starts_are_of_one_tier(task: str) -> None:
    with pytest.raises(GameError, match="one of easy, medium, hard"):
        generated(task, range(2))


def test_there_must_be_circuits_and_episodes() -> None:
    with pytest.raises(GameError, match="at least one circuit"):
        Starts([])
    with pytest.raises(GameError, match="at least 1 episode, got 0"):
        Episodes(generated("easy", range(2)), 0, np.random.default_rng(0))
