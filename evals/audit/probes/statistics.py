"""S: tiers differ in difficulty, there is something to win by skill, a little better than none."""

from itertools import pairwise
from random import Random
from statistics import mean, pstdev
from typing import Final

from qrewrite.game import STEP_LIMIT
from qrewrite.policies import random_order, uniform
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.agent import Seen as Asked
from quantum_circuit_env.agents.policy_agent import PolicyAgent
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.subject import PANEL, Audit, play_with
from quantum_circuit_env.evals.stats import SeedBootstrap

JUDGES: Final = ("uniform", "random-legal", "cancel-first")
"""Agents by whose share of removable gates the tiers are put in order."""

RIVALS: Final = (*PANEL, "best-of", "beam")
"""Agents without the solver, each with its defaults, that show what is left to be won."""

ENOUGH: Final = 200
"""Seeds from which the tiers' intervals must be separate; with fewer the means must be in order."""

SPREAD: Final = 0.2
"""Most that grades of one agent on one tier may vary, as a standard deviation: OpenEnv's ceiling."""

_SLIPS: Final = (0.0, 0.75, 1.0)
"""Shares of turns that are left to chance."""
_LADDER_TURNS: Final = 30


def _tiers_differ(audit: Audit) -> Seen:
    problems, measured, evidence = [], {}, []
    shares = {tier: _shares(audit, tier) for tier in TIERS}
    bounds = {tier: _interval(values) for tier, values in shares.items()}
    for tier, values in shares.items():
        measured[tier] = {"share": round(mean(values), 4), "interval": [round(at, 4) for at in bounds[tier]]}
    enough = len(audit.seeds) >= ENOUGH
    for easier, harder in pairwise(TIERS):
        if mean(shares[harder]) >= mean(shares[easier]):
            problems.append(f"{harder} is no harder than {easier} for {', '.join(JUDGES)}")
        elif enough and bounds[harder][1] >= bounds[easier][0]:
            problems.append(f"the intervals of {easier} and {harder} are not separate")
    if not enough:
        evidence.append(f"Intervals count from {ENOUGH} seeds on, these are {len(audit.seeds)}.")
    return Seen(measured, problems, evidence)


def _shares(audit: Audit, tier: str) -> list[float]:
    """Return for each seed the share of removable gates that the judges remove, without any bonus."""
    plays = [audit.panel(agent, turns=STEP_LIMIT, tier=tier) for agent in JUDGES]
    return [mean(one.removed for one in seed) for seed in zip(*plays, strict=True)]


def _interval(values: list[float]) -> tuple[float, float]:
    """Return the interval of a mean over seeds; the mean itself twice where there is none."""
    interval = SeedBootstrap(len(values)).mean([[value] for value in values]).interval
    return (interval.low, interval.high) if interval else (mean(values), mean(values))


def _grades_vary_within_bounds(audit: Audit) -> Seen:
    problems, measured = [], {}
    for tier in TIERS:
        plays = [audit.panel(agent, turns=STEP_LIMIT, tier=tier) for agent in PANEL]
        spread = max(pstdev(one.score for one in played) for played in plays)
        measured[tier] = round(spread, 4)
        if spread > SPREAD:
            problems.append(f"{tier}: grades of one agent vary by {spread:.3f}, at most {SPREAD} is right")
    return Seen(measured, problems)


def _there_is_something_to_win(audit: Audit) -> Seen:
    hardest = tuple(TIERS)[-1]
    plays = {
        agent: [one.removed for one in audit.panel(agent, turns=STEP_LIMIT, tier=hardest)] for agent in RIVALS
    }
    best = max(plays, key=lambda agent: mean(plays[agent]))
    low, high = _interval(plays[best])
    reached = high if len(audit.seeds) >= ENOUGH else mean(plays[best])
    measured = {
        "best": best,
        "share": round(mean(plays[best]), 4),
        "interval": [round(low, 4), round(high, 4)],
    }
    problems = [f"{best} leaves nothing to be won on {hardest}"] if reached >= 1 else []
    return Seen(measured, problems)


def _tiers_differ_and_can_be_won(audit: Audit) -> Seen:
    parts = {
        "difficulty": _tiers_differ(audit),
        "largest_deviation": _grades_vary_within_bounds(audit),
        "headroom": _there_is_something_to_win(audit),
    }
    return Seen(
        {name: seen.measured for name, seen in parts.items()},
        [problem for seen in parts.values() for problem in seen.problems],
        parts["difficulty"].evidence,
    )


class _Slipping:
    """An agent that carries out reductions in random order, and leaves a share of its turns to chance."""

    def __init__(self, slips: float, rng: Random) -> None:
        self.name = f"slipping {slips}"
        self._slips = slips
        self._rng = rng
        self._skilled = PolicyAgent(self.name, random_order, rng)
        self._blind = PolicyAgent(self.name, uniform, rng)

    def decide(self, seen: Asked) -> Decision | None:
        """Return an action of one or the other."""
        return (self._blind if self._rng.random() < self._slips else self._skilled).decide(seen)


def _skill_pays(audit: Audit) -> Seen:
    measured = {f"slips_{slips}": round(_grade_with(audit, slips), 4) for slips in _SLIPS}
    means = list(measured.values())
    disorder = any(worse >= better for better, worse in pairwise(means))
    problems = [f"grades of agents that slip more and more are {means}"] if disorder else []
    return Seen(measured, problems)


def _grade_with(audit: Audit, slips: float) -> float:
    """Return the mean grade, over all tiers, of an agent that slips."""
    with audit.session() as play:
        return mean(
            play_with(play, _Slipping(slips, Random(seed)), tier, seed, _LADDER_TURNS).score
            for tier, seed in audit.tasks()
        )


PROBES: Final = (
    Probe(
        "S1",
        "The share of removable gates that a fixed panel removes falls from easy to medium to hard, grades "
        "vary within bounds, and on hard agents without the solver leave something to be won.",
        (
            "statistical.difficulty_separation",
            "statistical.headroom",
            "statistical.variance_bound",
        ),
        Severity.FAIL,
        _tiers_differ_and_can_be_won,
    ),
    Probe(
        "S2",
        "The more turns a capable agent leaves to chance, the lower its grades.",
        ("statistical.training_signal",),
        Severity.WARN,
        _skill_pays,
    ),
)
