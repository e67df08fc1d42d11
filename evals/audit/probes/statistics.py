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
    bounds = {}
    for tier, values in shares.items():
        interval = SeedBootstrap(len(values)).mean([[value] for value in values]).interval
        bounds[tier] = (interval.low, interval.high) if interval else (mean(values),) * 2
        measured[tier] = {"share": round(mean(values), 4), "interval": [round(at, 4) for at in bounds[tier]]}
    enough = len(audit.seeds) >= ENOUGH
    for easier, harder in pairwise(TIERS):
        if mean(shares[harder]) >= mean(shares[easier]):
            problems.append(f"{harder} is no harder than {easier} for {', '.join(JUDGES)}")
        elif enough and bounds[harder][1] >= bounds[easier][0]:
            problems.append(f"the intervals of {easier} and {harder} are not separate")
    if not enough:
        evidence.append(
            f"Separate intervals are asked for from {ENOUGH} seeds, these are {len(audit.seeds)}."
        )
    return Seen(measured, problems, evidence)


def _shares(audit: Audit, tier: str) -> list[float]:
    """Return for each seed the share of removable gates that the judges remove, without any bonus."""
    plays = [audit.panel(agent, turns=STEP_LIMIT, tier=tier) for agent in JUDGES]
    return [mean(one.removed for one in seed) for seed in zip(*plays, strict=True)]


def _there_is_something_to_win(audit: Audit) -> Seen:
    problems, measured = [], {}
    for tier in TIERS:
        plays = {agent: audit.panel(agent, turns=STEP_LIMIT, tier=tier) for agent in PANEL}
        best = max(plays, key=lambda agent: mean(one.removed for one in plays[agent]))
        reached = mean(one.removed for one in plays[best])
        spread = max(pstdev(one.score for one in played) for played in plays.values())
        measured[tier] = {"best": best, "share": round(reached, 4), "largest_deviation": round(spread, 4)}
        if spread > SPREAD:
            problems.append(f"{tier}: grades of one agent vary by {spread:.3f}, at most {SPREAD} is right")
    if reached >= 1:  # of the last tier, the hardest
        problems.append("hard is solved without the solver")
    return Seen(measured, problems)


def _tiers_differ_and_can_be_won(audit: Audit) -> Seen:
    apart, won = _tiers_differ(audit), _there_is_something_to_win(audit)
    measured = {"difficulty": apart.measured, "headroom": won.measured}
    return Seen(measured, (*apart.problems, *won.problems), apart.evidence)


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
        "The share of removable gates that a fixed panel removes falls from easy to medium to hard; hard "
        "is solved by the solver only, and grades vary within bounds.",
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
