"""Pairs of agents on one tier, each on the seeds that both have."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product

from quantum_circuit_env.evals.compare_tiers import OnTier, Settings, shared_seeds
from quantum_circuit_env.evals.comparison import Pair
from quantum_circuit_env.evals.metrics import by_seed
from quantum_circuit_env.evals.stats.coverage import OracleUnion, oracle_union
from quantum_circuit_env.evals.stats.families import sign_flips_of
from quantum_circuit_env.evals.stats.multiplicity import holm, needed_flips
from quantum_circuit_env.evals.stats.paired import FLIPS, seed_differences
from quantum_circuit_env.evals.stats.planning import mde
from quantum_circuit_env.evals.stats.ranks import tied_groups
from quantum_circuit_env.evals.stats.rerun_differences import fixed_seed_difference
from quantum_circuit_env.evals.stats.robust import probability_of_improvement
from quantum_circuit_env.evals.stats.values import Estimate, Flag


class _Both:
    """Two agents and what they have in common."""

    def __init__(self, a: OnTier, b: OnTier, metric: str) -> None:
        self.a, self.b = a, b
        self.seeds = shared_seeds((a, b), metric)
        self.dropped = len(a.rows(metric).keys() ^ b.rows(metric).keys())
        self.first, self.second = (by_seed(agent.rows(metric), self.seeds) for agent in (a, b))
        self.differences = seed_differences(self.first, self.second)

    def union(self) -> tuple[OracleUnion | None, tuple[int, int] | None]:
        """Return what both solve together, and how many samples a seed that takes."""
        seeds = shared_seeds((self.a, self.b), "success_t1")
        if not seeds:
            return None, None
        first, second = (by_seed(agent.rows("success_t1"), seeds) for agent in (self.a, self.b))
        return oracle_union(first, second), (max(map(len, first)), max(map(len, second)))


def pairs(agents: Sequence[OnTier], settings: Settings) -> list[Pair]:
    """Return each pair once, the agent that comes first in `agents` first; they are one family of tests."""
    return _family(combinations(agents, 2), settings)


def against(agents: Sequence[OnTier], baselines: Sequence[OnTier], settings: Settings) -> list[Pair]:
    """Return each agent with each baseline; they are one family of tests, apart from that of the agents."""
    return _family(product(agents, baselines), settings)


def _family(of: Iterable[tuple[OnTier, OnTier]], settings: Settings) -> list[Pair]:
    both = [_Both(a, b, settings.metric.name) for a, b in of]
    flips = max(FLIPS, needed_flips(len(both), settings.alpha))
    p_values = sign_flips_of([each.differences for each in both], flips=flips)
    comparisons = max(1, sum(p is not None for p in p_values))
    return [
        _pair(each, settings, p, p_holm, comparisons)
        for each, p, p_holm in zip(both, p_values, holm(p_values), strict=True)
    ]


def _pair(both: _Both, settings: Settings, p: float | None, p_holm: float | None, comparisons: int) -> Pair:
    n = len(both.seeds)
    sd = float(both.differences.std(ddof=1)) if n > 1 else None
    union, samples = both.union()
    return Pair(
        a=both.a.label,
        b=both.b.label,
        n_shared=n,
        dropped=both.dropped,
        difference=_difference(both, settings),
        p=p,
        p_holm=p_holm,
        mde=None if sd is None else mde(n, sd, settings.alpha),
        mde_holm=None if sd is None else mde(n, sd, settings.alpha, comparisons=comparisons),
        improvement=probability_of_improvement(both.first, both.second) if n else None,
        union=union,
        union_samples=samples,
        by_seed=dict(zip(both.seeds, both.differences.tolist(), strict=True)),
    )


def _difference(both: _Both, settings: Settings) -> Estimate:
    if not both.seeds:
        return Estimate(None, None, (Flag.NO_DATA,))
    if settings.target == "fixed":
        return fixed_seed_difference(both.first, both.second, level=settings.level)
    return settings.bootstraps[len(both.seeds)].difference(both.first, both.second, level=settings.level)


def tied(order: Sequence[str], found: Iterable[Pair], alpha: float) -> list[tuple[str, ...]]:
    """Return the groups of agents that no adjusted test tells apart, the best agents first."""
    return tied_groups(
        order,
        {frozenset((pair.a, pair.b)) for pair in found if pair.p_holm is not None and pair.p_holm <= alpha},
    )


def neighbours(order: Sequence[str], found: Iterable[Pair]) -> list[Pair]:
    """Return the pairs of agents that stand next to each other, the best first."""
    by_names: Mapping[frozenset[str], Pair] = {frozenset((pair.a, pair.b)): pair for pair in found}
    return [by_names[frozenset(two)] for two in pairwise(order) if frozenset(two) in by_names]
