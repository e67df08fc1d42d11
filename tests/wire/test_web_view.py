"""What OpenEnv's web interface is given: a drawing of an observation and legal actions to click on."""

import json
from typing import Any

import pytest
from openenv.core.env_server.serialization import serialize_observation

from qrewrite.circuits import Circuit
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.models import QuantumCircuitAction, QuantumCircuitObservation
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from quantum_circuit_env.server.web_view import SWAPS_OFFERED
from support.circuits import plain
from support.drawn_svg import read_svg


def handed_over(observation: QuantumCircuitObservation) -> dict[str, Any]:
    """Return an observation as OpenEnv's web interface passes it on."""
    sent = json.loads(json.dumps(serialize_observation(observation)))
    return {**sent["observation"], "reward": sent["reward"], "done": sent["done"]}


@pytest.fixture
def env() -> QuantumCircuitEnvironment:
    return QuantumCircuitEnvironment()


@pytest.mark.parametrize("task", TIERS)
def test_an_observation_is_drawn(env: QuantumCircuitEnvironment, task: str) -> None:
    seen = env.reset(task=task, seed=42)
    circuit = Circuit.from_records(seen.circuit, num_qubits=seen.num_qubits)
    # A fresh environment: what is drawn is the observation, not the session's episode.
    html = QuantumCircuitEnvironment().render_web(handed_over(seen))
    assert html == env.render_web(seen)
    drawing = read_svg(html)
    assert [(gate.name, gate.qubits) for gate in drawing.gates] == plain(circuit)
    assert drawing.size.right <= 860, "a long circuit is cut into blocks"


@pytest.mark.parametrize("task", TIERS)
def test_the_actions_offered_are_legal_reductions_first_and_few_swaps(
    env: QuantumCircuitEnvironment, task: str
) -> None:
    seen = env.reset(task=task, seed=42, hints=True)
    steps = 0
    while not seen.done:
        table = seen.metadata["legality"]
        assert table is not None
        legal = {(index, kind) for index, row in enumerate(table) for kind in RULES if row[kind - 1] == "ok"}
        offered = QuantumCircuitEnvironment().web_actions(handed_over(seen))
        assert offered == env.web_actions(seen)
        pairs = [(action["target_index"], action["action_type"]) for _, action in offered]
        reducing = sorted(pair for pair in legal if RULES[pair[1]].removes)
        assert pairs == reducing + sorted(legal - set(reducing))[:SWAPS_OFFERED]
        assert [label for label, _ in offered] == [f"{RULES[kind].name}({index})" for index, kind in pairs]
        label, action = offered[0]
        seen = env.step(QuantumCircuitAction.model_validate(action))
        assert seen.metadata["action_result"] == RULES[action["action_type"]].accepted, label
        steps += 1
        if steps > 40:
            break
    assert steps > 5


def test_an_episode_that_is_over_offers_nothing(env: QuantumCircuitEnvironment) -> None:
    x, h = ({"name": name, "target_qubits": [0]} for name in "XH")
    seen = env.reset(circuit=[x, x], num_qubits=1)
    assert [label for label, _ in env.web_actions(handed_over(seen))] == ["cancel(0)"]
    seen = env.step(QuantumCircuitAction(target_index=0, action_type=1))
    assert env.web_actions(handed_over(seen)) == []
    assert read_svg(env.render_web(handed_over(seen))).gates == []
    assert env.web_actions(handed_over(env.reset(circuit=[h], num_qubits=1))) == []
