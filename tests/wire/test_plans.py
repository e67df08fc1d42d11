"""Plans: an action with `then` is played as its actions one by one, if the reset asked for plans."""

import asyncio
import json
from collections.abc import Iterator
from math import fsum
from random import Random
from typing import Any

import pytest
from openenv.core.env_server.serialization import serialize_observation
from openenv.core.env_server.types import WSObservationResponse
from pydantic import ValidationError

from qrewrite.game import STEP_LIMIT, Action, Episode
from qrewrite.policies import cancel_first, play, random_legal
from qrewrite.rules import RULES, ActionResult
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.client import QuantumCircuitEnv
from quantum_circuit_env.models import MAX_THEN, QuantumCircuitAction
from quantum_circuit_env.server.environment import LARGE, QuantumCircuitEnvironment
from quantum_circuit_env.server.graders import grade
from quantum_circuit_env.server.messages import ordinary_step
from quantum_circuit_env.server.session import PlanError
from support.sockets import session

H = {"name": "H", "target_qubits": [0]}
STARTS: list[dict[str, Any]] = [
    *({"task": task, "seed": seed} for task in TIERS for seed in range(4)),
    {"task": "hard", "seed": 5, "hints": True},
    {"circuit": [H] * 6, "num_qubits": 2},
    {"circuit": [], "num_qubits": 1},
]


def single(action: Action) -> QuantumCircuitAction:
    return QuantumCircuitAction(**action._asdict())


def plan_of(actions: list[Action]) -> QuantumCircuitAction:
    return QuantumCircuitAction.plan(map(single, actions))


def drawn_plan(rng: Random, gates: int) -> list[Action]:
    """Return swaps and cancels mostly, so that some plans go on for long and many break off."""
    length = rng.choice([1, 1, 2, 5, 20, STEP_LIMIT])
    kinds = rng.choices(list(RULES), weights=[4, 8, 1, 1], k=length)
    return [Action(rng.randrange(gates + 1), kind) for kind in kinds]


def one_by_one(
    environment: QuantumCircuitEnvironment, actions: list[Action]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Play up to the first invalid action or the end; yield each entry of the plan, and what is seen."""
    for action in actions:
        seen = environment.step(single(action)).model_dump()
        yield {"action_result": seen["metadata"]["action_result"], "reward": seen["reward"]}, seen
        if seen["done"] or seen["metadata"]["action_result"] != RULES[action.action_type].accepted:
            return


def twins(start: dict[str, Any]) -> tuple[QuantumCircuitEnvironment, QuantumCircuitEnvironment]:
    """Return an environment with plans and one without, both at the same start."""
    both = QuantumCircuitEnvironment(), QuantumCircuitEnvironment()
    first = both[0].reset(**start, plans=True, episode_id="same").model_dump()
    assert first["metadata"].pop("plan") == []
    assert first == both[1].reset(**start, episode_id="same").model_dump()
    return both


@pytest.mark.parametrize("start", STARTS, ids=json.dumps)
def test_a_plan_is_its_actions_one_by_one(start: dict[str, Any]) -> None:
    planned, plain = twins(start)
    rng, over, broken = Random(7), 0, 0
    while over < 2:
        actions = drawn_plan(rng, plain.state.gate_count or 0)
        whole = planned.step(plan_of(actions)).model_dump()
        entries, steps = zip(*one_by_one(plain, actions), strict=True)
        assert whole["metadata"].pop("plan") == list(entries)
        assert whole["reward"] == fsum(entry["reward"] for entry in entries)
        assert whole == {**steps[-1], "reward": whole["reward"]}
        assert planned.state == plain.state
        assert grade(planned) == grade(plain) == whole["metadata"]["score"]
        broken += len(entries) < len(actions)
        over += whole["done"]
    assert broken
    assert plain.step(single(Action(0, 1))).metadata["action_result"] == ActionResult.EPISODE_OVER


@pytest.mark.parametrize("task", TIERS)
def test_a_whole_solution_is_one_step(task: str) -> None:
    for seed in range(5):
        played = Episode(generate(task, seed), par=TIERS[task].par)
        actions = list(play(played, cancel_first, Random(seed)))
        environment = QuantumCircuitEnvironment()
        environment.reset(task=task, seed=seed, plans=True)
        seen = environment.step(plan_of(actions))
        assert len(seen.metadata["plan"]) == len(actions) == environment.state.step_count
        assert seen.gate_count == played.gate_count
        assert {each["action_result"] for each in seen.metadata["plan"]} <= {
            rule.accepted for rule in RULES.values()
        }


def test_what_follows_the_first_invalid_action_is_not_played() -> None:
    environment = QuantumCircuitEnvironment()
    environment.reset(circuit=[H] * 4, num_qubits=1, plans=True)
    seen = environment.step(plan_of([Action(0, 1), Action(9, 1), Action(0, 1)]))
    assert seen.metadata["plan"] == [
        {"action_result": "cancelled", "reward": 1.0},
        {"action_result": "invalid_index", "reward": -0.1},
    ]
    assert (seen.reward, seen.gate_count, seen.metadata["step"], seen.done) == (0.9, 2, 2, False)


def test_nothing_is_played_after_the_end() -> None:
    environment = QuantumCircuitEnvironment()
    environment.reset(circuit=[H] * 2, num_qubits=1, plans=True)
    assert len(environment.step(plan_of([Action(0, 1)] * 5)).metadata["plan"]) == 1
    seen = environment.step(plan_of([Action(0, 1)] * 5))
    assert seen.metadata["plan"] == [{"action_result": "episode_over", "reward": 0.0}]
    assert (seen.reward, seen.metadata["step"]) == (0.0, 1)


def test_without_the_option_a_plan_is_refused_and_every_reward_is_one_actions() -> None:
    environment = QuantumCircuitEnvironment()
    environment.reset(task="hard", seed=1, plans=True)
    environment.reset(task="hard", seed=1)
    before = environment.state
    with pytest.raises(PlanError, match=r'reset with "plans": true'):
        environment.step(plan_of([Action(0, 2), Action(1, 2)]))
    assert environment.state == before
    rng = Random(3)
    for _ in range(STEP_LIMIT):
        action = Action(rng.randrange(70), rng.choice(list(RULES)))
        assert environment.step(single(action)).reward in {1.0, -0.05, 2.0, -0.1}


def test_the_rubrics_parts_add_up_to_a_plans_reward() -> None:
    environment = QuantumCircuitEnvironment()
    environment.reset(
        circuit=[{"name": name, "target_qubits": [0]} for name in "HXHZHH"], num_qubits=2, plans=True
    )
    environment.step(plan_of([Action(0, 3), Action(0, 1), Action(0, 2)]))
    assert environment.rubric is not None
    parts = {name: part.last_score for name, part in environment.rubric.named_rubrics()}
    assert parts == {"cancel": 1.0, "swap": 0.0, "hxh": 2.0, "cnots": 0.0, "invalid": -0.1}
    environment.reset(task="easy", seed=1, plans=True)
    seen = environment.step(plan_of([Action(20, 1)]))
    assert environment.rubric.last_score == seen.reward == -0.1


def test_both_ways_to_play_a_plan_answer_to_the_letter_alike() -> None:
    for start in STARTS:
        ours, theirs = QuantumCircuitEnvironment(), QuantumCircuitEnvironment()
        for environment in (ours, theirs):
            environment.reset(**start, plans=True)
        rng = Random(2)
        for _ in range(40):
            plan = plan_of(drawn_plan(rng, ours.state.gate_count or 0))
            found = ordinary_step(json.dumps({"type": "step", "data": payload(plan)}))
            assert found == plan
            assert (
                asyncio.run(ours.answer(found))
                == WSObservationResponse(data=serialize_observation(theirs.step(plan))).model_dump_json()
            )


def payload(action: QuantumCircuitAction) -> dict[str, Any]:
    return QuantumCircuitEnv._step_payload(None, action)  # type: ignore[arg-type]


def test_the_client_sends_a_single_action_as_ever() -> None:
    assert json.dumps(payload(single(Action(3, 1)))) == '{"target_index": 3, "action_type": 1}'
    assert json.dumps(payload(plan_of([Action(3, 1), Action(0, 2)]))) == (
        '{"target_index": 3, "action_type": 1, "then": [{"target_index": 0, "action_type": 2}]}'
    )


def test_a_plan_is_one_to_150_plain_actions() -> None:
    for count in (0, MAX_THEN + 2):
        with pytest.raises(ValueError, match=f"1 to {STEP_LIMIT} actions, got {count}"):
            plan_of([Action(0, 1)] * count)
    assert len(plan_of([Action(0, 1)] * (MAX_THEN + 1)).then) == MAX_THEN
    with pytest.raises(ValueError, match="one by one"):
        QuantumCircuitAction.plan([plan_of([Action(0, 1)] * 2)])


@pytest.mark.parametrize(
    "then",
    [
        None,
        "all",
        {"target_index": 0, "action_type": 1},
        [0],
        [{"target_index": 0}],
        [{"target_index": -1, "action_type": 1}],
        [{"target_index": 0, "action_type": 5}],
        [{"target_index": True, "action_type": 1}],
        [{"target_index": 0, "action_type": 1, "then": []}],
        [{"target_index": 0, "action_type": 1, "metadata": {}}],
        [{"target_index": 0, "action_type": 1}] * (MAX_THEN + 1),
    ],
    ids=lambda then: json.dumps(then)[:60],
)
def test_a_bad_plan_is_refused_and_changes_nothing(server_url: str, then: Any) -> None:
    action = {"target_index": 0, "action_type": 2, "then": then}
    with pytest.raises(ValidationError):
        QuantumCircuitAction.model_validate(action)
    with session(server_url) as one:
        one.reset(task="easy", seed=42, plans=True)
        message = one.refused({"type": "step", "data": action}, "VALIDATION_ERROR")
        assert f"a list of at most {MAX_THEN} further ones" in message
        assert one.state()["step_count"] == 0


def test_plans_over_the_socket(server_url: str) -> None:
    actions = list(play(Episode(generate("hard", 13)), random_legal, Random(1)))[:30]
    data = payload(plan_of(actions))
    with session(server_url) as planned, session(server_url) as plain:
        planned.reset(task="hard", seed=13, plans=True)
        plain.reset(task="hard", seed=13)
        for refused in ('{"type": "step", "data": %s}', '{"type":  "step", "data": %s}'):
            assert "plans" in plain.refused(refused % json.dumps(data), "EXECUTION_ERROR")
        assert plain.state()["step_count"] == 0
        whole = planned.ask({"type": "step", "data": data})["data"]
        for action in actions:
            last = plain.step(*action)
        assert len(whole["metadata"].pop("plan")) == len(actions)
        assert whole["observation"]["circuit"] == last["observation"]["circuit"]
        assert whole["metadata"] == last["metadata"]
        assert {**planned.state(), "episode_id": None} == {**plain.state(), "episode_id": None}
        # The next reset says anew whether plans are taken.
        planned.reset(task="hard", seed=13)
        planned.refused({"type": "step", "data": data}, "EXECUTION_ERROR")


def test_the_client_plays_plans(server_url: str) -> None:
    with QuantumCircuitEnv(base_url=server_url).sync() as env:
        env.reset(task="medium", seed=7, plans=True)
        seen = env.step(plan_of([Action(0, 2), Action(99, 1), Action(0, 1)])).observation
    assert [each["action_result"] for each in seen.metadata["plan"]][-1] in {"not_commuting", "invalid_index"}


def test_a_plan_on_a_large_circuit() -> None:
    environment = QuantumCircuitEnvironment()
    environment.reset(circuit=[H] * (LARGE + 10), num_qubits=1, plans=True)
    seen = asyncio.run(environment.step_async(plan_of([Action(0, 1)] * 4)))
    assert (seen.reward, seen.gate_count, len(seen.metadata["plan"])) == (4.0, LARGE + 2, 4)
