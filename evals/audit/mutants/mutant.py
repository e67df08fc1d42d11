"""What a mutant is, and the evaluator without a defect that all of them differ from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.evaluator import Evaluator
from quantum_circuit_env.evals.audit.local import LocalGame

CLEAN: Final = Evaluator("the game without a defect")

Grader: TypeAlias = Callable[[object], float]


@dataclass(frozen=True, slots=True)
class Mutant:
    """An evaluator with one defect.

    Attributes:
        probe: id of the probe that must find it.
        defect: what is wrong with it, as a sentence.
        evaluator: the evaluator.
        seeds: tasks of each tier on which the defect shows.
    """

    probe: str
    defect: str
    evaluator: Evaluator
    seeds: int = 1


def played(game: Callable[[], LocalGame]) -> Evaluator:
    """Return the clean evaluator with another game."""
    return replace(CLEAN, name="a mutant", open=game)


def graded(graders: Grader | Mapping[str, Grader]) -> Evaluator:
    """Return the clean evaluator with another grader, for all tiers or for each."""
    by_tier = dict.fromkeys(TIERS, graders) if callable(graders) else graders
    return replace(CLEAN, name="a mutant", graders=MappingProxyType(dict(by_tier)))
