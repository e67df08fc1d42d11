"""T: an episode ends when nothing can be won any more, and then it is over."""

from typing import Final

from qrewrite.game import Position
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.canaries import canaries_of, violated
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.subject import Audit, best_plan

_PUZZLES: Final = ("HXH", "ZHXHZ")
"""Words on one wire in which nothing cancels and a triple can be collapsed."""


def _done_is_final(audit: Audit) -> Seen:
    return Seen({"canaries": len(canaries_of("T1"))}, violated(audit, "T1"))


def _done_when_nothing_is_left(audit: Audit) -> Seen:
    problems, ends = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            shown = play.reset(task=tier, seed=seed)
            for action in best_plan(tier, shown.circuit)[0].actions:
                shown = play.step(*action)
            if not shown.done:
                problems.append(f"{tier}, seed {seed}: solved, and not done")
            for shown in wander(play, tier, seed):
                limit = shown.facts["termination"] == "step_limit"
                if not limit and shown.done == Position(shown.circuit).reducible:
                    problems.append(
                        f"{tier}, seed {seed}: done is {shown.done} at step {shown.facts['step']}"
                    )
                ends += shown.done
        for word in _PUZZLES:
            gates = [{"name": letter, "target_qubits": [0]} for letter in word]
            if play.reset(circuit=gates, num_qubits=1).done:
                problems.append(f"{word} is done from the start")
    return Seen({"ends": ends}, problems)


PROBES: Final = (
    Probe(
        "T1",
        "After the end of an episode no step is paid or changes anything.",
        ("runtime.state_contract",),
        Severity.FAIL,
        _done_is_final,
    ),
    Probe(
        "T2",
        "An episode is done exactly when nothing can be reduced even after swaps, or at the step limit.",
        ("semantic.oracle_max",),
        Severity.FAIL,
        _done_when_nothing_is_left,
    ),
)
