"""Orders of agents: how far two orders agree, how sure a rank is, and who is tied with whom."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, permutations
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.intervals import LEVEL, percentile_interval
from quantum_circuit_env.evals.stats.resampling import SeedBootstrap
from quantum_circuit_env.evals.stats.values import (
    ROUNDING,
    Flag,
    FloatArray,
    Interval,
    StatsError,
    seed_means,
)

MIN_AGENTS: Final = 3
"""Fewest agents whose orders can be said to agree."""

EXACT_UP_TO: Final = 8
"""Most agents for which the p-value comes from all n! orders."""

_DECIMALS: Final = 12
"""Means that are equal to so many decimals are tied; two orders of one sum can differ by less."""


class Agreement(NamedTuple):
    """How far two tiers, suites or metrics put the agents in the same order.

    Attributes:
        value: from −1, opposite orders, to 1, equal ones; None where the flags say why.
        p: two-sided p-value of no association; None with it.
        method: whether p comes from all orders or from SciPy's approximation.
        agents: number of agents.
        flags: `constant_ranking` or `too_few_agents`.
    """

    value: float | None
    p: float | None
    method: Literal["exact", "approximate"]
    agents: int
    flags: tuple[Flag, ...] = ()


def spearman(a: ArrayLike, b: ArrayLike) -> Agreement:
    """Spearman's ρ: the correlation of the ranks, ties at their mean rank (Spearman 1904,
    doi:10.2307/1412159).

    The exact p-value is the share of the n! orders of b with |ρ| at least as large as observed.

    Args:
        a, b: one number an agent, (n_agents,), of the same agents in one order.

    Raises:
        StatsError: if they have different lengths.
    """
    first, second = _paired(a, b)
    refused = _refusal(first, second)
    if refused:
        return refused
    stats = require("scipy.stats", extra="eval")
    found = stats.spearmanr(first, second)
    if first.size > EXACT_UP_TO:
        return Agreement(float(found.statistic), float(found.pvalue), "approximate", first.size)
    x, y = (stats.rankdata(ranks) - (ranks.size + 1) / 2 for ranks in (first, second))
    p = _share_extreme(y[_orders(first.size)] @ x, float(y @ x))
    return Agreement(float(found.statistic), p, "exact", first.size)


def kendall(a: ArrayLike, b: ArrayLike, variant: Literal["b", "c"] = "b") -> Agreement:
    """Kendall's τ: concordant less discordant pairs of agents, over what they could be at most.

    τ_b = (C − D) / sqrt((pairs not tied in a)(pairs not tied in b)) (Kendall 1945,
    doi:10.1093/biomet/33.3.239); τ_c = 2 (C − D) / (n² (m − 1)/m), m the fewer distinct values (Stuart 1953,
    doi:10.1093/biomet/40.1-2.105). Arguments, p-value and errors as of `spearman`.
    """
    first, second = _paired(a, b)
    refused = _refusal(first, second)
    if refused:
        return refused
    found = require("scipy.stats", extra="eval").kendalltau(first, second, variant=variant)
    if first.size > EXACT_UP_TO:
        return Agreement(float(found.statistic), float(found.pvalue), "approximate", first.size)
    x, y = _signs(first), _signs(second)
    orders = _orders(first.size)
    shuffled = y[orders[:, :, np.newaxis], orders[:, np.newaxis, :]]
    p = _share_extreme((shuffled * x).sum(axis=(1, 2)), float((y * x).sum()))
    return Agreement(float(found.statistic), p, "exact", first.size)


class PairCounts(NamedTuple):
    """Pairs of agents by how two orders put them: the same way, opposite ways, tied in one or both."""

    concordant: int
    discordant: int
    ties_a: int
    ties_b: int
    ties_both: int


def pair_counts(a: ArrayLike, b: ArrayLike) -> PairCounts:
    """Count the unordered pairs of agents; `ties_a` are tied in a only. Arguments as of `spearman`."""
    first, second = _paired(a, b)
    upper = np.triu_indices(first.size, 1)
    x, y = _signs(first)[upper], _signs(second)[upper]
    return PairCounts(
        concordant=int((x * y > 0).sum()),
        discordant=int((x * y < 0).sum()),
        ties_a=int(((x == 0) & (y != 0)).sum()),
        ties_b=int(((x != 0) & (y == 0)).sum()),
        ties_both=int(((x == 0) & (y == 0)).sum()),
    )


def _paired(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = seed_means(a), seed_means(b)
    if first.size != second.size:
        raise StatsError(f"orders must be of the same agents, got {first.size} and {second.size}")
    return first, second


def _refusal(a: FloatArray, b: FloatArray) -> Agreement | None:
    if a.size < MIN_AGENTS:
        return Agreement(None, None, "exact", a.size, (Flag.TOO_FEW_AGENTS,))
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return Agreement(None, None, "exact", a.size, (Flag.CONSTANT_RANKING,))
    return None


def _orders(agents: int) -> NDArray[np.intp]:
    """All orders of agents: (agents!, agents)."""
    return np.array(list(permutations(range(agents))), dtype=np.intp)


def _signs(values: FloatArray) -> NDArray[np.int8]:
    """Which of two agents is ahead: (n_agents, n_agents) of −1, 0, 1."""
    return np.sign(values[:, np.newaxis] - values).astype(np.int8)


def _share_extreme(sums: NDArray[np.generic], observed: float) -> float:
    tie = ROUNDING * max(1.0, abs(observed))
    return float((np.abs(sums) >= abs(observed) - tie).mean())


class Rank(NamedTuple):
    """Place of an agent, 1 the best, agents with equal scores sharing the better place; and its interval."""

    rank: int
    interval: Interval | None


def rank_intervals(
    bootstrap: SeedBootstrap, scores: Mapping[str, ArrayLike], *, level: float = LEVEL
) -> dict[str, Rank]:
    """Rank of each agent by its mean score, and its percentile interval for the population of seeds.

    All agents are ranked anew in each resample of the seeds, the same seeds for all (Hall and Miller 2009,
    arXiv:0911.3749, on ranks and the bootstrap).

    Args:
        bootstrap: that of the tier.
        scores: agent → (n_seeds, n_samples), rows the same seeds in one order.
        level: nominal coverage, of each agent's rank on its own.

    Returns:
        agent → rank and interval, in the order of `scores`; no interval for fewer than two seeds.
    """
    if not scores:
        return {}
    if not bootstrap.n_seeds:
        raise StatsError("agents without scores have no ranks")
    ranks = _ranks(np.array([[seed_means(of_agent).mean()] for of_agent in scores.values()]))[:, 0]
    if bootstrap.n_seeds < 2:
        return {agent: Rank(int(rank), None) for agent, rank in zip(scores, ranks, strict=True)}
    drawn = _ranks(np.array([bootstrap.draws(of_agent) for of_agent in scores.values()]))
    return {
        agent: Rank(int(rank), percentile_interval(draws, float(rank), level, "population"))
        for agent, rank, draws in zip(scores, ranks, drawn, strict=True)
    }


def _ranks(means: FloatArray) -> NDArray[np.int64]:
    """Ranks within each column: (n_agents, columns) from (n_agents, columns)."""
    rankdata = require("scipy.stats", extra="eval").rankdata
    return np.asarray(rankdata(-means.round(_DECIMALS), method="min", axis=0), dtype=np.int64)


def tied_groups(agents: Sequence[str], separated: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """Groups of agents that the data do not tell apart; an agent can be in several.

    Two agents share a group exactly when their pair is not in `separated`, and no group can be larger: the
    letters of a compact letter display (Piepho 2004, doi:10.1198/1061860043515). "Tied" is not "equal": more
    seeds may separate them.

    Args:
        agents: the agents, the best first.
        separated: pairs with a significant difference, after adjustment.

    Returns:
        Groups in the order of their best agents, each in the order of `agents`.

    >>> tied_groups(["a", "b", "c"], {frozenset({"a", "c"})})
    [('a', 'b'), ('b', 'c')]
    """
    groups: set[frozenset[str]] = {frozenset(agents)}
    for pair in combinations(agents, 2):
        if frozenset(pair) in separated:
            groups = _split(groups, pair)
    place = {agent: number for number, agent in enumerate(agents)}
    ordered = sorted(tuple(sorted(place[agent] for agent in group)) for group in groups if group)
    return [tuple(agents[number] for number in group) for group in ordered]


def _split(groups: set[frozenset[str]], pair: tuple[str, str]) -> set[frozenset[str]]:
    """Take the pair apart wherever it is together, and drop what is then within another group."""
    split = {
        part
        for group in groups
        for part in ([group - {one} for one in pair] if group >= set(pair) else [group])
    }
    return {group for group in split if not any(group < other for other in split)}
