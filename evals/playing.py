"""Playing one unit: the episode that `evaluate` stores, in process or over a server's session."""

from collections.abc import Callable
from random import Random

from qrewrite.game import STEP_LIMIT
from quantum_circuit_env.agents.agent import Agent
from quantum_circuit_env.agents.loop import Game
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.units import Unit


def play_unit(
    unit: Unit,
    agent_factory: Callable[[Random], Agent],
    session: Game,
    turns: int = STEP_LIMIT,
    *,
    run_id: str = "",
    split: str | None = None,
) -> Episode:
    """Play the unit with an agent of its own and return its record; faults make it incomplete.

    Args:
        unit: what to play.
        agent_factory: makes the agent from the unit's source of randomness (`agents.registry.agent_factory`).
        session: where to play: a `LocalSession`, or an `agents.session.Session` of a server.
        turns: turns that the agent gets at most.
        run_id, split: noted in the record.
    """
    raise NotImplementedError


class LocalSession:
    """A session without a server: says what a server's session says, in the same words."""
