"""L: what an agent's grade depends on is told, and what it is judged on is no set to memorise."""

import re
from dataclasses import fields
from itertools import combinations
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Scoring
from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.agent import Seen as Asked
from quantum_circuit_env.evals.audit.play import Shown
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.determinism import solved_episode
from quantum_circuit_env.evals.audit.subject import TURNS, Audit


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
    with audit.session() as play:
        for name, seeds in splits.items():
            for index in (0, len(seeds) - 1):
                shown = play.reset(split=name, index=index)
                if shown.facts["seed"] not in seeds:
                    problems.append(
                        f"task {index} of {name} is seed {shown.facts['seed']}, which is not in it"
                    )
    return Seen({name: len(seeds) for name, seeds in splits.items()}, problems)


def _everything_that_counts_is_told(audit: Audit) -> Seen:
    problems, read = [], set[str]()
    with audit.session() as play:
        for tier in TIERS:
            shown = play.reset(task=tier, seed=audit.seeds[0])
            scoring, prompt = TIERS[tier].scoring, str(shown.observation["prompt"])
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
            names = _read_by(audit, tier, shown)
            read |= names
            disclosed = set(shown.facts) | set(shown.observation)
            problems += [f"{tier}: the grader reads {name}, which is not shown" for name in names - disclosed]
            if not re.search(rf"Steps left: {TURNS}\b", _question(audit, tier, shown.circuit)):
                problems.append(f"{tier}: a model that has {TURNS} turns is not told so")
    return Seen({"tiers": len(TIERS), "read_by_graders": sorted(read)}, problems)


class _Read(dict[str, Any]):
    """An episode that notes what is read of it."""

    def __init__(self, facts: dict[str, Any]) -> None:
        super().__init__(facts)
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """Return a fact, or the default, as a mapping does."""
        self.names.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.names.add(key)
        return super().__getitem__(key)


def _read_by(audit: Audit, tier: str, shown: Shown) -> set[str]:
    """Return what the tier's grader reads of an episode, the places where it looks for it left aside."""
    grader = audit.evaluator.graders.get(tier)
    read = _Read(solved_episode(shown, tier))
    if grader is not None:
        grader(read)
    return read.names - {"metadata", "observation", "state"}


def _question(audit: Audit, tier: str, circuit: Circuit) -> str:
    """Return what a model is asked on its first turn."""
    asked = Asked(circuit, TIERS[tier].scoring, len(circuit), 0, TURNS, used_advanced_actions=False, turns=())
    return "\n".join(message["content"] for message in audit.evaluator.ask_model(asked))


PROBES: Final = (
    Probe(
        "L2",
        "The splits share no seed, hold none that the documentation shows, and are what is served as them.",
        ("static.task_distribution_pinning",),
        Severity.FAIL,
        _no_test_set_to_memorise,
    ),
    Probe(
        "L3",
        "All that the grade depends on is told: bonus, gate, clamp, steps, turns, counts, rewards.",
        ("audit.disclosed_only", "runtime.tool_declaration_accuracy"),
        Severity.FAIL,
        _everything_that_counts_is_told,
    ),
)
