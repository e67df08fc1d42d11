"""O: the best result can be reached, nobody beats it, and there is something to win on every task."""

from itertools import product
from typing import Final

from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.subject import PANEL, TURNS, Audit, best_plan, solved, solved_on

TOLERANCE: Final = 0.01
"""The oracle tolerance that `openenv.yaml` declares."""


def _reaches_the_maximum(audit: Audit) -> Seen:
    problems, shortfall, share = [], 0.0, 1.0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            first = play.reset(task=tier, seed=seed)
            graded, best = best_plan(tier, first.circuit)
            fewest = solved(first.circuit).best
            for plan in dict.fromkeys((graded, fewest)):
                shown = solved_on(play, tier, seed, plan)[-1]
                removed = len(first.gates) - len(shown.gates)
                share = min(share, removed / max(1, len(first.gates) - plan.left))
                if len(shown.gates) != plan.left:
                    left = f"{len(shown.gates)} gates, not {plan.left}"
                    problems.append(f"{tier}, seed {seed}: a plan of the oracle leaves {left}")
                if plan == graded:
                    shortfall = max(shortfall, best - shown.score)
                    if shown.score < best - TOLERANCE:
                        told = f"graded {shown.score}, not {best:.4f}"
                        problems.append(f"{tier}, seed {seed}: the best plan is {told}")
    measured = {"tasks": len(TIERS) * len(audit.seeds), "largest_shortfall": round(shortfall, 6)}
    return Seen(measured | {"smallest_norm_score": round(share, 6)}, problems)


def _nobody_beats_it(audit: Audit) -> Seen:
    problems, episodes, most = [], 0, 0.0
    for tier, agent, turns in product(TIERS, PANEL, (TURNS, STEP_LIMIT)):
        for played in audit.panel(agent, turns=turns, tier=tier):
            episodes += 1
            most = max(most, played.removed)
            if played.removed > 1:
                problems.append(f"{agent} leaves less than the optimum on {tier}, seed {played.seed}")
    return Seen({"episodes": episodes, "largest_norm_score": round(most, 4)}, problems)


def _every_task_is_solvable(audit: Audit) -> Seen:
    problems, steps = [], 0
    tasks = [*audit.tasks(), *zip(TIERS, audit.evaluator.published, strict=False)]
    with audit.session() as play:
        for tier, seed in tasks:
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
    return Seen({"tasks": len(tasks), "longest_plan": steps, "step_limit": STEP_LIMIT}, problems)


PROBES: Final = (
    Probe(
        "O1",
        "Replaying the oracle's plans leaves the fewest gates and attains the best grade, on every task.",
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
