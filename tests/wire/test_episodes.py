"""Episodes over a real socket, as a stranger plays them."""

import json
from random import Random
from typing import Any

import jsonschema
import pytest

from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import GAME_VERSION, TIERS, generate
from support.sockets import Session, session

METADATA = {
    "task",
    "initial_count",
    "step",
    "seed",
    "used_advanced_actions",
    "action_result",
    "termination",
    "score",
    "par",
    "game_version",
    "legality",
}
HXH = [{"name": name, "target_qubits": [0]} for name in ("H", "X", "H")]


@pytest.mark.parametrize("task", TIERS)
def test_a_reset_shows_the_generated_circuit_and_all_metadata(server_url: str, task: str) -> None:
    with session(server_url) as one:
        data = one.reset(task=task, seed=0)
    tier, seen = TIERS[task], data["observation"]
    assert seen["circuit"] == json.loads(json.dumps(generate(task, 0).records()))
    assert (seen["gate_count"], seen["num_qubits"]) == (tier.gate_count, tier.num_qubits)
    assert (data["reward"], data["done"]) == (0.0, False)
    assert seen["metadata"] == {
        "task": task,
        "initial_count": tier.gate_count,
        "step": 0,
        "seed": 0,
        "used_advanced_actions": False,
        "action_result": "reset",
        "termination": None,
        "score": 0.01,
        "par": tier.par,
        "game_version": GAME_VERSION,
        "legality": None,
    }
    assert set(seen["metadata"]) == METADATA
    assert f"Steps left: {STEP_LIMIT}." in seen["prompt"]


def test_the_reported_task_and_seed_reproduce_a_random_reset(server_url: str) -> None:
    with session(server_url) as one:
        first = one.reset()["observation"]
        facts = first["metadata"]
        assert facts["task"] in TIERS
        assert one.reset(task=facts["task"], seed=facts["seed"])["observation"] == first


def test_a_second_reset_without_a_seed_draws_another_and_carries_nothing_over(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(seed=5, task="medium", episode_id="first", hints=True)
        one.step(0, 1)
        seen = one.reset()["observation"]["metadata"]
        assert seen["seed"] != 5
        assert (seen["step"], seen["action_result"], seen["legality"]) == (0, "reset", None)
        state = one.state()
        assert state["episode_id"] not in (None, "first")
        assert (state["step_count"], state["seed"]) == (0, seen["seed"])


def test_a_step_before_a_reset_says_to_reset_and_the_session_lives(server_url: str) -> None:
    nothing = {"episode_id": None, "step_count": 0, "task": None, "seed": None, "gate_count": None}
    nothing |= {"initial_count": None, "used_advanced_actions": None, "score": None, "game_version": None}
    with session(server_url) as one:
        assert one.state() == nothing
        action = {"target_index": 0, "action_type": 1}
        assert "send a reset first" in one.refused({"type": "step", "data": action}, "EXECUTION_ERROR")
        assert one.state() == nothing
        assert one.reset(seed=1)["observation"]["metadata"]["step"] == 0


def test_the_episode_id_is_honoured_and_the_step_count_exact(server_url: str) -> None:
    with session(server_url) as one:
        for episode_id in ("a", "ü" * 255, ""):
            one.reset(seed=9, task="hard", episode_id=episode_id)
            for steps in range(4):
                state = one.state()
                assert (state["episode_id"], state["step_count"]) == (episode_id, steps)
                one.step(10_000, 1)
        one.reset()
        drawn = one.state()["episode_id"]
        one.reset()
        assert len(drawn) == 36
        assert one.state()["episode_id"] != drawn


def test_after_the_end_nothing_changes_any_more(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(circuit=HXH, num_qubits=1, task="medium")
        end = one.step(0, 3)
        assert (end["reward"], end["done"]) == (2.0, True)
        assert end["observation"]["metadata"]["termination"] == "optimized"
        state = one.state()
        for action_type in (1, 2, 3, 4):
            late = one.step(0, action_type)
            assert (late["reward"], late["done"]) == (0.0, True)
            assert late["observation"]["metadata"]["action_result"] == "episode_over"
            assert late["observation"]["circuit"] == end["observation"]["circuit"]
            assert one.state() == state
        assert state["step_count"] == 1


def test_the_step_limit_ends_an_episode(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(task="easy", seed=1)
        for step in range(1, STEP_LIMIT + 1):
            data = one.step(20, 1)
            assert (data["reward"], data["done"]) == (-0.1, step == STEP_LIMIT)
        assert data["observation"]["metadata"]["termination"] == "step_limit"
        assert data["observation"]["metadata"]["score"] == 0.01
        assert one.step(0, 1)["observation"]["metadata"]["step"] == STEP_LIMIT


def test_an_index_beyond_the_circuit_is_an_invalid_action_however_large(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(task="easy", seed=1)
        for index in (20, 2**31, 2**64, 10**900):
            data = one.step(index, 2)
            assert data["reward"] == -0.1
            assert data["observation"]["metadata"]["action_result"] == "invalid_index"


def test_an_own_circuit_is_played_and_graded_as_its_task(server_url: str) -> None:
    with session(server_url) as one:
        facts = one.reset(circuit=[*HXH, *HXH], num_qubits=1)["observation"]["metadata"]
        assert (facts["task"], facts["seed"], facts["par"], facts["initial_count"]) == ("easy", None, None, 6)
        one.reset(circuit=[*HXH, *HXH], num_qubits=1, task="medium")
        data = one.step(0, 3)
        assert data["observation"]["metadata"]["score"] == pytest.approx(2 / 6 + 0.15)
        assert one.state()["seed"] is None


def test_symmetric_gates_come_back_with_the_smaller_qubit_first(server_url: str) -> None:
    with session(server_url) as one:
        data = one.reset(circuit=[{"name": "CZ", "target_qubits": [3, 1]}], num_qubits=4)
    assert data["observation"]["circuit"] == [{"name": "CZ", "target_qubits": [1, 3]}]


@pytest.mark.parametrize("circuit", [[], HXH[:2]], ids=["empty", "irreducible"])
def test_an_own_circuit_with_nothing_to_reduce_is_done_at_once(server_url: str, circuit: list[Any]) -> None:
    with session(server_url) as one:
        data = one.reset(circuit=circuit, num_qubits=1)
    facts = data["observation"]["metadata"]
    assert (data["done"], facts["score"], facts["termination"]) == (True, 0.01, "optimized")


def test_the_largest_own_circuit_is_played(server_url: str) -> None:
    gate = {"name": "CNOT", "target_qubits": [62, 63]}
    with session(server_url) as one:
        assert one.reset(circuit=[gate] * 10_000, num_qubits=64)["observation"]["gate_count"] == 10_000
        assert one.step(9_998, 1)["observation"]["gate_count"] == 9_998


def test_hints_tell_at_every_step_what_each_action_would_be_answered(server_url: str) -> None:
    with session(server_url) as one, session(server_url) as probe:
        one.reset(task="medium", seed=4, hints=True)
        probe.reset(task="medium", seed=4)
        data = one.step(0, 2)
        table = data["observation"]["metadata"]["legality"]
        assert len(table) == data["observation"]["gate_count"]
        for index, row in enumerate(table):
            for action_type, answer in enumerate(row, 1):
                probe.reset(task="medium", seed=4)
                probe.step(0, 2)
                result = probe.step(index, action_type)
                refused = result["reward"] == -0.1
                assert refused == (answer != "ok")
                if refused:
                    assert result["observation"]["metadata"]["action_result"] == answer


def test_nothing_that_a_client_sends_changes_its_grade(server_url: str) -> None:
    forged = {"score": 0.99, "used_advanced_actions": True, "initial_count": 1000, "done": True}
    with session(server_url) as one:
        one.reset(task="medium", seed=2)
        data = one.step(10_000, 3, metadata=forged)
        facts = data["observation"]["metadata"]
        assert (facts["score"], facts["used_advanced_actions"], facts["initial_count"]) == (0.01, False, 32)
        one.refused({"type": "state", "data": forged}, "VALIDATION_ERROR")
        one.refused({"type": "reset", "data": forged}, "VALIDATION_ERROR")
        assert one.state()["score"] == 0.01


def _random_frames(one: Session, task: str, seed: int, steps: int) -> list[dict[str, Any]]:
    actions = Random(seed)
    first = one.reset(task=task, seed=seed, hints=seed % 2 == 0)
    return [first, *(one.step(actions.randrange(40), actions.randint(1, 4)) for _ in range(steps))]


def test_every_observation_and_state_is_as_the_published_schema_says(
    server_url: str, schema: dict[str, Any]
) -> None:
    observed = jsonschema.Draft202012Validator(schema["observation"])
    stated = jsonschema.Draft202012Validator(schema["state"])
    with session(server_url) as one:
        stated.validate(one.state())
        for task in TIERS:
            for data in _random_frames(one, task, seed=len(task), steps=25):
                observed.validate({**data["observation"], "reward": data["reward"], "done": data["done"]})
                stated.validate(one.state())
    with pytest.raises(jsonschema.ValidationError):
        observed.validate({**data["observation"], "reward": data["reward"]})
    with pytest.raises(jsonschema.ValidationError):
        observed.validate({**data["observation"], "reward": data["reward"], "done": False, "plan": []})


def test_the_published_schema_declares_actions_and_metadata(schema: dict[str, Any]) -> None:
    action = schema["action"]
    assert action["additionalProperties"] is False
    assert action["required"] == ["target_index", "action_type"]
    bounds = action["properties"]["action_type"]
    assert (bounds["type"], bounds["minimum"], bounds["maximum"]) == ("integer", 1, 4)
    facts = schema["observation"]["$defs"]["ObservationMetadata"]
    assert set(facts["required"]) == METADATA
    assert set(facts["properties"]) == METADATA | {"plan"}
    assert facts["additionalProperties"] is False


def test_an_observation_and_the_state_say_nothing_of_how_the_circuit_was_made(server_url: str) -> None:
    with session(server_url) as one:
        data = one.reset(task="hard", seed=13)
        state = one.state()
    assert set(data) == {"observation", "reward", "done", "metadata"}
    assert set(data["observation"]) == {"circuit", "gate_count", "num_qubits", "prompt", "metadata"}
    assert data["metadata"] == data["observation"]["metadata"]
    expected = (
        "episode_id step_count task seed gate_count initial_count used_advanced_actions score game_version"
    )
    assert set(state) == set(expected.split())
