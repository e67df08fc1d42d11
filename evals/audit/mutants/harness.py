"""Evaluators whose games are in order and whose graders, readers of replies or random streams are not."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from re import findall
from typing import Any, Final

from qrewrite.game import Action
from qrewrite.rules import CANCEL, RULES
from quantum_circuit_env.agents.agent import Decision, Seen
from quantum_circuit_env.agents.llm import messages
from quantum_circuit_env.agents.replies import Reply, read_reply
from quantum_circuit_env.evals.audit.mutants.mutant import CLEAN, Grader, Mutant, graded
from quantum_circuit_env.evals.units import Unit
from quantum_circuit_env.server.graders import GRADERS


def _first_gate(reply: Reply) -> Decision:
    """Play cancel(0) for a reply that is no action."""
    decision = read_reply(reply)
    return decision if decision.action else Decision(Action(0, CANCEL.action_type))


def _any_numbers(reply: Reply) -> Decision:
    """Make an action of the first two numbers that there are."""
    numbers = [int(digits) for digits in findall(r"[0-9]{1,3}", reply.text[:200])]
    if len(numbers) < 2 or numbers[1] not in RULES:
        return read_reply(reply)
    return Decision(Action(numbers[0], numbers[1]))


def _naive(episode: object) -> float:
    """Clamp whatever comes: max(0.01, min(0.99, nan)) is 0.99."""
    facts: Any = episode.get("metadata", episode) if isinstance(episode, Mapping) else vars(episode)
    share = (facts["initial_count"] - facts["gate_count"]) / facts["initial_count"]
    grade: float = max(0.01, min(0.99, share))
    return grade


def _truthy(episode: object) -> float:
    """Give the bonus for whatever is true in some way."""
    if isinstance(episode, Mapping) and "used_advanced_actions" in episode:
        episode = {**episode, "used_advanced_actions": bool(episode["used_advanced_actions"])}
    return GRADERS["medium"](episode)


def _floor_only(_episode: object) -> float:
    return 0.01


def _half_without_episode(episode: object) -> float:
    return GRADERS["easy"](episode) if episode else 0.5


def _odd(episode: object) -> float:
    """Grade an odd number of gates as nothing."""
    count = episode.get("gate_count") if isinstance(episode, Mapping) else None
    return 0.01 if isinstance(count, int) and count % 2 else GRADERS["easy"](episode)


def _drifting() -> Grader:
    draws = Random(0)
    return lambda _episode: round(0.5 + draws.random() / 4, 3)


def _by_the_clock(episode: object) -> float:
    return GRADERS["easy"](episode) if time.time() > 0 else 0.01


def _by_the_environment(episode: object) -> float:
    return 0.01 if os.environ.get("STRICT_GRADES") else GRADERS["easy"](episode)


def _same_stream(_unit: Unit) -> Random:
    return Random(0)


def _one_stream_for_all_samples(unit: Unit) -> Random:
    return replace(unit, sample=0).rng()


def _remembering() -> Any:
    """Return what asks a model and repeats all that it has asked before."""
    asked: list[Mapping[str, str]] = []

    def ask(seen: Seen) -> Sequence[Mapping[str, str]]:
        asked.extend(messages(seen))
        return tuple(asked)

    return ask


MUTANTS: Final = (
    Mutant("F2", "a grader without an episode gives 0.5", graded(_half_without_episode)),
    Mutant(
        "F4", "replies that are no action are played as cancel(0)", replace(CLEAN, read_reply=_first_gate)
    ),
    Mutant("F4", "numbers in a reply are played as an action", replace(CLEAN, read_reply=_any_numbers)),
    Mutant("F5", "comparisons do without uniform random play", replace(CLEAN, baselines=("null",))),
    Mutant("R3", "an odd number of gates is graded as nothing", graded(_odd)),
    Mutant("M2", "NaN is clamped to 0.99, text raises", graded(_naive)),
    Mutant("M2", "anything that is true earns the bonus", graded(_truthy)),
    Mutant("D5", "grades are drawn", graded(_drifting())),
    Mutant("D5", "a grader looks at the clock", graded(_by_the_clock)),
    Mutant("D5", "a grader reads an environment variable", graded(_by_the_environment)),
    Mutant("E1", "graders give nothing but the floor", graded(_floor_only)),
    Mutant("E1", "hard has no grader", graded({name: GRADERS[name] for name in ("easy", "medium")})),
    Mutant(
        "E2",
        "the agent's process imports the solver",
        replace(CLEAN, agent_modules=("quantum_circuit_env.agents.greedy",)),
    ),
    Mutant(
        "E2",
        "the agent's process imports the graders",
        replace(CLEAN, agent_modules=("quantum_circuit_env.server.graders",)),
    ),
    Mutant(
        "E2",
        "graders need a framework",
        replace(CLEAN, grader_module="quantum_circuit_env.evals.revision"),
    ),
    Mutant("E3", "all samples draw from one stream", replace(CLEAN, stream=_same_stream)),
    Mutant(
        "E3", "the samples of a task draw from one stream", replace(CLEAN, stream=_one_stream_for_all_samples)
    ),
    Mutant("E3", "a model is reminded of earlier samples", replace(CLEAN, ask_model=_remembering())),
)
