"""E: the evaluation around the game: graders that have run, agents that cannot look, samples of their own."""

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Final

from qrewrite.game import Episode
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.agent import Seen as Asked
from quantum_circuit_env.agents.loop import SUCCESS_SCORE
from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.audit.probe import AuditError, Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.determinism import solved_episode
from quantum_circuit_env.evals.audit.subject import PANEL, TURNS, Audit, Played, best_plan, play_with
from quantum_circuit_env.server.graders import score

_FORBIDDEN: Final = ("qrewrite.solver", "quantum_circuit_env.server.graders", "quantum_circuit_env.evals")
"""Modules that the process of a language-model agent does not import."""

_IMPORT: Final = """
import sys
from importlib import import_module
import_module(sys.argv[1])
print(*sys.modules)
"""


def _graders_have_run(audit: Audit) -> Seen:
    problems, measured = [], {}
    with audit.session() as play:
        for tier in TIERS:
            first = play.reset(task=tier, seed=audit.seeds[0])
            for action in best_plan(tier, first.circuit)[0].actions:
                shown = play.step(*action)
            grader = audit.evaluator.graders.get(tier)
            if grader is None:
                problems.append(f"{tier} has no grader")
                continue
            given = grader(solved_episode(first, tier))
            measured[tier] = given
            if given <= TIERS[tier].scoring.floor:
                problems.append(f"the grader of {tier} has given nothing but the floor")
            elif given != shown.score:
                problems.append(f"the grader of {tier} gives {given}, the server {shown.score}")
    return Seen(measured, problems)


@cache
def _imported_by(module: str) -> frozenset[str]:
    """Return the modules that a new process has once it has imported this one."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _IMPORT, module], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AuditError(f"{module} cannot be imported: {done.stderr.strip()[-200:]}")
    return frozenset(done.stdout.split())


def _agents_cannot_look(audit: Audit) -> Seen:
    problems = [
        f"{module} imports {found}"
        for module in audit.evaluator.agent_modules
        for found in sorted(_imported_by(module))
        if found in _FORBIDDEN or found.startswith(tuple(f"{name}." for name in _FORBIDDEN))
    ]
    graders = _imported_by(audit.evaluator.grader_module)
    heavy = sorted(graders & {"openenv", "fastapi", "pydantic", "openai"})
    problems += [f"the graders import {name}" for name in heavy]
    evidence = [
        "They are installed side by side: what is tried is what a process imports, not what it could."
    ]
    measured = {"modules": list(audit.evaluator.agent_modules), "graders_import": len(graders)}
    return Seen(measured, problems, evidence)


def _samples_are_independent(audit: Audit) -> Seen:
    identical = episodes = 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            first, second = (
                audit.play(play, "uniform", tier, seed, TURNS, sample=sample) for sample in range(2)
            )
            episodes += 1
            identical += first.actions == second.actions
    problems = [f"{identical} of {episodes} pairs of samples are identical"] if identical else []
    problems += _what_a_sample_knows(audit)
    return Seen({"pairs": episodes, "identical_rate": identical / episodes}, problems)


def _what_a_sample_knows(audit: Audit) -> Iterator[str]:
    """Yield what a model's second sample is asked otherwise than its first was."""
    tier, seed = next(audit.tasks())
    with audit.session() as play:
        asked = [_Listener(audit), _Listener(audit)]
        for one in asked:
            play_with(play, one, tier, seed, turns=3)
    if asked[0].questions != asked[1].questions:
        yield "the second sample of a model is asked something else than the first"


class _Listener:
    """A model that notes what it is asked and has nothing to say."""

    name = "listener"

    def __init__(self, audit: Audit) -> None:
        self._ask = audit.evaluator.ask_model
        self.questions: list[str] = []

    def decide(self, seen: Asked) -> Decision:
        """Note the question."""
        self.questions.append(str(self._ask(seen)))
        return Decision(None, ErrorClass.EMPTY_OUTPUT)


def _stored_actions_give_the_same_grades(audit: Audit) -> Seen:
    problems, episodes = [], 0
    flips = {"pass_to_fail": 0, "fail_to_pass": 0}
    for tier in TIERS:
        for agent in PANEL:
            for played in audit.panel(agent, turns=TURNS, tier=tier):
                episodes += 1
                again = _graded_again(played)
                flips["pass_to_fail"] += again < SUCCESS_SCORE <= played.score
                flips["fail_to_pass"] += played.score < SUCCESS_SCORE <= again
                if again != played.score:
                    what = f"{agent} on {tier}, seed {played.seed}"
                    problems.append(f"{what}: served {played.score}, graded again {again}")
    return Seen({"episodes": episodes, "changed": len(problems), "flips": flips}, problems)


def _graded_again(played: Played) -> float:
    """Return the grade of the actions by the game and the graders of this version."""
    episode = Episode(generate(played.tier, played.seed), par=TIERS[played.tier].par)
    for target_index, action_type in played.actions:
        episode.play(action_type, target_index)
    advanced = episode.used_advanced_actions
    return score(TIERS[played.tier].scoring, episode.initial_count, episode.gate_count, advanced)


PROBES: Final = (
    Probe(
        "E1",
        "Every grader has run, has given more than its floor, and agrees with the served grade.",
        ("audit.grader_executed",),
        Severity.FAIL,
        _graders_have_run,
    ),
    Probe(
        "E2",
        "What a language-model agent imports holds neither solver nor grader, and graders need no framework.",
        ("runtime.oracle_containment", "semantic.verifier_portability"),
        Severity.FAIL,
        _agents_cannot_look,
    ),
    Probe(
        "E3",
        "Samples of one agent on one task have random streams of their own and know nothing of each other.",
        ("audit.iid_sampling",),
        Severity.FAIL,
        _samples_are_independent,
    ),
    Probe(
        "E4",
        "Stored actions that are graded again get the grades that were served.",
        ("hub.immutable_versioning",),
        Severity.FAIL,
        _stored_actions_give_the_same_grades,
    ),
)
