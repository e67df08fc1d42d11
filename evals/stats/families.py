"""Paired tests of many comparisons on the same seeds, with one set of signs for all of them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantum_circuit_env.evals.stats.intervals import block_sizes
from quantum_circuit_env.evals.stats.paired import EXACT_UP_TO, FLIPS, _all_signs, _random_signs
from quantum_circuit_env.evals.stats.values import ROUNDING, FloatArray, score_matrix


def sign_flips(
    differences: ArrayLike, *, exact_up_to: int = EXACT_UP_TO, flips: int = FLIPS, rng_seed: int = 0
) -> FloatArray:
    """p-values of `sign_flip_of` for many comparisons: (n_comparisons,).

    They are the same as one at a time, in a small part of its time: the signs are drawn once, and the sums
    are one product of matrices.

    Args:
        differences: d_i of each comparison, (n_comparisons, n_seeds), with at least one seed.
        exact_up_to, flips, rng_seed: as of `sign_flip_of`.

    Raises:
        StatsError: for another shape, or a difference that is not finite.
    """
    d = score_matrix(differences)
    seeds = d.shape[1]
    if seeds <= exact_up_to:
        counts = sum(
            (_count_extreme(d, signs) for signs in _all_signs(seeds)), np.zeros(len(d), dtype=np.int64)
        )
        return np.asarray(counts / 2**seeds, dtype=np.float64)
    rng = np.random.default_rng(rng_seed)
    extreme = np.zeros(len(d), dtype=np.int64)
    for count in block_sizes(flips, seeds):
        extreme += _count_extreme(d, _random_signs(rng, count, seeds))
    return np.asarray((extreme + 1) / (flips + 1), dtype=np.float64)


def _count_extreme(d: FloatArray, signs: NDArray[np.int8]) -> NDArray[np.int64]:
    """How many sign vectors (count, seeds) give each comparison a sum as far from zero as its own."""
    least = np.abs(d.sum(axis=1)) - ROUNDING * np.abs(d).sum(axis=1)
    # Products of floats, not of integers, are those that linear algebra libraries are fast at.
    return np.asarray((np.abs(signs.astype(np.float64) @ d.T) >= least).sum(axis=0), dtype=np.int64)
