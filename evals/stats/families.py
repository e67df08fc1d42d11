"""Paired tests of many comparisons on the same seeds, with one set of signs for all of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.paired import EXACT_UP_TO, FLIPS
from quantum_circuit_env.evals.stats.signs import extreme_of_all, extreme_of_random
from quantum_circuit_env.evals.stats.values import FloatArray, score_matrix


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
        return np.asarray(extreme_of_all(d) / 2**seeds, dtype=np.float64)
    extreme = extreme_of_random(d, flips=flips, rng_seed=rng_seed)
    return np.asarray((extreme + 1) / (flips + 1), dtype=np.float64)


def sign_flips_of(differences: Sequence[FloatArray], *, flips: int = FLIPS) -> list[float | None]:
    """p-values of `sign_flip_of` for comparisons on different seeds, None for one without seeds.

    Args:
        differences: d_i of each comparison, (n_seeds,); those of one length share their signs.
        flips: as of `sign_flip_of`.

    Raises:
        StatsError: for a difference that is not finite.
    """
    found: list[float | None] = [None] * len(differences)
    for size in {len(d) for d in differences} - {0}:
        members = [index for index, d in enumerate(differences) if len(d) == size]
        values = sign_flips(np.array([differences[index] for index in members]), flips=flips)
        for index, value in zip(members, values.tolist(), strict=True):
            found[index] = value
    return found
