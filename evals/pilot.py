"""How many seeds a comparison needs, or what a number of seeds can find, as far as pilot runs tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, isfinite
from typing import Final

from quantum_circuit_env.evals.compare_tiers import OnTier, shared_seeds
from quantum_circuit_env.evals.entrants import check_alike, entrants
from quantum_circuit_env.evals.metrics import Metric, by_seed, metric_named
from quantum_circuit_env.evals.stats.planning import ALPHA, POWER, Pilot, mde, needed_seeds, pilot
from quantum_circuit_env.evals.stats.values import StatsError
from quantum_circuit_env.evals.store import RunFolder

SAMPLES: Final = (1, 2, 3, 5)
"""Samples a seed for which plans are told, beside those of the pilot."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes to tell two agents apart with so many samples a seed.

    Attributes:
        samples: of each agent, a seed.
        sd: expected standard deviation of the seeds' differences.
        seeds: fewest seeds that find a true difference of `delta`; None if none was asked for.
        finds: smallest true difference that the seeds asked for find; None if none were, or if they are too
            few for anything to be significant.
    """

    samples: int
    sd: float
    seeds: int | None
    finds: float | None


@dataclass(frozen=True, slots=True)
class PairPlan:
    """Two agents on one tier: what the pilot has shown, and the plans that follow; alone and within a family.

    Attributes:
        comparisons: pairs in the family, of which this is planned for as the strictest; 1 for it alone.
    """

    tier: str
    a: str
    b: str
    pilot: Pilot
    comparisons: int
    plans: tuple[Plan, ...]


def power(
    runs: Sequence[RunFolder],
    *,
    delta: float | None = None,
    n: int | None = None,
    metric: str = "norm_score",
    alpha: float = ALPHA,
    chance: float = POWER,
    comparisons: int = 1,
) -> list[PairPlan]:
    """Plan the comparison of all pairs of agents of the pilot runs, on each tier.

    Args:
        runs: the pilot, with two agents or more.
        delta: true mean difference to be found; or
        n: number of seeds, to be told what they find.
        metric: a key of METRICS.
        alpha: level of the test.
        chance: with which the difference is to be found.
        comparisons: pairs of the family that are adjusted for.

    Raises:
        StatsError: unless exactly one of delta and n is given, delta is one that the metric can have, and
            there is a pair with two shared seeds.
        MixedRunsError: for runs that are not comparable.
    """
    if (delta is None) == (n is None):
        raise StatsError("say either the difference to be found, or the number of seeds")
    _check_delta(delta, metric_named(metric))
    check_alike(runs)
    found = [
        PairPlan(tier, a, b, seen, comparisons, tuple(_plans(seen, delta, n, alpha, chance, comparisons)))
        for tier, a, b, seen in _pilots(runs, metric)
    ]
    if not found:
        raise StatsError("a pilot needs two agents that have two seeds of a tier in common")
    return found


def _check_delta(delta: float | None, metric: Metric) -> None:
    most = inf if metric.low is None or metric.high is None else metric.high - metric.low
    if delta is None or (0 < delta <= most and isfinite(delta)):
        return
    upto = "" if most == inf else f" and at most {most:g}, which two agents' {metric.title} can differ by"
    raise StatsError(f"the difference to be found must be above 0{upto}, got {delta:g}")


def _pilots(runs: Sequence[RunFolder], metric: str) -> Iterator[tuple[str, str, str, Pilot]]:
    agents = entrants(runs)
    for tier in dict.fromkeys(tier for run in runs for tier in run.info.tiers):
        for a, b in combinations([OnTier(agent, tier) for agent in agents], 2):
            seeds = shared_seeds((a, b), metric)
            if len(seeds) > 1:
                scores = (by_seed(agent.rows(metric), seeds) for agent in (a, b))
                yield tier, a.label, b.label, pilot(*scores)


def _plans(
    seen: Pilot, delta: float | None, n: int | None, alpha: float, chance: float, comparisons: int
) -> Iterator[Plan]:
    own = {seen.samples_a} if seen.samples_a == seen.samples_b else set()
    for samples in sorted(own.union(SAMPLES)):
        sd = seen.sd_with(samples, samples)
        if sd is None:
            continue
        yield Plan(
            samples=samples,
            sd=sd,
            seeds=None if delta is None else needed_seeds(delta, sd, alpha, chance, comparisons=comparisons),
            finds=None if n is None else mde(n, sd, alpha, chance, comparisons=comparisons),
        )
