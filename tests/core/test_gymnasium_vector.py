"""The vector environment: each row is the environment of one episode, whatever the autoreset mode."""

import pickle
from collections import Counter
from itertools import pairwise, product
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from qrewrite.circuits import GameError
from qrewrite.circuits.drawing import draw_text
from qrewrite.tasks import SPLITS, TIERS, generate
from quantum_circuit_env.gymnasium_envs import IDS, CircuitVectorEnv
from support.gymnasium_plays import arrays_in, assert_equal, circuit_in, mixed_actions

SIZE = 3


def made(task: str, num_envs: int = SIZE, **options: Any) -> CircuitVectorEnv:
    env = gymnasium.make_vec(IDS[task], num_envs=num_envs, **options)
    assert isinstance(env, CircuitVectorEnv)
    return env


def synchronous(task: str, mode: AutoresetMode, **options: Any) -> SyncVectorEnv:
    env = gymnasium.make_vec(
        IDS[task],
        num_envs=SIZE,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **options,
    )
    assert isinstance(env, SyncVectorEnv)
    return env


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("task", TIERS)
def test_every_step_is_the_one_of_single_environments(task: str, mode: AutoresetMode) -> None:
    rng, ends = np.random.default_rng(2), Counter[str]()
    reward = "grade" if (task, mode) == ("medium", AutoresetMode.SAME_STEP) else "steps"
    ours, theirs = made(task, autoreset_mode=mode, reward=reward), synchronous(task, mode, reward=reward)
    assert ours.metadata["autoreset_mode"] is mode
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    seed: Any = [None, *range(1, SIZE)] if mode is AutoresetMode.DISABLED else 9
    ours.reset(seed=8)
    theirs.reset(seed=8)
    assert_equal(ours.reset(seed=seed), theirs.reset(seed=seed))
    for _ in range(155):
        masks = ours.action_masks()
        assert_equal(masks, np.stack(theirs.call("action_masks")))
        actions = mixed_actions(masks, rng)
        mine = ours.step(actions)
        assert_equal(mine, theirs.step(actions))
        over = mine[2] | mine[3]
        told = mine[4].get("final_info", mine[4]) if over.any() else mine[4]
        ends.update(str(end) for end in told["termination"][over])
        if mode is AutoresetMode.DISABLED and over.any():
            (observations, infos), (same, fewer) = (
                env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs)
            )
            assert_equal(observations, same)
            assert_equal(infos["_score"], fewer["_score"])
            for name in [name for name in infos if not name.startswith("_")]:
                assert_equal(infos[name][over], fewer[name][over])
    assert sum(ends.values()) > SIZE
    assert "step_limit" in ends
    assert len(ends) > 1


def test_what_is_not_reset_by_hand_stays_over() -> None:
    env = made("easy", 3, autoreset_mode="Disabled")
    env.reset(seed=0)
    over = np.zeros(3, np.bool_)
    while not over.all():
        _, _, terminated, truncated, _ = env.step(env.action_masks().argmax(axis=1))
        over = terminated | truncated
    before = env.step(np.zeros(3, int))
    assert before[1].tolist() == [0, 0, 0]
    assert (before[2] | before[3]).all()
    assert before[4]["action_result"].tolist() == ["episode_over"] * 3
    assert_equal(env.step(np.ones(3, int))[0], before[0])


def test_circuits_are_the_ones_of_their_seeds() -> None:
    env = made("medium", 4, circuits=5)
    mine = SPLITS["train"].seeds[:5]
    for seeds in ([3, 2_000_000, 0, 2**32 - 1], mine[1:], [7, 7, 7, 7], None, None):
        observations, infos = env.reset(options={"circuit_seed": seeds})
        drawn = infos["circuit_seed"].tolist()
        assert drawn == list(seeds) if seeds is not None else set(drawn) <= set(mine)
        for gates, seed in zip(observations["gates"], drawn, strict=True):
            assert circuit_in(gates, TIERS["medium"].num_qubits) == generate("medium", seed)
    assert env.reset(options={"circuit_seed": 4})[1]["circuit_seed"].tolist() == [4] * 4


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_all_that_is_returned_belongs_to_the_caller(mode: AutoresetMode) -> None:
    env, rng = made("easy", autoreset_mode=mode), np.random.default_rng(0)
    observations, infos = env.reset(seed=0)
    told = [(observations, infos)]
    for _ in range(40):
        masks = env.action_masks()
        observations, reward, *flags, infos = env.step(mixed_actions(masks, rng))
        told.append((observations, {**infos, "masks": masks, "reward": reward, **dict(enumerate(flags))}))
    copies = pickle.loads(pickle.dumps(told))  # noqa: S301
    for earlier, later in pairwise(told):
        assert not any(np.shares_memory(*both) for both in product(arrays_in(earlier), arrays_in(later)))
    for observations, infos in told:
        for array in (*observations.values(), infos["action_mask"], infos["score"]):
            array[...] = 0
    again = made("easy", autoreset_mode=mode)
    rng = np.random.default_rng(0)
    assert_equal(again.reset(seed=0), copies[0])
    for observations, _ in copies[1:]:
        assert_equal(again.step(mixed_actions(again.action_masks(), rng))[0], observations)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_gymnasiums_statistics_add_up(mode: AutoresetMode) -> None:
    env = RecordEpisodeStatistics(made("easy", autoreset_mode=mode))
    rng, ended = np.random.default_rng(1), 0
    _, infos = env.reset(seed=1)
    returns = np.zeros(SIZE)
    for _ in range(60):
        _, reward, terminated, truncated, infos = env.step(mixed_actions(infos["action_mask"] > 0, rng))
        returns += reward
        over = terminated | truncated
        if over.any():
            assert infos["_episode"].tolist() == over.tolist()
            assert infos["episode"]["r"][over] == pytest.approx(returns[over])
            ended += over.sum()
        returns[over] = 0
    assert ended > SIZE


def test_a_copy_plays_on_as_the_original() -> None:
    env = made("hard", 3)
    env.reset(seed=4)
    env.step(env.action_masks().argmax(axis=1))
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301
    for _ in range(3):
        actions = env.action_masks().argmax(axis=1)
        assert_equal(copy.step(actions), env.step(actions))
    assert_equal(copy.reset(), env.reset())


def test_a_single_environment_runs_in_a_process_of_its_own() -> None:
    kwargs = {"context": "spawn", "autoreset_mode": AutoresetMode.SAME_STEP}
    theirs = gymnasium.make_vec(
        IDS["easy"], num_envs=1, vectorization_mode="async", vector_kwargs=kwargs, circuits=50
    )
    ours = made("easy", 1, circuits=50)
    try:
        assert_equal(theirs.reset(seed=3), ours.reset(seed=3))
        for _ in range(12):
            actions = ours.action_masks().argmax(axis=1)
            assert_equal(theirs.step(actions), ours.step(actions))
    finally:
        theirs.close()


def test_drawings_are_those_of_the_circuits() -> None:
    env = made("easy", 2, render_mode="ansi")
    env.reset(options={"circuit_seed": [1, 2]})
    assert env.render() == tuple(draw_text(generate("easy", seed)) for seed in (1, 2))
    assert made("easy", 2).render() is None


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1], r"in 0\.\.79, got 'int64 of shape \(2,\)'; 3 of them are needed"),
        (5, r"got 'int64 of shape \(\)'"),
        ([0.0, 1.0, 2.0], "got 'float64 of shape"),
        ([True, False, True], "got 'bool of shape"),
        ([0, 80, 0], "got 80 for row 1"),
        ([0, 0, -1], "got -1 for row 2"),
    ],
)
def test_what_are_no_actions_is_refused_and_not_played(actions: Any, message: str) -> None:
    env = made("easy", 3)
    before, _ = env.reset(seed=0)
    with pytest.raises(InvalidAction, match=message):
        env.step(actions)
    observations, *_ = env.step(np.full(3, 79, np.uint8))
    assert_equal(observations["gates"], before["gates"])
    assert observations["episode"][:, 0].tolist() == np.full(3, 149 / 150, np.float32).tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": {"mask": 1}}, "unknown option 'mask'; a reset has circuit_seed and reset_mask"),
        ({"options": {"circuit_seed": [1, 2]}}, "circuit_seed must be one for each of 3 rows, got 2"),
        ({"options": {"circuit_seed": [1, 2, 2**32]}}, r"seed must be an integer in 0\.\.4294967295"),
        ({"options": {"reset_mask": np.zeros(3, np.bool_)}}, "with a row that is true"),
        ({"options": {"reset_mask": np.ones(3)}}, "got float64"),
        ({"options": {"reset_mask": np.ones(2, np.bool_)}}, r"bool of shape \(3,\)"),
        ({"options": {"circuit_seed": True}}, "circuit_seed must be an integer, or one for each of 3 rows"),
        ({"options": {"circuit_seed": 1.5}}, "or one for each of 3 rows, got 1.5"),
        ({"options": ["circuit_seed"]}, "options must be a dict with circuit_seed and reset_mask, or None"),
        ({"seed": [1, 2]}, "seed must be one for each of 3 rows, got 2"),
        ({"seed": np.int64(1)}, "seed must be an integer, or one for each of 3 rows, got np.int64"),
        ({"seed": np.array(1)}, "seed must be an integer, or one for each of 3 rows, got array"),
    ],
)
def test_a_reset_that_is_refused_leaves_the_episodes(arguments: dict[str, Any], message: str) -> None:
    env = made("easy", 3)
    env.reset(options={"circuit_seed": 7})
    with pytest.raises(GameError, match=message):
        env.reset(**arguments)
    assert env.step(np.zeros(3, int))[4]["circuit_seed"].tolist() == [7] * 3


def test_a_seed_that_is_refused_leaves_those_of_all_rows() -> None:
    env, other = made("easy", 3), made("easy", 3)
    for each in (env, other):
        each.reset(seed=0)
    with pytest.raises(gymnasium.error.Error, match="greater or equal to zero"):
        env.reset(seed=[1, 2, -1])
    assert_equal(env.reset(), other.reset())
    assert env.np_random_seed == (0, 1, 2)


def test_each_row_tells_its_seed_as_a_single_environment_does() -> None:
    env, other = made("easy", 3), synchronous("easy", AutoresetMode.SAME_STEP)
    for seeds in ([4, 5, 6], [1, None, 2], 7):
        for each in (env, other):
            each.reset(seed=seeds)
        assert env.np_random_seed == other.np_random_seed
    env.reset()
    assert env.np_random_seed == (7, 8, 9)


def test_the_first_reset_is_of_all_rows() -> None:
    env = made("easy", 2, render_mode="ansi")
    for call in (lambda: env.step(np.zeros(2, int)), env.action_masks, env.render):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call()
    with pytest.raises(GameError, match="the first reset is of all rows"):
        env.reset(options={"reset_mask": np.array([True, False])})
    assert len(env.np_random) == 2


def test_there_are_modes_and_rows() -> None:
    with pytest.raises(GameError, match="must be one of NextStep, SameStep, Disabled, got 'x'"):
        made("easy", autoreset_mode="x")
    for number in (0, True, 2.0, "2"):
        with pytest.raises(GameError, match="num_envs must be an integer, at least 1, got "):
            CircuitVectorEnv(number, task="easy")  # type: ignore[arg-type]
