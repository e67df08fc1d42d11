"""O: the best result can be reached, nobody beats it, and there is something to win on every task."""

from typing import Final

from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.subject import PANEL, TURNS, Audit, best_plan, solved

TOLERANCE: Final = 0.01
"""The oracle tolerance that `openenv.yaml` declares."""


def _reaches_the_maximum(audit: Audit) -> Seen:
    problems, worst = [], 0.0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            shown = play.reset(task=tier, seed=seed)
            plan, best = best_plan(tier, shown.circuit)
            for action in plan.actions:
                shown = play.step(*action)
            worst = max(worst, best - shown.score)
            if shown.score < best - TOLERANCE:
                problems.append(f"{tier}, seed {seed}: the best plan is graded {shown.score}, not {best:.4f}")
            if len(shown.gates) != plan.left:
                problems.append(f"{tier}, seed {seed}: the best plan leaves {len(shown.gates)} gates")
    return Seen({"tasks": len(TIERS) * len(audit.seeds), "largest_shortfall": round(worst, 6)}, problems)


def _nobody_beats_it(audit: Audit) -> Seen:
    problems, episodes = [], 0
    for tier in TIERS:
        for agent in PANEL:
            for played in audit.panel(agent, turns=TURNS, tier=tier):
                episodes += 1
                if played.removed > 1:
                    problems.append(f"{agent} leaves less than the optimum on {tier}, seed {played.seed}")
    return Seen({"episodes": episodes}, problems)


def _every_task_is_solvable(audit: Audit) -> Seen:
    problems, steps = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            circuit = play.reset(task=tier, seed=seed).circuit
            solution = solved(circuit)
            plan, best = best_plan(tier, circuit)
            steps = max(steps, len(plan.actions))
            if solution.left >= len(circuit):
                problems.append(f"{tier}, seed {seed}: nothing can be removed")
            elif best <= TIERS[tier].scoring.floor:
                problems.append(f"{tier}, seed {seed}: the best grade is the floor")
            if len(plan.actions) > STEP_LIMIT:
                problems.append(f"{tier}, seed {seed}: the best plan takes {len(plan.actions)} steps")
    return Seen({"longest_plan": steps, "step_limit": STEP_LIMIT}, problems)


PROBES: Final = (
    Probe(
        "O1",
        "Replaying the oracle's plan attains the best grade of the solver's front, on every task.",
        ("semantic.oracle_max",),
        Severity.FAIL,
        _reaches_the_maximum,
    ),
    Probe(
        "O2",
        "No agent of the panel leaves fewer gates than the best that is known.",
        ("semantic.oracle_max",),
        Severity.FAIL,
        _nobody_beats_it,
    ),
    Probe(
        "O3",
        "On every task something can be removed, and the best grade can be reached within the step limit.",
        ("statistical.reward_reachability", "runtime.task_declaration_accuracy"),
        Severity.FAIL,
        _every_task_is_solvable,
    ),
)
