"""U: rewrites keep the unitary, refusals keep everything, and what the rules allow is not refused."""

import json
from itertools import pairwise
from typing import Any, Final

from qrewrite.rules import RULES
from quantum_circuit_env.evals.audit.play import Play, Shown
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.subject import Audit, best_plan
from quantum_circuit_env.evals.audit.unitary import difference, unitary

TOLERANCE: Final = 1e-9
"""Largest difference between entries of unitaries that are equal."""

_ACCEPTED: Final = {rule.accepted.value: rule.name for rule in RULES.values()}

_SYMMETRIC: Final = (
    ("SWAP", [0, 1], [1, 0]),
    ("CZ", [0, 1], [1, 0]),
    ("CNOT", [0, 1], [0, 1]),
)
"""Pairs that cancel though they may be written with their qubits in another order."""


def _solving(play: Play, tier: str, seed: int) -> list[Shown]:
    """Return what is shown along the best plan, which has every rule that the task needs."""
    shown = [play.reset(task=tier, seed=seed)]
    plan, _ = best_plan(tier, shown[0].circuit)
    return [*shown, *(play.step(*action) for action in plan.actions)]


def _the_unitary_is_kept(audit: Audit) -> Seen:
    problems, largest = [], 0.0
    used = dict.fromkeys(_ACCEPTED.values(), 0)
    with audit.session() as play:
        for tier, seed in audit.tasks():
            for trace in (_solving(play, tier, seed), list(wander(play, tier, seed))):
                qubits = trace[0].circuit.num_qubits
                before = unitary(trace[0].gates, qubits)
                for previous, shown in pairwise(trace):
                    if (name := _ACCEPTED.get(shown.facts["action_result"])) is not None:
                        used[name] += 1
                    if shown.gates == previous.gates:
                        continue
                    after = unitary(shown.gates, qubits)
                    entries, overlap = difference(before, after)
                    largest = max(largest, entries)
                    if entries > TOLERANCE or overlap > TOLERANCE:
                        problems.append(f"{tier}, seed {seed}: a step changes the unitary by {entries:.3g}")
                    before = after
    problems += [f"no {name} was ever accepted" for name, count in used.items() if not count]
    return Seen({"rewrites": used, "largest_difference": largest}, problems)


def _facts(shown: Shown) -> tuple[Any, ...]:
    facts = {key: shown.facts[key] for key in ("seed", "score", "termination", "used_advanced_actions")}
    return shown.gates, json.dumps(facts)


def _refusals_change_nothing(audit: Audit) -> Seen:
    problems, refusals = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            for before, after in pairwise(wander(play, tier, seed)):
                result = after.facts["action_result"]
                if result in _ACCEPTED:
                    continue
                refusals += 1
                if _facts(before) != _facts(after):
                    problems.append(f"{tier}, seed {seed}: an action answered {result} changes the episode")
    return Seen({"refusals": refusals}, problems)


def _symmetric_pairs_cancel(audit: Audit) -> Seen:
    problems = []
    with audit.session() as play:
        for name, first, second in _SYMMETRIC:
            gates = [{"name": name, "target_qubits": qubits} for qubits in (first, second)]
            play.reset(circuit=gates, num_qubits=2)
            shown = play.step(0, 1)
            if shown.gates:
                result = shown.facts["action_result"]
                problems.append(f"{name} on {first} and on {second} do not cancel: {result}")
    return Seen({"pairs": len(_SYMMETRIC)}, problems)


PROBES: Final = (
    Probe(
        "U1",
        "Every accepted rewrite keeps the circuit's unitary, with every rule tried.",
        ("audit.unitary_preserved", "semantic.replayability"),
        Severity.FAIL,
        _the_unitary_is_kept,
    ),
    Probe(
        "U2",
        "A refused action changes nothing but the step count.",
        ("runtime.state_contract",),
        Severity.FAIL,
        _refusals_change_nothing,
    ),
    Probe(
        "U3",
        "Equal gates cancel in whatever order the qubits of a symmetric gate are written.",
        ("semantic.oracle_max",),
        Severity.FAIL,
        _symmetric_pairs_cancel,
    ),
)
