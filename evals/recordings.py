"""Recorded episodes: one episode as a file, for the playground to play back."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

FORMAT: Final = "quantum_circuit_env/episode/1"
"""What a recorded episode says it is."""


def recording(task: str, seed: int, agent: str) -> dict[str, Any]:
    """Play an episode and return its record.

    Keys: `format`; `game_version`; `task` and `seed`, which name the circuit; `player`, the agent;
    `actions`, a list of [target_index, action_type] in the order in which they were played; `score`, the
    grade at the end.

    Args:
        task: a tier.
        seed: its seed.
        agent: the agent's SPEC.

    Raises:
        SpecError: there is no such agent.
        TaskError: there is no such task.
    """
    # Imported here so that the commands' --help answers at once.
    from qrewrite.tasks import GAME_VERSION, tier_of
    from quantum_circuit_env.agents.registry import agent_factory
    from quantum_circuit_env.agents.spec import AgentSpec
    from quantum_circuit_env.evals.playing import LocalSession, play_unit
    from quantum_circuit_env.evals.units import Unit

    spec = AgentSpec.parse(agent)
    tier = tier_of(task, seed).name
    unit = Unit(revision=GAME_VERSION, agent=str(spec), tier=tier, seed=seed, sample=0)
    episode = play_unit(unit, agent_factory(spec), LocalSession())
    return {
        "format": FORMAT,
        "game_version": GAME_VERSION,
        "task": tier,
        "seed": seed,
        "player": str(spec),
        "actions": [[played.target_index, played.action_type] for played in episode.actions],
        "score": episode.score,
    }


def record(
    task: Annotated[str, typer.Option(help="Task of the circuit.")],
    seed: Annotated[int, typer.Option(help="Seed of the circuit.")],
    agent: Annotated[str, typer.Option(metavar="SPEC", help="Who plays.")] = "optimal",
    out: Annotated[Path | None, typer.Option(help="File to write.", show_default="standard output")] = None,
) -> None:
    """Record an episode as a file that the playground plays back."""
    from quantum_circuit_env.agents.spec import SpecError

    try:
        text = f"{json.dumps(recording(task, seed, agent))}\n"
    except SpecError as error:
        raise typer.BadParameter(str(error)) from None
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
