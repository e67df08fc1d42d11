"""Flipping the signs of paired differences: how many flips give sums as far from zero as the true ones."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quantum_circuit_env.evals.stats.intervals import block_sizes
from quantum_circuit_env.evals.stats.values import ROUNDING, FloatArray


def extreme_of_all(d: FloatArray) -> NDArray[np.int64]:
    """How many of all 2^n_seeds sign vectors are so extreme, for each comparison.

    Args:
        d: differences, (n_comparisons, n_seeds).

    Returns:
        (n_comparisons,), each at least 1: the observed signs are among them.
    """
    return _extreme(d, _all_signs(d.shape[1]))


def extreme_of_random(d: FloatArray, *, flips: int, rng_seed: int) -> NDArray[np.int64]:
    """How many of so many random sign vectors are so extreme; they are the same ones for each comparison.

    Argument and result as of `extreme_of_all`, but that there may be none.
    """
    return _extreme(d, _random_signs(flips, d.shape[1], rng_seed))


def _all_signs(seeds: int) -> Iterator[FloatArray]:
    """All 2^seeds sign vectors, in blocks (some vectors, seeds)."""
    start = 0
    for count in block_sizes(2**seeds, seeds):
        numbers = np.arange(start, start + count)
        yield (1 - 2 * (numbers[:, np.newaxis] >> np.arange(seeds) & 1)).astype(np.float64)
        start += count


def _random_signs(flips: int, seeds: int, rng_seed: int) -> Iterator[FloatArray]:
    """Independent fair signs, in blocks (some vectors, seeds)."""
    rng = np.random.default_rng(rng_seed)
    for count in block_sizes(flips, seeds):
        octets = np.frombuffer(rng.bytes(-(-count * seeds // 8)), dtype=np.uint8)
        bits = np.unpackbits(octets, count=count * seeds).reshape(count, seeds)
        # Products of floats, not of integers, are those that linear algebra libraries are fast at.
        yield (1 - 2 * bits.view(np.int8)).astype(np.float64)


def _extreme(d: FloatArray, blocks: Iterator[FloatArray]) -> NDArray[np.int64]:
    least = np.abs(d.sum(axis=1)) - ROUNDING * np.abs(d).sum(axis=1)
    found = np.zeros(len(d), dtype=np.int64)
    for signs in blocks:
        found += (np.abs(signs @ d.T) >= least).sum(axis=0)
    return found
