"""Intervals that answer other questions than the seed bootstrap, or the same one in another way."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.intervals import (
    CELLS,
    LEVEL,
    RESAMPLES,
    Statistic,
    block_sizes,
    mean_of_each,
    percentile_interval,
)
from quantum_circuit_env.evals.stats.values import (
    Estimate,
    Flag,
    FloatArray,
    Interval,
    data_flags,
    same,
    score_matrix,
    score_rows,
    seed_means,
)


def fixed_seed_bootstrap(
    scores: ArrayLike,
    statistic: Statistic = mean_of_each,
    *,
    resamples: int = RESAMPLES,
    rng_seed: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """A statistic, and its interval for a rerun on the same seeds: only the samples are resampled.

    Stratified bootstrap, the default of Agarwal et al. 2021 (arXiv:2108.13264): for the mean,
    SE* = sqrt(Σ_i v_i / R) / n, with v_i the variance (denominator R) of the R samples of seed i. It says
    nothing of other seeds, and with one sample a seed it says nothing at all; where only some seeds have one
    sample, it takes those for seeds without chance.

    Args:
        scores: (n_seeds, n_samples), or a row for each seed.
        statistic: what is estimated; the mean, or `iqm_of_each`.
        resamples: number of resamples.
        rng_seed: equal for agents that are compared.
        level: nominal coverage.
    """
    rows = score_rows(scores)
    flags = tuple(flag for flag in data_flags(scores) if flag not in (Flag.SINGLE_TASK, Flag.CONSTANT_SCORES))
    if not len(rows):
        return Estimate(None, None, flags)
    value = float(statistic(rows[np.newaxis])[0])
    if rows.shape[1] == 1:
        return Estimate(value, None, (Flag.SINGLE_SAMPLE, *flags))
    rng = np.random.default_rng(rng_seed)
    draws = [statistic(rerun(rows, rng, count)) for count in block_sizes(resamples, rows.size)]
    return Estimate(value, percentile_interval(np.concatenate(draws), value, level, "fixed"), flags)


def rerun(rows: FloatArray, rng: np.random.Generator, count: int) -> FloatArray:
    """Draw the samples of each seed again, as many as it has: (count, n_seeds, n_samples).

    Args:
        rows: what `score_rows` returns, (n_seeds, n_samples).
        rng: what is drawn from.
        count: number of data sets.
    """
    seeds, width = rows.shape
    seed = np.arange(seeds)[:, np.newaxis]
    missing = np.isnan(rows)
    if not missing.any():
        return np.asarray(rows[seed, rng.integers(width, size=(count, seeds, width))], dtype=np.float64)
    sizes = width - missing.sum(axis=1, keepdims=True)
    drawn = rows[seed, rng.integers(sizes, size=(count, seeds, width))]
    return np.where(missing, np.nan, drawn)


def hierarchical_bootstrap(
    scores: ArrayLike, *, resamples: int = RESAMPLES, rng_seed: int = 0, level: float = LEVEL
) -> Estimate:
    """Mean score, with seeds resampled and then the samples inside each drawn seed; for sensitivity only.

    Var* = Σ (m_i − m)² / n² + mean_i v_i / (n R). The spread of the seeds' means already contains that of
    their samples, so the interval is slightly too wide (Davison and Hinkley 1997, "Bootstrap methods and
    their application", section 3.8). Arguments as of `fixed_seed_bootstrap`.
    """
    matrix = score_matrix(scores)
    if len(matrix) < 2:
        return _estimate(matrix, None, data_flags(matrix))
    draws = hierarchical_draws(matrix, resamples=resamples, rng_seed=rng_seed)
    interval = percentile_interval(draws, float(matrix.mean()), level, "population")
    return _estimate(matrix, interval, data_flags(matrix))


def hierarchical_draws(scores: ArrayLike, *, resamples: int = RESAMPLES, rng_seed: int = 0) -> FloatArray:
    """Mean score in each resample of `hierarchical_bootstrap`: (resamples,)."""
    matrix = score_matrix(scores)
    seeds, samples = matrix.shape
    rng = np.random.default_rng(rng_seed)

    def block(count: int) -> FloatArray:
        drawn = rng.integers(seeds, size=(count, seeds, 1))
        return mean_of_each(matrix[drawn, rng.integers(samples, size=(count, seeds, samples))])

    return np.concatenate([block(count) for count in block_sizes(resamples, matrix.size)])


def macro_average(
    tiers: Sequence[ArrayLike], *, resamples: int = RESAMPLES, rng_seed: int = 0, level: float = LEVEL
) -> Estimate:
    """Mean over tiers of each tier's mean score, with the seeds of each tier resampled on their own.

    To be declared before the data are seen; a table of tiers says more.

    Args:
        tiers: scores of one agent on each tier, (n_seeds, n_samples) or a row for each seed.
        resamples, rng_seed, level: as of `fixed_seed_bootstrap`.
    """
    means = [seed_means(scores) for scores in tiers]
    if not means or not all(tier.size for tier in means):
        return Estimate(None, None, (Flag.NO_DATA,))
    value = float(np.mean([tier.mean() for tier in means]))
    if any(tier.size == 1 for tier in means):
        return Estimate(value, None, (Flag.SINGLE_TASK,))
    draws = np.zeros(resamples)
    for number, tier in enumerate(means):
        rng = np.random.default_rng((rng_seed, number))
        blocks = [
            tier[rng.integers(tier.size, size=(n, tier.size))] for n in block_sizes(resamples, tier.size)
        ]
        draws += np.concatenate([block.mean(axis=1) for block in blocks]) / len(means)
    flags = (Flag.CONSTANT_SCORES,) if all(same(tier) for tier in means) else ()
    return Estimate(value, percentile_interval(draws, value, level, "population"), flags)


def bca_interval(
    scores: ArrayLike, *, resamples: int = RESAMPLES, rng_seed: int = 0, level: float = LEVEL
) -> Interval | None:
    """Bias-corrected and accelerated interval of the mean (Efron 1987, doi:10.2307/2289144), by SciPy.

    A second opinion for few, skewed seeds. It shares no resamples with the other intervals. None for fewer
    than two seeds.
    """
    means = seed_means(scores)
    if means.size < 2:
        return None
    value = float(means.mean())
    if same(means):
        return Interval(value, value, level, "population")
    found = require("scipy.stats", extra="eval").bootstrap(
        (means,),
        np.mean,
        n_resamples=resamples,
        batch=max(1, CELLS // means.size),
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(rng_seed),
    )
    low, high = found.confidence_interval
    return Interval(min(float(low), value), max(float(high), value), level, "population")


def _estimate(scores: FloatArray, interval: Interval | None, flags: tuple[Flag, ...]) -> Estimate:
    return Estimate(float(scores.mean()) if scores.size else None, interval, flags)
