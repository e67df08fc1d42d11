"""L: an agent is told what its grade depends on, and nothing of the solution."""

from dataclasses import fields
from itertools import combinations
from typing import Any, Final

from qrewrite.game import STEP_LIMIT, Scoring
from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.play import Shown
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.subject import Audit

_OBSERVATION: Final = frozenset({"circuit", "gate_count", "num_qubits", "prompt", "metadata"})
_METADATA: Final = frozenset(
    {
        "task",
        "initial_count",
        "step",
        "seed",
        "used_advanced_actions",
        "action_result",
        "termination",
        "score",
        "par",
        "game_version",
        "legality",
    }
)
_STATE: Final = frozenset(
    {
        "episode_id",
        "step_count",
        "task",
        "seed",
        "gate_count",
        "initial_count",
        "used_advanced_actions",
        "score",
        "game_version",
    }
)
_TELLTALES: Final = ("graders", "solver", ".py", "planted", "optimum", "oracle")
"""Words that stand in no prompt."""


def _nothing_of_the_solution(audit: Audit) -> Seen:
    problems = []
    with audit.session() as play:
        for tier, seed in audit.tasks():
            shown = play.reset(task=tier, seed=seed)
            problems += _unknown_keys(shown, dict(play.state()))
            problems += [f"the prompt says {word!r}" for word in _TELLTALES if word in _prompt(shown)]
            # The same gates without a history: how they were made must not show.
            gates = [{"name": name, "target_qubits": list(qubits)} for name, qubits in shown.gates]
            bare = play.reset(task=tier, circuit=gates, num_qubits=shown.observation["num_qubits"])
            if (bare.gates, _prompt(bare)) != (shown.gates, _prompt(shown)):
                problems.append(f"{tier}, seed {seed}: the same circuit from a caller is shown otherwise")
    evidence = ["par is published by design; the seed is, too, so scores are of splits with hidden use."]
    return Seen({"tasks": len(TIERS) * len(audit.seeds)}, problems, evidence)


def _prompt(shown: Shown) -> str:
    return str(shown.observation["prompt"])


def _unknown_keys(shown: Shown, state: dict[str, Any]) -> list[str]:
    told = [
        ("the observation", set(shown.observation) - _OBSERVATION),
        ("its metadata", set(shown.facts) - _METADATA),
        ("the state", set(state) - _STATE),
    ]
    problems = [f"{what} tells {', '.join(sorted(unknown))}" for what, unknown in told if unknown]
    if shown.facts["legality"] is not None:
        problems.append("legality is told though no hints were asked for")
    return problems


def _no_test_set_to_memorise(audit: Audit) -> Seen:
    splits = {name: frozenset(seeds) for name, seeds in audit.evaluator.splits.items()}
    problems = [
        f"{one} and {other} share {len(splits[one] & splits[other])} seeds"
        for one, other in combinations(splits, 2)
        if splits[one] & splits[other]
    ]
    for name, seeds in splits.items():
        if known := sorted(seeds & set(audit.evaluator.published)):
            problems.append(f"{name} holds the seeds {known}, which are published")
    if len(splits.get("test", ())) < len(audit.seeds):
        problems.append(f"the test split has {len(splits.get('test', ()))} seeds")
    return Seen({name: len(seeds) for name, seeds in splits.items()}, problems)


def _everything_that_counts_is_told(audit: Audit) -> Seen:
    problems = []
    with audit.session() as play:
        for tier in TIERS:
            shown = play.reset(task=tier, seed=audit.seeds[0])
            scoring, prompt = TIERS[tier].scoring, _prompt(shown)
            told = {field.name: f"{getattr(scoring, field.name):.2f}" for field in fields(Scoring)}
            told |= {f"reward of {rule.name}": f"{rule.reward:+.2f}" for rule in RULES.values()}
            told |= {
                "reward of an invalid action": f"{INVALID_REWARD:+.2f}",
                "steps left": f"Steps left: {STEP_LIMIT}",
                "gates at the start": f"{len(shown.gates)} at the start",
            }
            silent = {name for name in ("bonus", "gate") if not getattr(scoring, name)}
            problems += [
                f"{tier}: the prompt does not tell the {name}, {text}"
                for name, text in told.items()
                if name not in silent and text not in prompt
            ]
            missing = {"initial_count", "used_advanced_actions"} - set(shown.facts)
            problems += [f"{tier}: the grade depends on {name}, which is not shown" for name in missing]
    return Seen({"tiers": len(TIERS)}, problems)


PROBES: Final = (
    Probe(
        "L1",
        "Observations, prompts and states tell nothing of how a circuit was made or of its solution.",
        ("semantic.no_solution_leakage",),
        Severity.FAIL,
        _nothing_of_the_solution,
    ),
    Probe(
        "L2",
        "The splits share no seed, and hold none that the documentation shows.",
        ("static.task_distribution_pinning",),
        Severity.FAIL,
        _no_test_set_to_memorise,
    ),
    Probe(
        "L3",
        "All that the grade depends on stands in the prompt: bonus, gate, clamp, steps, counts, rewards.",
        ("audit.disclosed_only", "runtime.tool_declaration_accuracy"),
        Severity.FAIL,
        _everything_that_counts_is_told,
    ),
)
