"""Whether two agents differ, judged on the seeds that both have played.

The unit is the seed: d_i = m_i(A) − m_i(B), the difference of the agents' mean scores on it.
"""

from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.signs import extreme_of_all, extreme_of_random
from quantum_circuit_env.evals.stats.values import FloatArray, StatsError, score_matrix, seed_means

EXACT_UP_TO: Final = 16
"""Most seeds for which all 2^n signs are tried."""

FLIPS: Final = 99_999
"""Random signs for more seeds."""


class SignFlip(NamedTuple):
    """Result of a paired permutation test.

    Attributes:
        p: two-sided p-value; None without seeds.
        mean_difference: mean of the d_i; None without seeds.
        n_seeds: number of shared seeds n.
        method: whether all signs were tried, or random ones.
        flips: number of signs that were tried, the observed ones included if `exact`.
    """

    p: float | None
    mean_difference: float | None
    n_seeds: int
    method: Literal["exact", "monte_carlo"]
    flips: int


def seed_differences(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """d_i of each shared seed: (n_seeds,).

    Args:
        a, b: scores (n_seeds, samples of each), or rows, of the same seeds in one order.

    Raises:
        StatsError: if they have different numbers of seeds.
    """
    first, second = seed_means(a), seed_means(b)
    if first.size != second.size:
        raise StatsError(f"pairs need shared seeds, got {first.size} and {second.size}")
    return first - second


def sign_flip(
    a: ArrayLike,
    b: ArrayLike,
    *,
    exact_up_to: int = EXACT_UP_TO,
    flips: int = FLIPS,
    rng_seed: int = 0,
) -> SignFlip:
    """Paired permutation test of the mean difference (Fisher 1935, "The design of experiments", section 21).

    If agents do not differ, the sign of each d_i is a coin's:
    p = #{s ∈ {−1, 1}^n : |Σ s_i d_i| ≥ |Σ d_i|} / 2^n, or of m random signs, of which b are so extreme,
    (b + 1) / (m + 1), which is never too small (Phipson and Smyth 2010, arXiv:1603.05766). Sums that differ
    by less than 1e−12 · Σ|d_i| are ties, which SciPy's test does not know when their true sum is zero.

    The result is the same with the arguments exchanged, but for the sign of the difference.

    Args:
        a, b: scores (n_seeds, samples of each) whose rows are the same seeds in one order.
        exact_up_to: most seeds for which all signs are tried.
        flips: number m of random signs otherwise.
        rng_seed: what the random signs are drawn from, the same for every pair of agents.
    """
    return sign_flip_of(seed_differences(a, b), exact_up_to=exact_up_to, flips=flips, rng_seed=rng_seed)


def sign_flip_of(
    differences: ArrayLike, *, exact_up_to: int = EXACT_UP_TO, flips: int = FLIPS, rng_seed: int = 0
) -> SignFlip:
    """`sign_flip` of the differences d_i themselves, (n_seeds,)."""
    d = seed_means(differences)
    if not d.size:
        return SignFlip(None, None, 0, "exact", 0)
    mean, row = float(d.mean()), d[np.newaxis]
    if d.size <= exact_up_to:
        extreme = int(extreme_of_all(row)[0])
        return SignFlip(extreme / 2**d.size, mean, d.size, "exact", 2**d.size)
    extreme = int(extreme_of_random(row, flips=flips, rng_seed=rng_seed)[0])
    return SignFlip((extreme + 1) / (flips + 1), mean, d.size, "monte_carlo", flips)


def smallest_p(n_seeds: int) -> float:
    """Smallest p-value that the exact test of n ≥ 1 seeds can give: 2 / 2^n, at most 1."""
    return min(1.0, 2.0 ** (1 - n_seeds))


def fewest_seeds(alpha: float = 0.05, comparisons: int = 1) -> int:
    """Fewest seeds with which the strictest of so many comparisons can be significant at all.

    >>> fewest_seeds(), fewest_seeds(comparisons=10)
    (6, 9)
    """
    if not (0 < alpha < 1 and comparisons >= 1):
        raise StatsError(f"alpha must be in (0, 1) and comparisons at least 1, got {alpha}, {comparisons}")
    seeds = 1
    while smallest_p(seeds) > alpha / comparisons:
        seeds += 1
    return seeds


class Discordance(NamedTuple):
    """Exact McNemar test: seeds that only one of two agents solved, and the two-sided p-value."""

    only_a: int
    only_b: int
    p: float


def mcnemar(a: ArrayLike, b: ArrayLike) -> Discordance:
    """Exact test of paired successes (McNemar 1947, doi:10.1007/BF02295996), by statsmodels.

    p = P(at most min(only A, only B), or as far on the other side), of a fair coin thrown only A + only B
    times; 1 where no seed tells the agents apart. It equals the exact sign flip of outcomes 0 and 1.

    Args:
        a, b: one success (1) or failure (0) a seed, (n_seeds,), on the same seeds in one order.

    Raises:
        StatsError: for other values, or more than one sample a seed.
    """
    first, second = score_matrix(a), score_matrix(b)
    if first.shape != second.shape or first.shape[1] != 1 or not np.isin([first, second], (0, 1)).all():
        raise StatsError("McNemar's test takes one success or failure of each agent on the same seeds")
    only_a, only_b = int((first > second).sum()), int((first < second).sum())
    return Discordance(only_a, only_b, mcnemar_p(only_a, only_b))


def mcnemar_p(only_a: int, only_b: int) -> float:
    """p-value of `mcnemar` from the numbers of seeds that only one agent solved."""
    if not only_a + only_b:
        return 1.0
    tables = require("statsmodels.stats.contingency_tables", extra="eval")
    return float(tables.mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue)
