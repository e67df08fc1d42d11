"""The baseline board: every built-in agent on the first seeds of a split, at full length and at a model's.

Played anew by the same evaluator it is the same to the last byte: no date, no duration and nothing about the
machine is in it.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.registry import LLM
from quantum_circuit_env.agents.spec import CATALOGUE, AgentSpec
from quantum_circuit_env.evals.baseline_runs import Shown, executor_for, progress_shown
from quantum_circuit_env.evals.compare import compare
from quantum_circuit_env.evals.comparison import Comparison
from quantum_circuit_env.evals.configuration import Config, EvaluateError, first_seeds
from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.store import INFO

AGENTS: Final = tuple(AgentSpec.parse(name) for name in CATALOGUE if name != LLM)
"""Who is on the board."""

SEEDS: Final = 200
SPLIT: Final = "test"
TURNS: Final = (150, 15)
"""The step limit, and what `inference.py` gives a model: results of different budgets are not comparable."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which board; EvaluateError or SplitError for what cannot be.

    Attributes:
        seeds: first seeds of the split, on each tier.
        split: whose seeds.
        turns: a table for each of these budgets.
    """

    seeds: int = SEEDS
    split: str = SPLIT
    turns: tuple[int, ...] = TURNS

    def __post_init__(self) -> None:
        if not self.turns or len(set(self.turns)) < len(self.turns):
            raise EvaluateError(f"turns must be at least one number, each once, got {list(self.turns)}")
        for turns in self.turns:
            self.config(turns)

    @property
    def command(self) -> str:
        """What makes this board."""
        told = {
            "--seeds": (self.seeds, SEEDS),
            "--split": (self.split, SPLIT),
            "--turns": (",".join(map(str, self.turns)), ",".join(map(str, TURNS))),
        }
        options = [f"{name} {value}" for name, (value, default) in told.items() if value != default]
        return " ".join(["uv run quantum-circuit-env board", *options])

    def config(self, turns: int, workers: int = 1) -> Config:
        """Return the evaluation of one budget."""
        return Config(
            agents=AGENTS,
            seeds=first_seeds(self.split, self.seeds),
            split=self.split,
            turns=turns,
            executor=executor_for(self.seeds),
            workers=workers,
        )


def played(
    asked: Asked, out: Path, *, workers: int = 2, interrupts: Interrupts | None = None
) -> list[Comparison]:
    """Return the comparison of each budget; its run is kept in a folder of `out`, and goes on if it is there.

    Raises:
        StoreError: if a folder cannot be used, such as one of a board of another evaluator.
        ExecutorError: if a worker ends; what was stored stays.
        MissingExtraError: if the statistics need a package that is not installed.
    """
    found = []
    for turns in asked.turns:
        path = out / f"turns-{turns}"
        with progress_shown() as progress, Shown(progress, f"{turns} turns", path) as watcher:
            run = evaluate(
                asked.config(turns, workers),
                path,
                resume=(path / INFO).exists(),
                watcher=watcher,
                interrupts=interrupts,
            )
        # The run's own name has its date in it.
        found.append(replace(compare([run]), runs=(path.name,)))
    return found
