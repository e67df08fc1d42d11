"""Steps that the front layer plays itself: answered to the letter as OpenEnv answers them."""

import asyncio
import json
from collections import deque
from random import Random
from typing import Any

import pytest
from openenv.core.env_server.serialization import serialize_observation
from openenv.core.env_server.types import WSObservationResponse

from qrewrite.game import Action, Episode
from qrewrite.policies import play, random_legal
from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.models import QuantumCircuitAction, QuantumCircuitObservation
from quantum_circuit_env.server.environment import LARGE, QuantumCircuitEnvironment
from quantum_circuit_env.server.frontdoor import FrontDoor
from quantum_circuit_env.server.messages import ordinary_step
from quantum_circuit_env.server.rubric import StepReward
from support.sockets import session

WORD = [{"name": name, "target_qubits": [0]} for name in ("H", "X", "H", "Z")]
STARTS: list[dict[str, Any]] = [
    *({"task": task, "seed": seed} for task in TIERS for seed in range(3)),
    {"task": "hard", "seed": 5, "hints": True},
    {"circuit": WORD, "num_qubits": 12},
    {"circuit": [], "num_qubits": 1},
]


def frame_of(action: Action) -> str:
    return json.dumps({"type": "step", "data": action._asdict()})


def openenv_answer(environment: QuantumCircuitEnvironment, action: Action) -> str:
    """Return what OpenEnv's route sends for this step."""
    observation = environment.step(QuantumCircuitAction(**action._asdict()))
    assert QuantumCircuitObservation.model_validate(observation.model_dump()) == observation
    return WSObservationResponse(data=serialize_observation(observation)).model_dump_json()


def our_answer(environment: QuantumCircuitEnvironment, action: Action) -> str:
    """Return what the front layer sends for this step."""
    found = ordinary_step(frame_of(action))
    assert found == QuantumCircuitAction(**action._asdict())
    return asyncio.run(environment.answer(found))


def reset_twice(start: dict[str, Any]) -> tuple[QuantumCircuitEnvironment, QuantumCircuitEnvironment]:
    twins = QuantumCircuitEnvironment(), QuantumCircuitEnvironment()
    for twin in twins:
        twin.reset(**start)
    return twins


def test_steps_are_answered_alike_whether_or_not_somebody_hears_of_them() -> None:
    ours, theirs = reset_twice({"task": "medium", "seed": 3})
    heard: list[float] = []
    assert isinstance(ours.rubric, StepReward)
    ours.rubric.register_forward_hook(lambda _rubric, _action, _seen, score: heard.append(score))
    actions = [Action(0, 2), Action(0, 1), Action(99, 1)]
    assert [our_answer(ours, action) for action in actions] == [
        our_answer(theirs, action) for action in actions
    ]
    assert len(heard) == len(actions)
    assert heard[-1] == INVALID_REWARD


@pytest.mark.parametrize("start", STARTS, ids=json.dumps)
def test_any_actions_are_answered_to_the_letter_as_by_openenv(start: dict[str, Any]) -> None:
    ours, theirs = reset_twice(start)
    rng = Random(1)
    # So many steps go past the end of every episode.
    for _ in range(160):
        action = Action(rng.randrange(70), rng.choice(list(RULES)))
        assert our_answer(ours, action) == openenv_answer(theirs, action)
    assert '"action_result":"episode_over"' in our_answer(ours, Action(0, 1))


@pytest.mark.parametrize("task", TIERS)
def test_whole_episodes_are_answered_to_the_letter_as_by_openenv(task: str) -> None:
    results = set()
    for seed in range(4):
        ours, theirs = reset_twice({"task": task, "seed": seed})
        for action in play(Episode(generate(task, seed), par=TIERS[task].par), random_legal, Random(seed)):
            answer = our_answer(ours, action)
            assert answer == openenv_answer(theirs, action)
            results.add(json.loads(answer)["data"]["metadata"]["action_result"])
    assert results >= {rule.accepted for rule in RULES.values() if not rule.advanced}


def test_a_large_circuit_is_answered_to_the_letter_as_by_openenv() -> None:
    ours, theirs = reset_twice({"circuit": WORD * (LARGE // 2), "num_qubits": 1})
    for action in (Action(0, 3), Action(0, 1), Action(LARGE, 2)):
        assert our_answer(ours, action) == openenv_answer(theirs, action)


@pytest.mark.parametrize(
    "frame",
    [
        '{"type": "step", "data": {"target_index": 01, "action_type": 1}}',
        '{"type": "step", "data": {"target_index": 1, "action_type": 5}}',
        '{"type": "step", "data": {"target_index": 1, "action_type": 12}}',
        '{"type": "step", "data": {"target_index": -1, "action_type": 1}}',
        '{"type": "step", "data": {"target_index": 1.0, "action_type": 1}}',
        '{"type": "step", "data": {"target_index": "1", "action_type": 1}}',
        '{"type": "step", "data": {"target_index": ١, "action_type": 1}}',
        '{"type": "step", "data": {"target_index": 1, "action_type": 1}} ',
        '{"type": "step", "data": {"target_index": 1, "action_type": 1}}\n',
        '{"type": "step", "data": {"target_index": 1, "action_type": 1, "more": 1}}',
        '{"type": "step", "data": {"target_index": 1000000000, "action_type": 1}}',
        '{"type": "reset", "data": {"target_index": 1, "action_type": 1}}',
        "",
    ],
)
def test_only_what_is_in_order_at_a_glance_is_played_at_once(frame: str) -> None:
    assert ordinary_step(frame) is None


def test_both_ways_to_step_lead_on_in_the_same_episode(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(task="medium", seed=3)
        for steps in range(1, 9):
            data = {"target_index": steps, "action_type": 2}
            # With another order of keys, or a space more, a step goes through OpenEnv's route.
            frames = (
                '{"data": %s, "type": "step"}',
                '{"type": "step", "data": %s}',
                '{"type":  "step", "data": %s}',
            )
            told = one.ask(frames[steps % 3] % json.dumps(data))["data"]
            assert told["metadata"]["step"] == steps
            assert told["observation"]["metadata"] == told["metadata"]
        assert one.state()["step_count"] == 8


def test_a_step_before_the_first_reset_and_after_a_refused_one(server_url: str) -> None:
    with session(server_url) as one:
        assert "no episode yet" in one.refused(
            {"type": "step", "data": {"target_index": 0, "action_type": 1}}, "EXECUTION_ERROR"
        )
        one.refused({"type": "reset", "data": {"task": "none"}}, "VALIDATION_ERROR")
        assert "no episode yet" in one.refused(
            {"type": "step", "data": {"target_index": 0, "action_type": 1}}, "EXECUTION_ERROR"
        )
        one.reset(task="easy", seed=1)
        one.step(0, 1)
        one.refused({"type": "reset", "data": {"task": "none"}}, "VALIDATION_ERROR")
        assert one.step(0, 1)["metadata"]["step"] == 2


def test_the_front_layer_asks_openenv_for_no_ordinary_step() -> None:
    """The route here stands for OpenEnv's: after its reset it must hear of nothing but the goodbye."""
    step = frame_of(Action(0, 1))
    arriving = deque([step, step, '{"type": "close"}'])
    heard: list[str] = []
    sent: list[str] = []

    async def route(_scope: Any, receive: Any, _send: Any) -> None:
        await QuantumCircuitEnvironment().reset_async(1, task="easy")
        heard.append((await receive())["text"])

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "text": arriving.popleft()}

    async def send(event: Any) -> None:
        sent.append(event["text"])

    asyncio.run(FrontDoor(route)({"type": "websocket", "path": "/ws"}, receive, send))
    assert heard == ['{"type": "close"}']
    assert [json.loads(text)["data"]["metadata"]["step"] for text in sent] == [1, 2]
