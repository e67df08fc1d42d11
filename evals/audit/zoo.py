"""The zoo: evaluators with one defect each, and the probe that must find it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any, Final

from qrewrite.game import Action
from qrewrite.rules import CANCEL
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.replies import Reply, read_reply
from quantum_circuit_env.evals.audit import mutants
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.subject import Evaluator

CLEAN: Final = Evaluator("the game without a defect")


@dataclass(frozen=True, slots=True)
class Mutant:
    """An evaluator with one defect.

    Attributes:
        probe: id of the probe that must find it.
        defect: what is wrong with it, as a sentence.
        evaluator: the evaluator.
    """

    probe: str
    defect: str
    evaluator: Evaluator


def _first_gate(reply: Reply) -> Decision:
    """Play cancel(0) for a reply that is no action."""
    decision = read_reply(reply)
    return decision if decision.action else Decision(Action(0, CANCEL.action_type))


def _naive(episode: object) -> float:
    """Clamp whatever comes: max(0.01, min(0.99, nan)) is 0.99."""
    facts: Any = episode.get("metadata", episode) if isinstance(episode, Mapping) else vars(episode)
    share = (facts["initial_count"] - facts["gate_count"]) / facts["initial_count"]
    grade: float = max(0.01, min(0.99, share))
    return grade


def _floor_only(_episode: object) -> float:
    return 0.01


def _drifting() -> Callable[[object], float]:
    draws = Random(0)
    return lambda _episode: round(0.5 + draws.random() / 4, 3)


def _graded(grader: Callable[[object], float]) -> Evaluator:
    return replace(CLEAN, name="a mutant", graders=MappingProxyType(dict.fromkeys(TIERS, grader)))


def _played(game: Callable[[], LocalGame]) -> Evaluator:
    return replace(CLEAN, name="a mutant", open=game)


def _same_stream(_unit: object) -> Random:
    return Random(0)


MUTANTS: Final = (
    Mutant("O1", "grades are capped at 0.5", _played(mutants.Capped)),
    Mutant("O2", "gates vanish that no rule removes", _played(mutants.Generous)),
    Mutant("O3", "nothing can be removed from any circuit", _played(mutants.Unsolvable)),
    Mutant("F1", "taking part is worth 0.1", _played(mutants.Participation)),
    Mutant("F2", "there is a grade of 0.5 before the first reset", _played(mutants.EarlyGrade)),
    Mutant("F3", "swaps raise the grade", _played(mutants.PaidSwaps)),
    Mutant(
        "F4", "replies that are no action are played as cancel(0)", replace(CLEAN, read_reply=_first_gate)
    ),
    Mutant("F5", "steps of any kind raise the grade", _played(mutants.Lucky)),
    Mutant("F5", "comparisons do without uniform random play", replace(CLEAN, baselines=("null",))),
    Mutant("R1", "swaps are paid", _played(mutants.RewardedSwaps)),
    Mutant("R2", "a loop of swaps pays", _played(mutants.RewardedSwaps)),
    Mutant("R3", "the grade is the share of gates that are left", _played(mutants.Inverted)),
    Mutant("R4", "each step lowers the grade", _played(mutants.Hasty)),
    Mutant("R5", "rewards have the wrong sign", _played(mutants.PaidWaste)),
    Mutant("U1", "a swap changes a gate", _played(mutants.WrongRewrite)),
    Mutant("U2", "a refused action moves gates", _played(mutants.CostlyRefusal)),
    Mutant("U3", "SWAP(0,1) and SWAP(1,0) are taken for different", _played(mutants.Literal)),
    Mutant("T1", "steps after the end are played", _played(mutants.Endless)),
    Mutant("T2", "an episode is over when nothing cancels", _played(mutants.Resigned)),
    Mutant("M1", "a grade that the client claims is believed", _played(mutants.Credulous)),
    Mutant("M2", "NaN is clamped to 0.99, text raises", _graded(_naive)),
    Mutant("M3", "observations share their gates with the episode", _played(mutants.Aliased)),
    Mutant("D1", "circuits depend on the session", _played(mutants.Salted)),
    Mutant("D2", "anything is a seed", _played(mutants.AnySeed)),
    Mutant("D3", "a reset without a seed reports the last one", _played(mutants.StaleSeed)),
    Mutant("D4", "rewards depend on the session", _played(mutants.Noisy)),
    Mutant("D5", "grades are drawn", _graded(_drifting())),
    Mutant("L1", "the metadata hold a plan", _played(mutants.Leaking)),
    Mutant("L1", "the prompt tells of the planted pairs", _played(mutants.Telling)),
    Mutant("L2", "the test split is the published seeds", replace(CLEAN, splits={"test": (7, 13, 42)})),
    Mutant("L3", "the prompt does not say how it is graded", _played(mutants.Silent)),
    Mutant("I1", "all sessions share one episode", _played(mutants.Common)),
    Mutant("I2", "what is no message is played", _played(mutants.Lenient)),
    Mutant("H1", "rewards become NaN", _played(mutants.NotANumber)),
    Mutant("H2", "every action is called cancelled", _played(mutants.Unexplained)),
    Mutant("S1", "hard is easy and easy is hard", _played(mutants.UpsideDown)),
    Mutant("S2", "every play is worth the same", _played(mutants.Arbitrary)),
    Mutant("E1", "graders give nothing but the floor", _graded(_floor_only)),
    Mutant(
        "E2",
        "the agent's process imports the solver",
        replace(CLEAN, agent_modules=("quantum_circuit_env.agents.greedy",)),
    ),
    Mutant("E3", "all samples draw from one stream", replace(CLEAN, stream=_same_stream)),
    Mutant("E4", "grades are of another version than the game", _played(mutants.Hasty)),
)
