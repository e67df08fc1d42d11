"""H: rewards are numbers in their declared range, and each says for what it is paid."""

from itertools import pairwise
from math import fsum, isfinite
from typing import Any, Final

from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.subject import Audit, solved_on

DECLARED: Final = (-0.1, 2.0)
"""Range of a step's reward, as `openenv.yaml` has it."""

_PAID: Final = {rule.accepted.value: (rule.reward, rule.removes) for rule in RULES.values()}


def _is_number(value: Any, low: float, high: float) -> bool:
    return type(value) is float and isfinite(value) and low <= value <= high


def _rewards_are_numbers(audit: Audit) -> Seen:
    problems, seen = [], []
    with audit.session() as play:
        for tier, seed in audit.tasks():
            scoring = TIERS[tier].scoring
            for shown in (*wander(play, tier, seed), *solved_on(play, tier, seed)):
                if not _is_number(shown.reward, *DECLARED):
                    problems.append(f"{tier}, seed {seed}: the reward {shown.reward!r}")
                elif not _is_number(shown.score, scoring.floor, scoring.ceiling):
                    problems.append(f"{tier}, seed {seed}: the grade {shown.score!r}")
                else:
                    seen.append(shown.reward)
    measured = {"rewards": len(seen), "least": min(seen, default=None), "most": max(seen, default=None)}
    return Seen(measured, problems)


def _rewards_say_for_what(audit: Audit) -> Seen:
    problems, steps, attributed = [], 0, 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            for before, after in pairwise(wander(play, tier, seed)):
                steps += 1
                parts = play.session.parts()
                attributed += parts is not None
                if parts is not None and fsum(parts.values()) != after.reward:
                    problems.append(
                        f"{tier}, seed {seed}: {after.reward} is paid, its parts are {dict(parts)}"
                    )
                result = after.facts["action_result"]
                right = _PAID.get(result, (INVALID_REWARD, 0))
                removed = len(before.gates) - len(after.gates)
                if (after.reward, removed) != right:
                    problems.append(f"{tier}, seed {seed}: {result} pays {after.reward}, removes {removed}")
    evidence = [] if attributed else ["The rubric's parts stay in a server; in process they are added up."]
    return Seen({"steps": steps, "with_parts": attributed}, problems, evidence)


PROBES: Final = (
    Probe(
        "H1",
        "Rewards and grades are finite numbers in their declared ranges.",
        ("runtime.reward_well_formed",),
        Severity.FAIL,
        _rewards_are_numbers,
    ),
    Probe(
        "H2",
        "Each reward is that of its step's result, as are the gates removed; a rubric's parts add up to it.",
        ("runtime.reward_attribution", "runtime.rubric_introspectable"),
        Severity.WARN,
        _rewards_say_for_what,
    ),
)
