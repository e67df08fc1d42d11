"""The difference of two agents if both played the same seeds again."""

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.intervals import (
    LEVEL,
    RESAMPLES,
    block_sizes,
    mean_of_each,
    percentile_interval,
)
from quantum_circuit_env.evals.stats.paired import seed_differences
from quantum_circuit_env.evals.stats.reruns import rerun
from quantum_circuit_env.evals.stats.values import Estimate, Flag, score_rows


def fixed_seed_difference(
    a: ArrayLike, b: ArrayLike, *, resamples: int = RESAMPLES, rng_seed: int = 0, level: float = LEVEL
) -> Estimate:
    """Mean of m_i(A) − m_i(B), and its interval for a rerun of both on the same seeds.

    The samples of each agent are resampled on their own inside each seed.

    Args:
        a, b: scores (n_seeds, samples of each), or rows, of the same seeds in one order.
        resamples, rng_seed, level: as of `fixed_seed_bootstrap`.

    Raises:
        StatsError: if they have different numbers of seeds.
    """
    differences = seed_differences(a, b)
    if not differences.size:
        return Estimate(None, None, (Flag.NO_DATA,))
    value = float(differences.mean())
    first, second = score_rows(a), score_rows(b)
    if min(first.shape[1], second.shape[1]) == 1:
        return Estimate(value, None, (Flag.SINGLE_SAMPLE,))
    rng = np.random.default_rng(rng_seed)
    draws = [
        mean_of_each(rerun(first, rng, count)) - mean_of_each(rerun(second, rng, count))
        for count in block_sizes(resamples, max(first.size, second.size))
    ]
    return Estimate(value, percentile_interval(np.concatenate(draws), value, level, "fixed"))
