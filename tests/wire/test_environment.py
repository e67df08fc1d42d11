"""The environment in process: what a caller can rely on without a server."""

import asyncio
import json
import threading
import warnings
from typing import Any

import jsonschema
import pytest
from openenv.core.env_server.serialization import serialize_observation
from pydantic import ValidationError

from qrewrite.tasks import MAX_SEED, TIERS
from quantum_circuit_env.models import (
    QuantumCircuitAction,
    QuantumCircuitObservation,
    QuantumCircuitState,
)
from quantum_circuit_env.server import environment as module
from quantum_circuit_env.server.arguments import ALLOWED, ArgumentError
from quantum_circuit_env.server.environment import NoEpisodeError, QuantumCircuitEnvironment
from quantum_circuit_env.server.graders import GRADERS
from support.bad_input import BAD_RESETS

H = {"name": "H", "target_qubits": [0]}
LARGE = [H] * (module.LARGE + 2)


def act(target_index: int, action_type: int) -> QuantumCircuitAction:
    return QuantumCircuitAction(target_index=target_index, action_type=action_type)


@pytest.fixture
def env() -> QuantumCircuitEnvironment:
    return QuantumCircuitEnvironment()


@pytest.mark.parametrize(("arguments", "says"), BAD_RESETS.values(), ids=BAD_RESETS)
def test_a_bad_reset_leaves_the_episode_as_it_was(
    env: QuantumCircuitEnvironment, arguments: dict[str, Any], says: str
) -> None:
    env.reset(seed=1, task="easy", episode_id="steady")
    env.step(act(0, 1))
    before = env.state
    with pytest.raises(ArgumentError) as caught:
        env.reset(**arguments)
    assert says in str(caught.value)
    assert env.state == before


@pytest.mark.parametrize("argument", ALLOWED)
def test_a_number_too_long_to_print_is_refused_like_any_other_value(
    env: QuantumCircuitEnvironment, argument: str
) -> None:
    with pytest.raises(ArgumentError):
        env.reset(**{argument: 10**5000})


def test_a_step_before_a_reset_raises_and_counts_nothing(env: QuantumCircuitEnvironment) -> None:
    with pytest.raises(NoEpisodeError, match="send a reset first"):
        env.step(act(0, 1))
    assert env.state.step_count == 0
    with pytest.raises(ArgumentError):
        env.reset(seed=-1)
    with pytest.raises(NoEpisodeError):
        env.step(act(0, 1))


def test_drawn_seeds_come_from_the_operating_system(
    env: QuantumCircuitEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    import random

    drawn = set()
    for _ in range(8):
        random.seed(1)
        drawn.add(env.reset(task="easy").metadata["seed"])
    assert len(drawn) == 8
    assert all(isinstance(seed, int) and 0 <= seed <= MAX_SEED for seed in drawn)


@pytest.mark.parametrize("seed", [0, MAX_SEED])
def test_the_first_and_the_last_seed_are_seeds(env: QuantumCircuitEnvironment, seed: int) -> None:
    assert env.reset(task="easy", seed=seed).metadata["seed"] == seed


@pytest.mark.parametrize("task", TIERS)
def test_the_servers_task_is_that_of_a_reset_that_names_none(task: str) -> None:
    env = QuantumCircuitEnvironment(task=task)
    assert all(env.reset().metadata["task"] == task for _ in range(4))
    assert env.reset(task="easy").metadata["task"] == "easy"
    assert env.reset(circuit=[H], num_qubits=1).metadata["task"] == "easy"


def test_a_random_reset_plays_every_tier(env: QuantumCircuitEnvironment) -> None:
    assert {env.reset(seed=seed).metadata["task"] for seed in range(30)} == set(TIERS)


def test_no_score_without_a_legal_rewrite(env: QuantumCircuitEnvironment) -> None:
    for task in TIERS:
        observation = env.reset(task=task, seed=1)
        assert observation.metadata["score"] == 0.01
        for action_type in (1, 2, 3, 4):
            observation = env.step(act(10_000, action_type))
            assert observation.metadata["score"] == 0.01
        assert {env.grade_easy(), env.grade_medium(), env.grade_hard(), env.grade()} == {0.01}


def test_before_any_reset_every_grade_is_the_floor(env: QuantumCircuitEnvironment) -> None:
    assert {env.grade_easy(), env.grade_medium(), env.grade_hard(), env.grade()} == {0.01}
    assert {grader(env) for grader in GRADERS.values()} == {0.01}


@pytest.mark.parametrize("task", TIERS)
def test_the_served_score_is_what_the_grader_says(env: QuantumCircuitEnvironment, task: str) -> None:
    observation = env.reset(task=task, seed=4, hints=True)
    while not observation.done and observation.metadata["step"] < 60:
        table = observation.metadata["legality"]
        assert table is not None
        legal = [
            (index, kind) for index, row in enumerate(table) for kind in (4, 3, 1, 2) if row[kind - 1] == "ok"
        ]
        best = min(legal, key=lambda found: (found[1] == 2, -found[1], found[0]))
        observation = env.step(act(*best))
        expected = GRADERS[task](observation)
        assert observation.metadata["score"] == env.state.score == env.grade() == expected
        assert {"easy": env.grade_easy, "medium": env.grade_medium, "hard": env.grade_hard}[
            task
        ]() == expected
    assert observation.metadata["score"] > 0.01


def test_what_a_caller_does_to_an_observation_stays_with_him(env: QuantumCircuitEnvironment) -> None:
    observation = env.reset(task="medium", seed=3, hints=True)
    again = QuantumCircuitEnvironment().reset(task="medium", seed=3, hints=True)
    with pytest.raises(TypeError, match="read-only"):
        observation.circuit[0]["name"] = "Y"
    observation.circuit.clear()
    observation.metadata["score"] = 0.99
    observation.metadata["used_advanced_actions"] = True
    assert observation.metadata["legality"] is not None
    for row in observation.metadata["legality"]:
        row[:] = ["ok"] * 4
    state = env.state
    state.score = 0.99
    assert env.state.score == env.grade_medium() == 0.01
    assert env.step(act(10_000, 1)).circuit == again.circuit
    assert env.step(act(10_000, 1)).metadata["legality"] == again.metadata["legality"]


def test_observations_are_serialised_without_a_warning_and_read_back_equal(
    env: QuantumCircuitEnvironment,
) -> None:
    seen = [env.reset(task="hard", seed=1, hints=True), *(env.step(act(index, 1)) for index in range(70))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for observation in seen:
            sent = json.loads(json.dumps(serialize_observation(observation)))
            whole = {**sent["observation"], "reward": sent["reward"], "done": sent["done"]}
            assert QuantumCircuitObservation.model_validate(whole) == observation
            assert QuantumCircuitObservation.model_validate_json(observation.model_dump_json()) == observation


def test_metadata_is_a_plain_dict(env: QuantumCircuitEnvironment) -> None:
    assert type(env.reset(seed=1).metadata) is dict


@pytest.mark.parametrize("model", [QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState])
def test_the_schemas_are_schemas(model: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(model.model_json_schema())


def test_an_action_takes_and_ignores_openenvs_metadata() -> None:
    action = QuantumCircuitAction.model_validate(
        {"target_index": 0, "action_type": 1, "metadata": {"score": 1}}
    )
    assert (action.target_index, action.action_type) == (0, 1)


def test_an_action_cannot_be_changed_into_a_bad_one() -> None:
    action = act(0, 1)
    with pytest.raises(ValidationError):
        action.target_index = -1
    with pytest.raises(ValidationError):
        action.action_type = 5


def test_ordinary_steps_and_resets_do_not_leave_the_event_loop() -> None:
    assert _threads_of(task="hard", seed=1) == {threading.get_ident()}
    assert _threads_of(circuit=[H] * module.LARGE, num_qubits=1) == {threading.get_ident()}


def test_steps_and_resets_of_large_circuits_leave_the_event_loop() -> None:
    assert threading.get_ident() not in _threads_of(circuit=LARGE, num_qubits=1)


def _threads_of(**arguments: Any) -> set[int]:
    """Return the threads in which a reset and a step are played."""
    threads: set[int] = set()

    class Watched(QuantumCircuitEnvironment):
        def reset(self, /, *positional: Any, **arguments: Any) -> QuantumCircuitObservation:
            threads.add(threading.get_ident())
            return super().reset(*positional, **arguments)

        def step(self, *positional: Any, **options: Any) -> QuantumCircuitObservation:
            threads.add(threading.get_ident())
            return super().step(*positional, **options)

    async def play() -> None:
        watched = Watched()
        await watched.reset_async(**arguments)
        await watched.step_async(act(10_000, 1))

    asyncio.run(play())
    return threads
