"""The Gymnasium environment of one episode: the game, its grades and legal actions, and Gymnasium's rules."""

import doctest
import pickle
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics

from qrewrite.circuits import Circuit, GameError
from qrewrite.circuits.drawing import draw_text
from qrewrite.game import STEP_LIMIT, Episode
from qrewrite.tasks import GAME_VERSION, SPLITS, TIERS, generate
from quantum_circuit_env import gymnasium_envs
from quantum_circuit_env.gymnasium_envs import GAME_VERSIONS, IDS, CircuitEnv
from quantum_circuit_env.server.graders import GRADERS
from support import naive_rules
from support.circuits import plain
from support.gymnasium_plays import assert_equal, circuit_in, mixed_actions

TRAIN = SPLITS["train"].seeds
GUIDE = Path(__file__).parents[2] / "docs" / "gymnasium.md"


def made(task: str, **options: Any) -> CircuitEnv:
    env = gymnasium.make(IDS[task], **options)
    assert isinstance(env, CircuitEnv)
    return env


def naive_mask(circuit: Circuit, rows: int) -> list[bool]:
    gates = plain(circuit)
    answers = [naive_rules.answer(gates, kind, index) for index in range(rows) for kind in (1, 2, 3, 4)]
    return [answer == naive_rules.OK for answer in answers]


@pytest.mark.parametrize("task", TIERS)
def test_gymnasium_finds_nothing_to_warn_of(task: str) -> None:
    check_env(made(task))


def test_an_id_stands_for_one_game_version() -> None:
    assert GAME_VERSIONS[-1] == GAME_VERSION
    assert len(set(GAME_VERSIONS)) == len(GAME_VERSIONS)
    latest = len(GAME_VERSIONS) - 1
    assert list(IDS.values()) == [f"QuantumCircuit/{name}-v{latest}" for name in ("Easy", "Medium", "Hard")]
    assert made("easy").metadata["game_version"] == GAME_VERSION


def in_a_new_interpreter(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    return done.stdout + done.stderr


def test_an_id_can_name_the_module_to_import_and_nothing_heavy_comes_with_it() -> None:
    code = """
import sys, gymnasium
print(gymnasium.make("quantum_circuit_env.gymnasium_envs:QuantumCircuit/Easy-v0"))
print(gymnasium.make_vec("QuantumCircuit/Hard-v0", num_envs=2))
print({name.partition(".")[0] for name in sys.modules} & {"openenv", "fastapi", "pydantic", "torch", "scipy"})
"""
    assert in_a_new_interpreter(code).splitlines() == [
        "<CircuitEnv<QuantumCircuit/Easy-v0>>",
        "CircuitVectorEnv(QuantumCircuit/Hard-v0, num_envs=2)",
        "set()",
    ]


def test_without_gymnasium_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import quantum_circuit_env.gymnasium_envs"
    assert in_a_new_interpreter(code).splitlines()[-1] == (
        "ImportError: gymnasium is not installed: pip install 'openenv-quantum-circuit-env[gym]'"
    )


@pytest.mark.parametrize(("task", "reward"), [("easy", "steps"), ("medium", "grade"), ("hard", "steps")])
def test_every_step_is_the_one_of_the_game(task: str, reward: str) -> None:
    env, tier, rng = made(task, reward=reward), TIERS[task], np.random.default_rng(3)
    ends = set()
    for seed in range(3):
        observation, info = env.reset(options={"circuit_seed": seed})
        game = Episode(generate(task, seed), par=tier.par)
        facts = {"task": task, "initial_count": tier.gate_count}
        grades = [GRADERS[task]({**facts, "gate_count": tier.gate_count})]
        rewards, before, terminated, truncated = [], 0.0, False, False
        while True:
            assert circuit_in(observation["gates"], tier.num_qubits) == game.circuit()
            shares = [(STEP_LIMIT - game.steps) / STEP_LIMIT, game.used_advanced_actions]
            assert observation["episode"].tolist() == np.array(shares, np.float32).tolist()
            assert observation in env.observation_space
            masks = env.action_masks()
            assert masks.tolist() == naive_mask(game.circuit(), tier.gate_count)
            assert_equal(
                info,
                {
                    "circuit_seed": seed,
                    "gate_count": game.gate_count,
                    "score": grades[-1],
                    "action_result": str(game.action_result),
                    "termination": None if game.termination is None else str(game.termination),
                    "action_mask": masks.astype(np.int8),
                },
            )
            assert (terminated, truncated) == (
                game.termination in ("optimized", "dead_end"),
                game.termination == "step_limit",
            )
            if game.done:
                break
            # The row's number says how it is played.
            action = int(mixed_actions(np.stack([masks] * 3), rng)[seed % 3])
            before += game.play(action % 4 + 1, action // 4)
            now = {"gate_count": game.gate_count, "used_advanced_actions": game.used_advanced_actions}
            grades.append(GRADERS[task]({**facts, **now}))
            observation, one, terminated, truncated, info = env.step(action)
            rewards.append(one)
        ends.add(str(game.termination))
        if reward == "grade":
            assert rewards == [later - earlier for earlier, later in pairwise(grades)]
        else:
            assert sum(rewards) == pytest.approx(before)
        kept = env.step(0)
        assert kept[1:4] == (0.0, terminated, truncated)
        assert kept[4]["action_result"] == "episode_over"
    assert "step_limit" in ends
    assert len(ends) > 1


def test_a_seed_decides_all_draws_that_follow() -> None:
    env, other = made("easy"), made("easy")
    drawn = [env.reset(seed=5)[1]["circuit_seed"], *(env.reset()[1]["circuit_seed"] for _ in range(20))]
    assert drawn == [other.reset(seed=5)[1]["circuit_seed"]] + [
        other.reset()[1]["circuit_seed"] for _ in range(20)
    ]
    assert len(set(drawn)) > 15
    assert set(drawn) <= set(TRAIN)
    assert env.reset(seed=6)[1]["circuit_seed"] != drawn[0]


def test_circuits_are_drawn_from_the_split_that_was_asked_for() -> None:
    few = made("easy", circuits=3)
    assert {few.reset()[1]["circuit_seed"] for _ in range(60)} == set(TRAIN[:3])
    held_out = made("medium", split="test")
    assert {held_out.reset()[1]["circuit_seed"] for _ in range(20)} <= set(SPLITS["test"].seeds)


def test_no_two_environments_share_the_random_numbers_of_a_space() -> None:
    env, other = made("easy"), made("easy")
    env.action_space.seed(1)
    drawn = [env.action_space.sample() for _ in range(5)]
    env.action_space.seed(1)
    other.action_space.seed(2)
    assert [env.action_space.sample() for _ in range(5)] == drawn


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "trial"}, "unknown split 'trial'; the splits are train, validation, test"),
        ({"circuits": 0}, r"circuits must be in 1\.\.10000 for split train, or None for all, got 0"),
        ({"circuits": 201, "split": "test"}, r"circuits must be in 1\.\.200 for split test"),
        ({"circuits": True}, "got True"),
        ({"reward": "score"}, "reward must be steps or grade, got 'score'"),
        ({"task": "extreme"}, "task must be one of easy, medium, hard, got 'extreme'"),
        ({"task": ["easy"]}, "task must be one of easy, medium, hard, got"),
    ],
)
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_what_cannot_be_made_is_refused(make: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message):
        make(IDS["easy"], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"circuit": 3}, "unknown option 'circuit'; a reset has circuit_seed"),
        ({"circuit_seed": -1}, r"seed must be an integer in 0\.\.4294967295, got -1"),
        ({"circuit_seed": "3"}, "got '3'"),
        ({"circuit_seed": True}, "got True"),
    ],
)
def test_a_reset_that_is_refused_leaves_the_episode(options: dict[str, Any], message: str) -> None:
    env = made("easy")
    env.reset(options={"circuit_seed": 7})
    with pytest.raises(GameError, match=message):
        env.reset(seed=3, options=options)
    assert env.step(79)[4]["circuit_seed"] == 7


@pytest.mark.parametrize("action", [-1, 80, 1.0, "0", None, True, [0], np.array([0, 1])])
def test_what_is_no_action_is_refused_and_not_played(action: Any) -> None:
    env = made("easy")
    before, _ = env.reset(seed=0)
    with pytest.raises(InvalidAction, match=r"an action must be an integer in 0\.\.79, got "):
        env.step(action)
    observation, *_ = env.step(np.int32(79))
    assert_equal(observation["gates"], before["gates"])
    assert observation["episode"][0] == np.float32((STEP_LIMIT - 1) / STEP_LIMIT)


def test_there_is_no_step_before_the_first_reset() -> None:
    for call in (lambda env: env.step(0), lambda env: env.action_masks()):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call(made("easy"))


def test_a_copy_plays_on_as_the_original() -> None:
    env = made("medium")
    env.reset(seed=1)
    env.step(int(env.action_masks().argmax()))
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301
    for action in (0, 5, 9, 60):
        assert_equal(copy.step(action), env.step(action))
    assert_equal(copy.reset(), env.reset())


def test_a_drawing_is_the_one_of_the_circuit() -> None:
    env = made("hard", render_mode="ansi")
    env.reset(options={"circuit_seed": 11})
    assert env.render() == draw_text(generate("hard", 11))
    silent = made("hard")
    silent.reset()
    assert silent.render() is None


def test_gymnasiums_wrappers_wrap_it() -> None:
    env = RecordEpisodeStatistics(FlattenObservation(gymnasium.make(IDS["easy"], max_episode_steps=5)))
    observation, info = env.reset(seed=2)
    assert observation.shape == (2 + 20 * 11,)
    rewards, truncated = [], False
    while not truncated:
        action = env.action_space.sample(info["action_mask"])
        assert env.get_wrapper_attr("action_masks")()[action]
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        assert not terminated
        rewards.append(float(reward))
    assert info["episode"]["l"] == len(rewards) == 5
    assert info["episode"]["r"] == pytest.approx(sum(rewards))


def test_the_guide_describes_the_spaces_as_they_are() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    described = re.findall(
        r"^\| (\w+) \| `(QuantumCircuit/\S+)` \| (\(.*?\)) \| (\(.*?\)) \| (\d+) \|$", text, re.M
    )
    assert described == [
        (
            task,
            env_id,
            str(made(task).observation_space["gates"].shape),
            str(made(task).observation_space["episode"].shape),
            str(made(task).action_space.n),
        )
        for task, env_id in IDS.items()
    ]
    assert f"`-v{len(GAME_VERSIONS) - 1}` plays game version {GAME_VERSION}." in text


def test_the_examples_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, {})  # noqa: S102
    one, many = capsys.readouterr().out.splitlines()
    assert one.split()[0] in ("optimized", "dead_end", "step_limit")
    assert many.startswith("(1024, 32, 15) ")
    tried = doctest.testmod(gymnasium_envs)
    assert (tried.failed, tried.attempted) == (0, 3)
