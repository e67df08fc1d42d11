"""Percentile intervals of what was drawn, and drawing in blocks that fit in memory."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.values import (
    ROUNDING,
    FloatArray,
    Interval,
    StatsError,
    Target,
    means_of_rows,
)

RESAMPLES: Final = 10_000
LEVEL: Final = 0.95

Statistic = Callable[[FloatArray], FloatArray]
"""What is estimated: (batch,) from data sets (batch, n_seeds, n_samples).

NaN stands behind the samples of a seed that has fewer than the others.
"""

CELLS: Final = 2_000_000
"""Numbers in one block of work; a few such blocks live at a time."""


def mean_of_each(batch: FloatArray) -> FloatArray:
    """Mean of the seeds' means of each data set: (batch,) from (batch, n_seeds, n_samples)."""
    if np.isnan(batch).any():
        return np.asarray(means_of_rows(batch).mean(axis=1), dtype=np.float64)
    return np.asarray(batch.mean(axis=(1, 2)), dtype=np.float64)


def percentile_interval(draws: ArrayLike, value: float, level: float, target: Target) -> Interval:
    """Interval between the (1 − level)/2 quantiles, counted from below and from above, of draws (resamples,).

    The quantile is the inverse of the distribution function, without interpolation, so that an end of the
    interval is a value that was drawn. The interval is widened to contain `value`, and one no wider than
    rounding has no width.

    Raises:
        StatsError: unless 0 < level < 1.
    """
    if not 0 < level < 1:
        raise StatsError(f"a level is between 0 and 1, got {level}")
    tail = round((1 - level) / 2, 12)
    numbers = np.asarray(draws, dtype=np.float64)
    low = min(float(np.quantile(numbers, tail, method="inverted_cdf")), value)
    high = max(-float(np.quantile(-numbers, tail, method="inverted_cdf")), value)
    if high - low <= ROUNDING * max(abs(low), abs(high)):
        return Interval(value, value, level, target)
    return Interval(low, high, level, target)


def block_sizes(resamples: int, cells: int) -> Iterator[int]:
    """Split resamples, each of so many cells, into blocks that fit in memory."""
    most = max(1, CELLS // max(1, cells))
    for start in range(0, resamples, most):
        yield min(most, resamples - start)
