"""E: the evaluation around the game: graders that have run, agents that cannot look, samples of their own."""

import subprocess
import sys
from functools import cache
from typing import Final

from qrewrite.game import Episode
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.agents.loop import SUCCESS_SCORE
from quantum_circuit_env.evals.audit.probe import AuditError, Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.determinism import solved_episode
from quantum_circuit_env.evals.audit.subject import PANEL, TURNS, Audit, Played, best_plan
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
            given = audit.evaluator.graders[tier](solved_episode(first, tier))
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
    graders = _imported_by("quantum_circuit_env.server.graders")
    heavy = sorted(graders & {"openenv", "fastapi", "pydantic", "openai"})
    problems += [f"the graders import {name}" for name in heavy]
    return Seen({"modules": list(audit.evaluator.agent_modules), "graders_import": len(graders)}, problems)


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
    return Seen({"pairs": episodes, "identical": identical}, problems)


def _stored_actions_give_the_same_grades(audit: Audit) -> Seen:
    problems, flips, episodes = [], 0, 0
    for tier in TIERS:
        for agent in PANEL:
            for played in audit.panel(agent, turns=TURNS, tier=tier):
                episodes += 1
                again = _graded_again(played)
                flips += (again >= SUCCESS_SCORE) != (played.score >= SUCCESS_SCORE)
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
        "Samples of one agent on one task have random streams of their own.",
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
