"""The rubric: a tree whose parts are the reward of each step."""

from random import Random

import pytest
from openenv.core.rubrics import Rubric

from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.models import QuantumCircuitAction
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment


@pytest.fixture
def env() -> QuantumCircuitEnvironment:
    return QuantumCircuitEnvironment()


def scores(env: QuantumCircuitEnvironment) -> dict[str, float | None]:
    assert env.rubric is not None
    return {name: part.last_score for name, part in env.rubric.named_rubrics()}


def act(target_index: int, action_type: int) -> QuantumCircuitAction:
    return QuantumCircuitAction(target_index=target_index, action_type=action_type)


def drawn(rng: Random, table: list[list[str]] | None, count: int) -> QuantumCircuitAction:
    """Return a legal action most of the time, reductions before swaps, and any action else."""
    legal = [
        (index, kind) for index, row in enumerate(table or []) for kind in RULES if row[kind - 1] == "ok"
    ]
    reducing = [action for action in legal if RULES[action[1]].removes]
    if legal and rng.random() < 0.8:
        return act(*rng.choice(reducing or legal))
    return act(rng.randrange(count + 2), rng.choice(list(RULES)))


@pytest.mark.parametrize("task", TIERS)
@pytest.mark.parametrize("seed", range(4))
def test_after_each_step_the_parts_are_the_reward(
    env: QuantumCircuitEnvironment, task: str, seed: int
) -> None:
    rng = Random(seed)
    seen = env.reset(task=task, seed=seed, hints=True)
    earned: set[str] = set()
    for _ in range(160):
        action = drawn(rng, seen.metadata["legality"], seen.gate_count)
        seen = env.step(action)
        parts = scores(env)
        assert env.rubric is not None
        assert sum(value or 0.0 for value in parts.values()) == env.rubric.last_score == seen.reward
        paid = {name for name, value in parts.items() if value}
        assert len(paid) == (seen.reward != 0)
        if seen.reward > 0:
            assert paid == {RULES[action.action_type].name}
        elif seen.reward == INVALID_REWARD:
            assert paid == {"invalid"}
        assert env.rubric(action, seen) == seen.reward
        assert scores(env) == parts
        earned |= paid
    assert "cancel" in earned


def test_the_parts_are_the_rules_and_the_invalid_action(env: QuantumCircuitEnvironment) -> None:
    assert list(scores(env)) == [*(rule.name for rule in RULES.values()), "invalid"]
    assert env.rubric is not None
    assert env.rubric.get_rubric("swap").last_score == 0.0


def test_every_part_is_zero_after_a_reset_and_after_the_end(env: QuantumCircuitEnvironment) -> None:
    pair = [{"name": "H", "target_qubits": [0]}] * 2
    for task in TIERS:
        env.reset(circuit=pair, num_qubits=1, task=task)
        assert env.rubric is not None
        assert {*scores(env).values(), env.rubric.last_score} == {0.0}
        env.step(act(0, 1))
        assert scores(env)["cancel"] == env.rubric.last_score == RULES[1].reward
        env.step(act(0, 1))
        assert {*scores(env).values(), env.rubric.last_score} == {0.0}


def test_a_refused_reset_leaves_the_scores(env: QuantumCircuitEnvironment) -> None:
    env.reset(task="easy", seed=1)
    env.step(act(10_000, 1))
    before = scores(env)
    with pytest.raises(ValueError, match="seed must be"):
        env.reset(seed=-1)
    assert scores(env) == before
    assert before["invalid"] == INVALID_REWARD


def test_a_part_that_is_asked_itself_scores_its_part(env: QuantumCircuitEnvironment) -> None:
    env.reset(task="easy", seed=1)
    action = act(10_000, 1)
    seen = env.step(action)
    assert env.rubric is not None
    answers = {name: part(action, seen) for name, part in env.rubric.named_rubrics()}
    assert answers == scores(env)
    assert sum(answers.values()) == seen.reward


def test_hooks_hear_of_every_step(env: QuantumCircuitEnvironment) -> None:
    heard: list[tuple[str, float]] = []
    env.reset(task="easy", seed=1)
    assert env.rubric is not None
    env.rubric.get_rubric("invalid").register_forward_hook(
        lambda _rubric, _action, _seen, score: heard.append(("invalid", score))
    )
    env.rubric.register_forward_hook(lambda _rubric, _action, _seen, score: heard.append(("all", score)))
    env.rubric.get_rubric("swap").register_forward_pre_hook(
        lambda _rubric, _action, _seen: heard.append(("before swap", 0.0))
    )
    env.step(act(10_000, 1))
    assert heard == [("before swap", 0.0), ("invalid", INVALID_REWARD), ("all", INVALID_REWARD)]


def test_no_rubric_is_shared_between_sessions() -> None:
    one, two = QuantumCircuitEnvironment(), QuantumCircuitEnvironment()
    for env in (one, two):
        env.reset(task="easy", seed=1)
    one.step(act(10_000, 1))
    assert scores(one)["invalid"] == INVALID_REWARD
    assert set(scores(two).values()) == {0.0}
    assert one.rubric is not None
    assert two.rubric is not None
    assert isinstance(one.rubric, Rubric)
    assert not {*map(id, one.rubric.rubrics())} & {*map(id, two.rubric.rubrics())}
