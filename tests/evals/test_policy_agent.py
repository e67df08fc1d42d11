"""Policies as agents: they play as the library plays them, plan once, and begin anew when surprised."""

from random import Random

import pytest

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Action, Episode, Position
from qrewrite.policies import (
    Policy,
    beam_search,
    best_order,
    cancel_first,
    identity_first,
    optimal,
    play,
    random_legal,
    uniform,
)
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.agents import policy_agent, scripted
from quantum_circuit_env.agents.agent import Seen
from quantum_circuit_env.agents.policy_agent import PolicyAgent
from quantum_circuit_env.agents.registry import make
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.playing import LocalSession, play_unit
from support.units import FIRST, SCRIPTED, played, unit

LIBRARY: dict[str, Policy] = {
    "null": scripted.nothing,
    "invalid-spam": scripted.invalid_spam,
    "swap-loop": scripted.swap_loop,
    "always-0-1": scripted.always_first,
    "uniform": uniform,
    "random-legal": random_legal,
    "cancel-first": cancel_first,
    "identity-first": identity_first,
    "best-of:k=3": best_order(3),
    "beam:width=1": beam_search(1),
    "optimal": optimal,
}


def seen(text: str, *, qubits: int = 3) -> Seen:
    circuit = Circuit.parse(text, num_qubits=qubits)
    return Seen(circuit, TIERS["easy"].scoring, len(circuit), 0, STEP_LIMIT)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("agent", SCRIPTED)
def test_agents_play_what_the_library_plays(agent: str, tier: str) -> None:
    episode = Episode(generate(tier, FIRST), par=TIERS[tier].par)
    actions = play(episode, LIBRARY[agent], unit(agent, tier).rng())
    assert [action[:2] for action in played(agent, tier).actions] == actions


@pytest.mark.parametrize("agent", ["best-of:k=3", "beam:width=1", "optimal"])
def test_who_plans_the_whole_episode_plans_once(agent: str) -> None:
    planned = []

    def counting(position: Position, rng: Random) -> tuple[Action, ...]:
        planned.append(LIBRARY[agent](position, rng))
        return planned[-1]

    episode = play_unit(unit(agent, "hard"), lambda rng: PolicyAgent(agent, counting, rng), LocalSession())
    assert [action[:2] for action in episode.actions] == list(planned[0])
    # Where nothing can be reduced any more the game ends by itself.
    assert len(planned) == 1


def test_an_agent_that_is_not_surprised_makes_one_position(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counting(circuit: Circuit) -> Position:
        made.append(circuit)
        return Position(circuit)

    monkeypatch.setattr(policy_agent, "Position", counting)
    for agent in ("random-legal", "uniform"):
        made.clear()
        assert played(agent, "hard").turns > 100
        assert made[1:] == [generate("hard", FIRST)]


@pytest.mark.parametrize("agent", ["cancel-first", "optimal", "beam", "random-legal", "best-of"])
def test_a_plan_that_no_longer_fits_is_made_anew(agent: str) -> None:
    player = make(AgentSpec.parse(agent), Random(1))
    first = player.decide(seen("X 0; X 0; Z 1; Z 1"))
    assert first is not None
    # Neither what was expected nor what was there: another circuit, then one on other wires.
    again = player.decide(seen("Y 0; H 1; H 1"))
    assert again is not None
    assert again.action in {Action(1, 1), Action(0, 2)}
    assert player.decide(seen("X 0; Y 0")) is None
    assert player.decide(seen("X 0; Y 0", qubits=4)) is None


def test_the_swap_loop_stops_where_nothing_can_be_swapped() -> None:
    player = make(AgentSpec.parse("swap-loop"), Random(0))
    assert player.decide(seen("X 0; H 0; CNOT 0 1; CNOT 1 2")) is None


def test_the_swap_loop_swaps_back_when_a_swap_lets_an_earlier_one_in() -> None:
    player = make(AgentSpec.parse("swap-loop"), Random(0))
    there = player.decide(seen("X 0; H 0; Z 1"))
    back = player.decide(seen("X 0; Z 1; H 0"))
    assert there is not None
    assert there.action == Action(1, 2)
    assert back == there


def test_more_plays_leave_no_more() -> None:
    circuit = generate("hard", FIRST)

    def left(plays: int) -> int:
        episode = Episode(circuit)
        play(episode, best_order(plays), Random(0))
        return episode.gate_count

    tried = [left(plays) for plays in (1, 5, 20)]
    assert tried == sorted(tried, reverse=True)
    assert tried[0] > tried[-1]
