"""The typed client against a real server."""

import pytest
from quantum_circuit_env.client import QuantumCircuitEnv
from quantum_circuit_env.models import QuantumCircuitAction


def test_plays_an_episode_blocking(server_url: str) -> None:
    with QuantumCircuitEnv(base_url=server_url).sync() as env:
        first = env.reset(task="easy", seed=42)
        assert first.observation.gate_count == 20
        result = env.step(QuantumCircuitAction(target_index=20, action_type=1))
    assert result.reward == pytest.approx(-0.1)
    assert result.observation.metadata["action_result"] == "invalid_index"
