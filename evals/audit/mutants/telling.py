"""Evaluators that tell too much or too little.

What each game overrides is documented where it is defined, in `LocalGame`.
"""

# ruff: noqa: D102

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from qrewrite.tasks import SPLITS
from quantum_circuit_env.agents.agent import Seen
from quantum_circuit_env.agents.llm import messages
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.mutants.mutant import CLEAN, Mutant, graded, played
from quantum_circuit_env.evals.audit.subject import solved
from quantum_circuit_env.server.arguments import Start, check_reset


class Leaking(LocalGame):
    """Shows a plan in the metadata."""

    def metadata(self) -> dict[str, Any]:
        return super().metadata() | {"plan": solved(self.running().circuit()).best.actions}


class Telling(LocalGame):
    """Tells in the prompt how a circuit was made."""

    def prompt(self) -> str:
        return super().prompt() + ("" if self.started().own else "\nIts pairs are at 3 and 7.")


class Whispering(LocalGame):
    """Tells a plan in the prompt, whoever made the circuit."""

    def prompt(self) -> str:
        plan = solved(self.running().circuit()).best.actions
        return f"{super().prompt()}\n{' '.join(str(action.target_index) for action in plan)}"


class Logging(LocalGame):
    """Writes a plan into the log."""

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        plan = solved(self.running().circuit()).best.actions
        logging.getLogger("mutant").info("a way to win: %s", [tuple(action) for action in plan])


class Silent(LocalGame):
    """Keeps to itself how it grades."""

    def prompt(self) -> str:
        return "\n".join(line for line in super().prompt().splitlines() if not line.startswith("Grade"))


class Swapped(LocalGame):
    """Serves tasks of train as those of test."""

    def check(self, data: dict[str, Any]) -> Start:
        return check_reset(data | {"split": "train"}) if data.get("split") == "test" else super().check(data)


def _best_in_the_tasks() -> Mapping[str, str]:
    return {"tasks of test": json.dumps({"tasks": [{"id": "test/0", "task": "easy", "fewest": 4}]})}


def _plan_in_the_schema() -> Mapping[str, str]:
    properties = {"circuit": {"type": "array"}, "plan": {"type": "array"}}
    return {"/schema": json.dumps({"title": "QuantumCircuitObservation", "properties": properties})}


def _paths_on_a_page() -> Mapping[str, str]:
    return {"/docs": "<p>Graded by server/graders.py.</p>"}


def _without_turns(seen: Seen) -> Sequence[Mapping[str, str]]:
    return messages(seen._replace(turns_left=150))


def _hidden(episode: object) -> float:
    """Read what nobody is shown."""
    if isinstance(episode, Mapping):
        episode.get("seconds")
    return 0.5


_OVERLAPPING: Final = {"train": SPLITS["train"].seeds, "test": SPLITS["train"].seeds[:200]}

MUTANTS: Final = (
    Mutant("L1", "the metadata hold a plan", played(Leaking)),
    Mutant("L1", "the prompt tells of the planted pairs", played(Telling)),
    Mutant("L1", "the prompt tells a plan", played(Whispering)),
    Mutant("L1", "the log tells a plan", played(Logging)),
    Mutant("L1", "a list of tasks tells the optimum", replace(CLEAN, pages=_best_in_the_tasks)),
    Mutant("L1", "a schema has a plan", replace(CLEAN, pages=_plan_in_the_schema)),
    Mutant("L1", "a page tells where the graders are", replace(CLEAN, pages=_paths_on_a_page)),
    Mutant("L2", "the test split is the published seeds", replace(CLEAN, splits={"test": (7, 13, 42)})),
    Mutant("L2", "train and test share seeds", replace(CLEAN, splits=_OVERLAPPING)),
    Mutant("L2", "what is served as test is train", played(Swapped)),
    Mutant("L3", "the prompt does not say how it is graded", played(Silent)),
    Mutant("L3", "a model is not told how many turns it has", replace(CLEAN, ask_model=_without_turns)),
    Mutant("L3", "a grader reads what nobody is shown", graded(_hidden)),
)
