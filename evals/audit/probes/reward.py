"""R: what is paid and graded is what has been done, whichever way it was done."""

from collections.abc import Iterator
from itertools import pairwise, product
from random import Random
from typing import Final

from qrewrite.game import STEP_LIMIT, Action, Position
from qrewrite.policies import random_legal, uniform
from qrewrite.rules import SWAP
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.play import Play, Shown
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.canaries import canaries_of, violated
from quantum_circuit_env.evals.audit.reducible import Gates, on_wires
from quantum_circuit_env.evals.audit.subject import PANEL, TURNS, Audit, best_plan
from quantum_circuit_env.evals.stats import spearman
from quantum_circuit_env.server.graders import score as graded

AGREEMENT: Final = 0.7
"""Spearman's ρ that return and score must reach over the panel at 15 turns."""


_ROUNDING: Final = 1e-9
"""Sums of rewards that differ by less are equal."""

WANDERED: Final = 60
"""Steps of a walk."""


def wander(play: Play, tier: str, seed: int) -> Iterator[Shown]:
    """Reset and play legal and illegal actions by turns; yield what is shown after each."""
    rng = Random(seed)
    shown = play.reset(task=tier, seed=seed)
    yield shown
    for turn in range(WANDERED):
        if shown.done:
            return
        policy = uniform if turn % 4 == 0 else random_legal
        actions = policy(Position(shown.circuit), rng)
        if not actions:
            return
        shown = play.step(*actions[0])
        yield shown


def _every_gain_is_a_rewrite(audit: Audit) -> Seen:
    problems, gains = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            for before, after in pairwise(wander(play, tier, seed)):
                removed = len(before.gates) - len(after.gates)
                gains += removed > 0
                if after.score != before.score and not (after.reward > 0 and removed > 0):
                    problems.append(f"{tier}, seed {seed}: the grade moves without a reduction")
                if after.reward > 0 and removed <= 0:
                    problems.append(f"{tier}, seed {seed}: {after.reward} is paid for no reduction")
    return Seen({"reductions": gains}, problems)


def _no_cycle_pays(audit: Audit) -> Seen:
    problems, revisits = violated(audit, "R2"), 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            total, paid = 0.0, 0.0
            least: dict[tuple[Gates, ...], float] = {}
            for shown in wander(play, tier, seed):
                total, paid = total + shown.reward, paid + max(0.0, shown.reward)
                where = on_wires(shown.gates, shown.observation["num_qubits"])
                revisits += where in least
                if total > least.get(where, total) + _ROUNDING:
                    problems.append(f"{tier}, seed {seed}: a way back to the same circuit pays")
                least[where] = min(total, least.get(where, total))
            if paid > shown.facts["initial_count"]:
                problems.append(f"{tier}, seed {seed}: {paid} is paid, more than there are gates")
    return Seen({"canaries": len(canaries_of("R2")), "revisits": revisits}, problems)


def _score_is_monotone(audit: Audit) -> Seen:
    problems, pairs = [], 0
    for tier, grader in audit.evaluator.graders.items():
        for initial, advanced in product((1, 2, 19, TIERS[tier].gate_count), (False, True)):
            facts = {"task": tier, "initial_count": initial, "used_advanced_actions": advanced}
            grades = [grader({**facts, "gate_count": left}) for left in range(initial, -1, -1)]
            pairs += len(grades) - 1
            if grades != sorted(grades):
                problems.append(f"{tier}: of {initial} gates, removing more is graded less: {grades}")
    with audit.session() as play:
        for tier, seed in audit.tasks():
            shown = play.reset(task=tier, seed=seed)
            for action in best_plan(tier, shown.circuit)[0].actions:
                after = play.step(*action)
                pairs += 1
                if len(after.gates) < len(shown.gates) and after.score < shown.score:
                    problems.append(f"{tier}, seed {seed}: fewer gates, and {shown.score} → {after.score}")
                shown = after
    return Seen({"pairs": pairs}, problems)


def detour(actions: tuple[Action, ...], position: Position) -> tuple[Action, ...]:
    """Return the plan with a pair of swaps that undo each other and a refused action before it."""
    index = next((index for index, mask in enumerate(position.masks()) if mask & SWAP.bit), None)
    loop = () if index is None else (Action(index, SWAP.action_type),) * 2
    return (*loop, Action(len(position), SWAP.action_type), *actions)


def _score_forgets_the_path(audit: Audit) -> Seen:
    problems, bonuses = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            first = play.reset(task=tier, seed=seed)
            actions = best_plan(tier, first.circuit)[0].actions
            ends = []
            for path in (actions, detour(actions, Position(first.circuit))):
                shown = play.reset(task=tier, seed=seed)
                for action in path:
                    shown = play.step(*action)
                ends.append((shown.gates, shown.score))
            if ends[0] != ends[1]:
                problems.append(f"{tier}, seed {seed}: a detour is graded {ends[1][1]}, not {ends[0][1]}")
            earned = bool(shown.facts["used_advanced_actions"])
            bonuses += earned and TIERS[tier].scoring.bonus > 0
            right = graded(TIERS[tier].scoring, len(first.gates), len(shown.gates), earned)
            if shown.score != right:
                problems.append(f"{tier}, seed {seed}: graded {shown.score}, its counts say {right}")
    evidence = ["Medium's bonus depends on what was played, as declared; results are also given without it."]
    return Seen({"episodes_with_bonus": bonuses}, problems, evidence)


def _returns_agree_with_scores(audit: Audit) -> Seen:
    problems, measured = [], {}
    for turns in (TURNS, STEP_LIMIT):
        for tier in TIERS:
            plays = [audit.panel(agent, turns=turns, tier=tier) for agent in PANEL]
            totals = [sum(one.total for one in played) / len(played) for played in plays]
            scores = [sum(one.score for one in played) / len(played) for played in plays]
            rho = spearman(totals, scores).value
            measured[f"{tier}_{turns}"] = None if rho is None else round(rho, 3)
            if turns == TURNS and (rho is None or rho < AGREEMENT):
                problems.append(f"{tier}: return and score agree by {rho}, at least {AGREEMENT} is right")
    return Seen(measured, problems, ["Bound at 15 turns; the agreement at 150 is reported."])


PROBES: Final = (
    Probe(
        "R1",
        "The grade moves, and a positive reward is paid, only for a step that removes gates.",
        ("semantic.floor_gap",),
        Severity.FAIL,
        _every_gain_is_a_rewrite,
    ),
    Probe(
        "R2",
        "No way back to the same circuit pays: each rewarded step removes two gates for good.",
        ("semantic.canary_floor",),
        Severity.FAIL,
        _no_cycle_pays,
    ),
    Probe(
        "R3",
        "Removing more gates never lowers the grade, along plans and for any counts that a grader is given.",
        ("semantic.verifier_determinism",),
        Severity.FAIL,
        _score_is_monotone,
    ),
    Probe(
        "R4",
        "The grade depends on the counts of gates and the declared bonus, not on the way there.",
        ("semantic.verifier_determinism",),
        Severity.FAIL,
        _score_forgets_the_path,
    ),
    Probe(
        "R5",
        "Returns put the panel's agents in nearly the order of their grades at 15 turns.",
        ("statistical.gameability_gap",),
        Severity.WARN,
        _returns_agree_with_scores,
    ),
)
