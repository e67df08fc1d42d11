"""Units as the tests play them."""

from dataclasses import replace

from quantum_circuit_env.agents.provider import Provider
from quantum_circuit_env.agents.registry import agent_factory
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.playing import LocalSession, play_unit
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.units import Unit

FIRST = 3_000_000
"""First seed of the test split, whose optima are in the table."""

SCRIPTED = (
    "null",
    "invalid-spam",
    "swap-loop",
    "always-0-1",
    "uniform",
    "random-legal",
    "cancel-first",
    "identity-first",
    "best-of:k=3",
    "beam:width=1",
    "optimal",
)
"""Agents that need no service."""

LLM = "llm:model=fake"


def unit(agent: str, tier: str = "easy", seed: int = FIRST, sample: int = 0) -> Unit:
    return Unit("r1", str(AgentSpec.parse(agent)), tier, seed, sample)


def played(
    agent: str,
    tier: str = "easy",
    *,
    seed: int = FIRST,
    sample: int = 0,
    turns: int = 150,
    provider: Provider | None = None,
) -> Episode:
    """Play a unit in process."""
    one = unit(agent, tier, seed, sample)
    return play_unit(one, agent_factory(AgentSpec.parse(agent), provider), LocalSession(), turns)


def timeless(episode: Episode) -> Episode:
    """Return the episode without what differs from one play of it to the next."""
    return replace(episode, latency_s=0.0, started_at="", run_id="")
