"""Aggregates that a few extreme episodes do not move, and comparisons by rank instead of size.

Definitions of Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice"
(arXiv:2108.13264), with seeds as their tasks and samples as their runs. Scores have the shape
(n_seeds, n_samples) throughout, or are a row for each seed where samples are missing.
"""

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.values import FloatArray, StatsError, known, means_of_rows, score_rows

TRIM = 0.25
"""Share of the scores that the interquartile mean leaves out at each end."""


def iqm(scores: ArrayLike) -> float:
    """Interquartile mean: the mean of all seed × sample scores without ⌊N/4⌋ of them at each end.

    Raises:
        StatsError: without scores.
    """
    return float(require("scipy.stats", extra="eval").trim_mean(known(_some(scores)), TRIM))


def iqm_of_each(batch: FloatArray) -> FloatArray:
    """`iqm` of each of many data sets: (batch,) from (batch, n_seeds, n_samples), with NaN for no sample."""
    ordered = np.sort(batch.reshape(len(batch), -1), axis=1)  # faster than SciPy's partition of many rows
    sizes = np.isfinite(ordered).sum(axis=1, keepdims=True)  # NaN is sorted to the end
    cuts = (TRIM * sizes).astype(int)
    if (sizes == ordered.shape[1]).all():
        cut = int(TRIM * ordered.shape[1])
        return np.asarray(ordered[:, cut : ordered.shape[1] - cut].mean(axis=1), dtype=np.float64)
    places = np.arange(ordered.shape[1])
    kept = np.where((places >= cuts) & (places < sizes - cuts), ordered, np.nan)
    return means_of_rows(kept)


def median_of_seed_means(scores: ArrayLike) -> float:
    """Median over the seeds of each seed's mean; StatsError without scores."""
    return float(np.median(means_of_rows(_some(scores))))


def optimality_gap(scores: ArrayLike, gamma: float = 1.0) -> float:
    """How far the scores stay below gamma: gamma − mean(min(x, gamma)); StatsError without scores."""
    return float(gamma - np.minimum(known(_some(scores)), gamma).mean())


def improvement_by_seed(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """P(X > Y) + ½ P(X = Y) on each seed, X and Y being one sample of each agent.

    Args:
        x: scores (n_seeds, n_samples of x), or rows.
        y: scores of another agent on the same seeds (n_seeds, n_samples of y), or rows.

    Returns:
        (n_seeds,): the Mann–Whitney U statistic of each seed over the number of its pairs.

    Raises:
        StatsError: unless both have the same seeds, at least one.
    """
    first, second = _some(x), _some(y)
    if len(first) != len(second):
        raise StatsError(f"agents are compared on shared seeds, got {len(first)} and {len(second)}")
    test = require("scipy.stats", extra="eval").mannwhitneyu(
        first, second, axis=1, method="asymptotic", nan_policy="omit"
    )
    pairs = np.isfinite(first).sum(axis=1) * np.isfinite(second).sum(axis=1)
    return np.asarray(test.statistic / pairs, dtype=np.float64)


def probability_of_improvement(x: ArrayLike, y: ArrayLike) -> float:
    """Mean over the seeds of `improvement_by_seed`: 0.5 when neither is better."""
    return float(improvement_by_seed(x, y).mean())


def performance_profile(scores: ArrayLike, taus: ArrayLike) -> FloatArray:
    """Share of all seed × sample scores strictly above each τ.

    (Dolan and Moré 2002, doi:10.1007/s101070100263, as the score distributions of Agarwal et al.)

    Args:
        scores: (n_seeds, n_samples), or rows.
        taus: thresholds (n_taus,).

    Returns:
        (n_taus,), falling in τ; StatsError without scores.
    """
    return _share_above(known(_some(scores)), taus)


def mean_profile(scores: ArrayLike, taus: ArrayLike) -> FloatArray:
    """Share of seeds whose mean score is strictly above each τ; else as `performance_profile`."""
    return _share_above(means_of_rows(_some(scores)), taus)


def _share_above(values: FloatArray, taus: ArrayLike) -> FloatArray:
    above = values[:, np.newaxis] > np.asarray(taus, dtype=np.float64)
    return np.asarray(above.mean(axis=0), dtype=np.float64)


def _some(scores: ArrayLike) -> FloatArray:
    rows = score_rows(scores)
    if not rows.size:
        raise StatsError("there are no scores")
    return rows
